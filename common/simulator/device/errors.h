// The cudaError_t values that the simulated GPU gives; device/ has no CUDA headers.
//
// Which mistake gets which code was tried out on an H200 with CUDA 13.0, driver 580: a grid or
// block that cannot be is cudaErrorInvalidValue there, where older runtimes said
// cudaErrorInvalidConfiguration, and so are more threads than __launch_bounds__ promise.
#pragma once

namespace gridstride::sim {

inline constexpr int error_invalid_value = 1;
inline constexpr int error_memory_allocation = 2;
inline constexpr int error_invalid_symbol = 13;
inline constexpr int error_invalid_channel_descriptor = 20;
inline constexpr int error_invalid_filter_setting = 26;
inline constexpr int error_invalid_norm_setting = 27;
inline constexpr int error_devices_unavailable = 46;
inline constexpr int error_invalid_device_function = 98;
inline constexpr int error_invalid_kernel_image = 200;
inline constexpr int error_no_kernel_image = 209;
inline constexpr int error_invalid_ptx = 218;
inline constexpr int error_invalid_handle = 400;
inline constexpr int error_launch_out_of_resources = 701;
inline constexpr int error_cooperative_launch_too_large = 720;
inline constexpr int error_not_supported = 801;
inline constexpr int error_unknown = 999;

}  // namespace gridstride::sim
