// Follows `.loc` directives: which source line the instructions that come next belong to.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// The compiler writes `.loc file line column, function_name …, inlined_at file line column` for
/// inlined code, where the second place was itself announced by an earlier `.loc` of the same
/// function, perhaps inlined too. Each place is therefore stored with the end of its chain, which
/// is found in one step, and with the call before it.
class Locations {
 public:
  /// Forgets everything: chains do not cross functions.
  void start_function();
  /// Parses what follows `.loc`.
  void parse(Lexer& lexer);
  const Location& current() const { return current_; }
  /// Places that call inlined code, so far, of the function: what Location::call refers to.
  std::vector<InlinedCall> take_calls() { return std::move(calls_); }

 private:
  struct Place {
    std::uint32_t file = 0, line = 0;
    std::uint32_t own_line = 0;  ///< see Location
    std::uint32_t call = 0;      ///< the same
    std::uint32_t as_call = 0;   ///< what Location::call is of code that was inlined here
  };
  Location current_;
  std::unordered_map<std::uint64_t, Place> outermost_;
  std::vector<InlinedCall> calls_;
};

}  // namespace gridstride::sim::ptx
