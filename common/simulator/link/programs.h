// What programs a link runs, by the names of their files.
#pragma once

namespace gridstride::sim::link {

inline constexpr const char* link_program = "gridstride-link";  ///< both ends
inline constexpr const char* device_program = "gridstride-device";
inline constexpr const char* gpu_device_program = "gridstride-gpu-device";  ///< a real GPU's

}  // namespace gridstride::sim::link
