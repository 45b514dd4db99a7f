// The device and its settings.
#include <cstring>
#include <map>
#include <string>

#include "common/simulator/runtime/api/check_ordinal.h"
#include "common/simulator/runtime/device_attributes.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

void gridstride::sim::check_ordinal(int device) {
  if (device != 0) {
    throw DeviceError(cudaErrorInvalidDevice, false,
                      "device " + std::to_string(device) +
                          " does not exist: the simulated GPU is device 0, and the only one");
  }
}

namespace {

constexpr char bus_id[] = "0000:00:00.0";

struct Limit {
  std::size_t usual;  ///< what the real runtime says before anybody sets it
  const char* name;
};
const std::map<cudaLimit, Limit> known_limits{
    {cudaLimitStackSize, {1024, "cudaLimitStackSize"}},
    {cudaLimitPrintfFifoSize, {8'650'752, "cudaLimitPrintfFifoSize"}},
    {cudaLimitMallocHeapSize, {std::size_t{8} << 20, "cudaLimitMallocHeapSize"}},
    {cudaLimitDevRuntimePendingLaunchCount, {2048, "cudaLimitDevRuntimePendingLaunchCount"}},
    {cudaLimitMaxL2FetchGranularity, {64, "cudaLimitMaxL2FetchGranularity"}},
    {cudaLimitPersistingL2CacheSize, {0, "cudaLimitPersistingL2CacheSize"}},
};
/// Bytes of a thread's stack: what an H200 takes (driver of CUDA 13.0, 2026-11-28), 576 less than the
/// 512 KiB of local memory that the CUDA C++ Programming Guide names. Sizes are rounded up.
constexpr std::size_t most_stack = 523'712, stack_alignment = 16;

[[noreturn]] void unsupported_limit(cudaLimit limit) {
  const std::string what = limit == cudaLimitDevRuntimeSyncDepth
                               ? "cudaLimitDevRuntimeSyncDepth is gone: since CUDA 12 kernels "
                                 "cannot wait for the kernels "
                                 "that they launch"
                               : "there is no limit with the number " + std::to_string(limit);
  throw DeviceError(cudaErrorUnsupportedLimit, false, what);
}

/// What cudaDeviceGetLimit says from now on.
std::size_t set_limit(Device& device, cudaLimit limit, std::size_t value) {
  switch (limit) {
    case cudaLimitStackSize:
      if (value > most_stack)
        invalid("the stack of a thread has at most " + std::to_string(most_stack) + " bytes");
      return (value + stack_alignment - 1) / stack_alignment * stack_alignment;
    case cudaLimitMallocHeapSize:
      device.set_limit(DeviceLimit::heap_bytes, value);
      break;
    case cudaLimitDevRuntimePendingLaunchCount:
      device.set_limit(DeviceLimit::pending_launches, value);
      break;
    case cudaLimitPrintfFifoSize:
      device.set_limit(DeviceLimit::printed_bytes, value);
      break;
    default:
      break;  // hints
  }
  return value;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return guarded("cudaGetDeviceCount", [&](Runtime& runtime) {
    runtime.device();
    required(count) = 1;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return guarded("cudaGetDevice", [&](Runtime&) { required(device) = 0; });
}

cudaError_t cudaSetDevice(int device) {
  return guarded("cudaSetDevice", [&](Runtime& runtime) {
    check_ordinal(device);
    runtime.device();
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return guarded("cudaInitDevice", [&](Runtime& runtime) {
    check_ordinal(device);
    runtime.device();
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return guarded("cudaChooseDevice", [&](Runtime&) { required(device) = 0; });
}

// Kept, and without consequence: how the host waits takes no modelled time.
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return guarded("cudaSetDeviceFlags", [&](Runtime& runtime) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    const bool one_way = schedule == cudaDeviceScheduleAuto || schedule == cudaDeviceScheduleSpin ||
                         schedule == cudaDeviceScheduleYield ||
                         schedule == cudaDeviceScheduleBlockingSync;
    if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0 || !one_way) invalid("unknown flags");
    runtime.device_flags = flags;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return guarded("cudaGetDeviceFlags",
                 [&](Runtime& runtime) { required(flags) = runtime.device_flags; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return guarded("cudaGetDeviceProperties", [&](Runtime& runtime) {
    check_ordinal(device);
    required(properties) = cuda_properties(runtime.device().properties());
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return guarded("cudaDeviceGetAttribute", [&](Runtime& runtime) {
    check_ordinal(device);
    required(value) = cuda_attribute(runtime.device().properties(), attribute);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return guarded("cudaDeviceSynchronize", [](Runtime& runtime) {
    runtime.captures.forbid_anywhere();
    runtime.synchronize({});
  });
}

cudaError_t cudaDeviceReset() {
  return guarded("cudaDeviceReset", [](Runtime& runtime) {
    if (runtime.failed_for_good()) {
      runtime.lose_device();
      return;
    }
    runtime.captures.forbid_anywhere();
    runtime.synchronize({});
    runtime.graphs.clear();
    for (const DeviceAddress address : runtime.allocations) runtime.device().release(address);
    runtime.managed.clear();
    runtime.pinned.clear();
    for (const auto& [id, traits] : runtime.streams) runtime.device().destroy_stream(id);
    for (const auto& [id, flags] : runtime.events) runtime.device().destroy_event(id);
    runtime.allocations.clear();
    runtime.pools.clear();
    runtime.streams.clear();
    runtime.default_stream = {};
    runtime.kernel_settings.clear();
    runtime.device_flags = cudaDeviceScheduleAuto;
    runtime.events.clear();
    runtime.limits.clear();
    runtime.modules().unload();
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return guarded("cudaDeviceSetLimit", [&](Runtime& runtime) {
    const auto known = known_limits.find(limit);
    if (known == known_limits.end()) unsupported_limit(limit);
    Device& device = runtime.device();
    try {
      runtime.limits[limit] = set_limit(device, limit, value);
    } catch (const DeviceError& error) {
      if (error.sticky()) throw;
      throw DeviceError(error.code(), false,
                        std::string(known->second.name) + " cannot be " + std::to_string(value) +
                            ": " + error.what());
    }
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return guarded("cudaDeviceGetLimit", [&](Runtime& runtime) {
    const auto known = known_limits.find(limit);
    if (known == known_limits.end()) unsupported_limit(limit);
    const auto set = runtime.limits.find(limit);
    required(value) = set != runtime.limits.end() ? set->second : known->second.usual;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return guarded("cudaDeviceGetCacheConfig",
                 [&](Runtime&) { required(config) = cudaFuncCachePreferNone; });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return guarded("cudaDeviceSetCacheConfig", [](Runtime&) {});
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return guarded("cudaDeviceGetSharedMemConfig",
                 [&](Runtime&) { required(config) = cudaSharedMemBankSizeFourByte; });
}

// The simulated L2 keeps no line longer than others, so there is nothing to reset.
cudaError_t cudaCtxResetPersistingL2Cache() {
  return guarded("cudaCtxResetPersistingL2Cache", [](Runtime& runtime) { runtime.device(); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return guarded("cudaDeviceGetStreamPriorityRange", [&](Runtime&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return guarded("cudaDeviceGetPCIBusId", [&](Runtime&) {
    check_ordinal(device);
    if (length < static_cast<int>(sizeof bus_id)) invalid("no room for the bus id");
    std::memcpy(&required(text), bus_id, sizeof bus_id);
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return guarded("cudaDeviceCanAccessPeer", [&](Runtime&) {
    check_ordinal(device);
    check_ordinal(peer);
    required(can) = 0;
  });
}

// A device is no peer of itself.
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return guarded("cudaDeviceEnablePeerAccess", [&](Runtime& runtime) {
    runtime.device();
    if (flags != 0) invalid("unknown flags");
    check_ordinal(peer);
    throw DeviceError(cudaErrorInvalidDevice, false, "a device is no peer of itself");
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return guarded("cudaDeviceDisablePeerAccess", [&](Runtime& runtime) {
    runtime.device();
    check_ordinal(peer);
    throw DeviceError(cudaErrorPeerAccessNotEnabled, false, "a device is no peer of itself");
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int source, int target) {
  return guarded("cudaDeviceGetP2PAttribute", [&](Runtime&) {
    check_ordinal(source);
    check_ordinal(target);
    required(value);
    throw DeviceError(cudaErrorInvalidDevice, false, "a device is no peer of itself");
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return guarded("cudaDeviceGetByPCIBusId", [&](Runtime&) {
    if (id == nullptr || std::strcmp(id, bus_id) != 0) {
      throw DeviceError(cudaErrorInvalidDevice, false, "no device has this bus id");
    }
    required(device) = 0;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return guarded("cudaSetValidDevices", [&](Runtime&) {
    if (count < 0) invalid("fewer devices than none");
    for (int i = 0; i < count; ++i) check_ordinal((&required(devices))[i]);
  });
}

// Banks of shared memory are four bytes wide on every device of these days.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return guarded("cudaDeviceSetSharedMemConfig", [](Runtime& runtime) { runtime.device(); });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return guarded("cudaDriverGetVersion", [&](Runtime&) { required(version) = CUDART_VERSION; });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return guarded("cudaRuntimeGetVersion", [&](Runtime&) { required(version) = CUDART_VERSION; });
}

// What a profiler would be told: there is none.
cudaError_t cudaProfilerStart() {
  return guarded("cudaProfilerStart", [](Runtime&) {});
}

cudaError_t cudaProfilerStop() {
  return guarded("cudaProfilerStop", [](Runtime&) {});
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {.x = x, .y = y, .z = z, .w = w, .f = f};
}
