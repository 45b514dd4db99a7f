// PTX text to Module.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// The text is not PTX that is understood; what() names the PTX line and what was expected.
class ParseError : public std::runtime_error {
 public:
  ParseError(std::uint32_t line, const std::string& message);
  std::uint32_t line() const { return line_; }

 private:
  std::uint32_t line_;
};

/// Parses one module. Linear in the length of `text`. Throws ParseError; never reads out of range,
/// whatever the bytes are.
Module parse(std::string_view text);

}  // namespace gridstride::sim::ptx
