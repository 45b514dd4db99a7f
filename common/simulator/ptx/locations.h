// Follows `.loc` directives: which source line the instructions that come next belong to.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// The compiler writes `.loc file line column, function_name …, inlined_at file line column` for
/// inlined code, where the second place was itself announced by an earlier `.loc` of the same
/// function, perhaps inlined too. Each place is therefore stored with the end of its chain, and a
/// chain of any length is followed in one step.
class Locations {
 public:
  /// Forgets everything: chains do not cross functions.
  void start_function();
  /// Parses what follows `.loc`.
  void parse(Lexer& lexer);
  const Location& current() const { return current_; }

 private:
  struct Place {
    std::uint32_t file = 0, line = 0;
    std::uint32_t own_line = 0;  ///< see Location
  };
  Location current_;
  std::unordered_map<std::uint64_t, Place> outermost_;
};

}  // namespace gridstride::sim::ptx
