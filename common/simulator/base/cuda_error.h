// The cudaError_t values that the simulated GPU gives; only runtime/ has CUDA headers.
//
// Which mistake gets which code was tried out on an H200 with CUDA 13.0, driver 580: a grid or
// block that cannot be is cudaErrorInvalidValue there, where older runtimes said
// cudaErrorInvalidConfiguration, and so are more threads than __launch_bounds__ promise.
#pragma once

namespace gridstride::sim {

/// Converts to int: errors that come over a socket or from kernels may be any number.
enum CudaError : int {
  no_error = 0,
  error_invalid_value = 1,
  error_memory_allocation = 2,
  error_invalid_configuration = 9,
  error_invalid_pitch = 12,
  error_invalid_symbol = 13,
  error_invalid_channel_descriptor = 20,
  error_invalid_direction = 21,
  error_invalid_filter_setting = 26,
  error_invalid_norm_setting = 27,
  error_devices_unavailable = 46,
  error_pending_count_exceeded = 69,
  error_invalid_device_function = 98,
  error_invalid_device = 101,
  error_invalid_kernel_image = 200,
  error_no_kernel_image = 209,
  error_unsupported_limit = 215,
  error_invalid_ptx = 218,
  error_invalid_handle = 400,
  error_illegal_address = 700,
  error_launch_out_of_resources = 701,
  error_launch_timeout = 702,
  error_assert = 710,
  error_hardware_stack = 714,
  error_illegal_instruction = 715,
  error_misaligned_address = 716,
  error_invalid_pc = 718,
  error_launch_failure = 719,
  error_cooperative_launch_too_large = 720,
  error_not_permitted = 800,
  error_not_supported = 801,
  error_unknown = 999,
};

}  // namespace gridstride::sim
