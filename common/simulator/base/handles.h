// How programs name what lies on the device. Numbers, which student code may make up: whoever takes
// one looks whether it is there.
#pragma once

#include <cstdint>

namespace gridstride::sim {

using DeviceAddress = std::uint64_t;
using StreamId = std::uint64_t;  ///< 0 is the default stream
using EventId = std::uint64_t;
using KernelId = std::uint64_t;

}  // namespace gridstride::sim
