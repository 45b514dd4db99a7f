// Types of the source, and those of arrays that only the recording names.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/playback/playback.h"
#include "common/simulator/trace/trace.h"

namespace gridstride::sim {

/// Types by number: those of Trace::types keep theirs. -1 is a type that is not known.
class Types {
 public:
  explicit Types(std::vector<TraceType> types) : types_(std::move(types)) {}

  const TraceType& operator[](std::int32_t type) const;
  std::int32_t add(TraceType type);
  std::int32_t scalar(TraceType::Kind kind, std::uint64_t bytes, const std::string& name);
  std::int32_t array(std::int32_t element, std::uint64_t count);
  /// Of an array that is named by its declaration's text (NamedArray): "float[8][9]".
  std::int32_t of(const NamedArray& array);

 private:
  std::vector<TraceType> types_;
};

/// Whether a value of that kind is one number.
bool is_number(const TraceType& type);

}  // namespace gridstride::sim
