// Whether a real GPU answers here. Asked of the driver directly, without the CUDA runtime.
#pragma once

#include <string>

namespace gridstride::cli {

struct GpuStatus {
  bool available = false;
  int count = 0;               ///< how many there are
  std::string name;            ///< of the first GPU
  int capability = 0;          ///< its compute capability: 90 for 9.0; 0 unknown
  int driver_version = 0;      ///< the newest CUDA that the driver runs: 13000 for 13.0; 0 unknown
  std::string reason, repair;  ///< why there is none and what to do about it; one sentence each
};

/// Loads the driver's library and asks it. Cheap; no context is made.
GpuStatus find_gpu();

/// "13.0" for 13000.
std::string cuda_version(int number);

}  // namespace gridstride::cli
