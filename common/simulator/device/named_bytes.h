// What is copied during a call, by name: it belongs to the call, to no kernel and no line. Named
// counters of kernels: count/counters.h.
#pragma once

#include <array>
#include <cstdint>

#include "common/simulator/device/device.h"

namespace gridstride::sim {

/// Named as in lab.toml's `limits`.
struct NamedBytes {
  const char* name;
  std::uint64_t Activity::*bytes;
};

inline constexpr NamedBytes device_to_host_bytes{"device_to_host_bytes",
                                                 &Activity::device_to_host_bytes};

inline constexpr std::array<NamedBytes, 3> named_bytes = {
    {{"host_to_device_bytes", &Activity::host_to_device_bytes},
     device_to_host_bytes,
     {"device_to_device_bytes", &Activity::device_to_device_bytes}}};

}  // namespace gridstride::sim
