// For tests: a driver whose events say what a clock of the test's own shows.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>

#include "common/simulator/gpu/driver.h"

namespace gridstride::sim {

/// In seconds, by event, as they were recorded.
inline std::map<CUevent, double> recorded_events;

/// A driver with nothing but events. `now` says the time of its GPU in seconds.
template <double (*now)()>
Driver driver_with_events() {
  Driver driver{Driver::Unopened{}};
  driver.cuEventCreate = [](CUevent* event, unsigned) {
    static std::uintptr_t number = 0;
    *event = reinterpret_cast<CUevent>(++number);
    return CUDA_SUCCESS;
  };
  driver.cuEventDestroy = [](CUevent event) {
    recorded_events.erase(event);
    return CUDA_SUCCESS;
  };
  driver.cuEventRecord = [](CUevent event, CUstream) {
    recorded_events[event] = now();
    return CUDA_SUCCESS;
  };
  driver.cuEventElapsedTime = [](float* milliseconds, CUevent from, CUevent to) {
    *milliseconds = static_cast<float>((recorded_events.at(to) - recorded_events.at(from)) * 1e3);
    return CUDA_SUCCESS;
  };
  return driver;
}

}  // namespace gridstride::sim
