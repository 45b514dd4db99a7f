// The modifiers of one instruction, taken one by one: what is left over is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

class Modifiers {
 public:
  explicit Modifiers(const ptx::Instruction& instruction) : instruction_(instruction) {
    // Instructions with more modifiers than bits do not exist; what does not fit stays left over.
    const std::size_t count = instruction.modifiers.size();
    left_ = count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }

  /// True when `name` stood there and was not taken yet.
  bool take(std::string_view name) {
    for (std::size_t i = 0; i < instruction_.modifiers.size() && i < 64; ++i) {
      if ((left_ >> i & 1) == 0 || instruction_.modifiers[i] != name) continue;
      left_ &= ~(std::uint64_t{1} << i);
      return true;
    }
    return false;
  }
  /// The first type that was not taken yet, or none.
  ptx::Type take_type() {
    for (std::size_t i = 0; i < instruction_.modifiers.size() && i < 64; ++i) {
      if ((left_ >> i & 1) == 0) continue;
      const ptx::Type type = ptx::type_named(instruction_.modifiers[i]);
      if (type == ptx::Type::none) continue;
      left_ &= ~(std::uint64_t{1} << i);
      return type;
    }
    return ptx::Type::none;
  }
  /// True when every modifier was taken.
  bool done() const { return left_ == 0; }

 private:
  const ptx::Instruction& instruction_;
  std::uint64_t left_ = 0;
};

}  // namespace gridstride::sim
