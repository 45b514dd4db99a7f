// From what the judge says of each argument to what the stage's function gets.
#include "grader/runner/argument_values.h"

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "grader/runner/arguments.h"

namespace gridstride::runner {

ArgumentValues::ArgumentValues(std::vector<protocol::Argument> arguments, cudaStream_t stream)
    : arguments_(std::move(arguments)),
      stream_(stream),
      values_(arguments_.size()),
      slots_(arguments_.size()) {
  for (const protocol::Argument& argument : arguments_) {
    if (argument.value.size() > sizeof Value::scalar)
      throw std::out_of_range("a scalar that is too large");
  }
}

void* const* ArgumentValues::slots() {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const protocol::Argument& argument = arguments_[i];
    Value& value = values_[i];
    void* const memory = reinterpret_cast<void*>(argument.address);
    switch (argument.kind) {
      case ArgumentKind::input:
      case ArgumentKind::output:
        value.pointer = memory;
        slots_[i] = &value.pointer;
        break;
      case ArgumentKind::scratch:
        value.scratch = {argument.bytes == 0 ? nullptr : memory, argument.bytes};
        slots_[i] = &value.scratch;
        break;
      case ArgumentKind::stream:
        value.stream = stream_;
        slots_[i] = &value.stream;
        break;
      case ArgumentKind::scalar:
        std::memcpy(value.scalar, argument.value.data(), argument.value.size());
        slots_[i] = value.scalar;
        break;
    }
  }
  return slots_.data();
}

}  // namespace gridstride::runner
