// Managed memory, and what programs tell about where they will use it.
#include <algorithm>
#include <cstring>

#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

ManagedMemory::Advice& advice_of(Runtime& runtime, const void* pointer, std::size_t bytes) {
  runtime.device();
  if (bytes == 0) invalid("a range of no bytes");
  ManagedMemory::Advice* advice = runtime.managed.advice(address_of(pointer), bytes);
  if (advice == nullptr) invalid("this range does not lie in one piece of managed memory");
  return *advice;
}

/// True for the device, false for the host.
bool is_device(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      if (location.id != 0) {
        throw DeviceError(cudaErrorInvalidDevice, false, "the simulated GPU is device 0");
      }
      return true;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return false;
    default:
      invalid("this is no place for memory");
  }
}

/// As attributes of old name devices: the host is one of them.
int number_of(const cudaMemLocation& location) {
  if (location.type == cudaMemLocationTypeInvalid) return cudaInvalidDeviceId;
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

void put(void* data, std::size_t bytes, int value) {
  if (data == nullptr || bytes != sizeof value) invalid("this attribute has 4 bytes");
  std::memcpy(data, &value, sizeof value);
}

void put_attribute(const ManagedMemory::Advice& advice, void* data, std::size_t bytes,
                   cudaMemRangeAttribute attribute) {
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      return put(data, bytes, advice.read_mostly ? 1 : 0);
    case cudaMemRangeAttributePreferredLocation:
      return put(data, bytes, number_of(advice.preferred));
    case cudaMemRangeAttributeLastPrefetchLocation:
      return put(data, bytes, number_of(advice.prefetched));
    case cudaMemRangeAttributePreferredLocationType:
      return put(data, bytes, advice.preferred.type);
    case cudaMemRangeAttributePreferredLocationId:
      return put(data, bytes, advice.preferred.id);
    case cudaMemRangeAttributeLastPrefetchLocationType:
      return put(data, bytes, advice.prefetched.type);
    case cudaMemRangeAttributeLastPrefetchLocationId:
      return put(data, bytes, advice.prefetched.id);
    case cudaMemRangeAttributeAccessedBy: {
      if (data == nullptr || bytes == 0 || bytes % sizeof(int) != 0) {
        invalid("this attribute is a list of devices, of 4 bytes each");
      }
      auto* devices = static_cast<int*>(data);
      std::fill_n(devices, bytes / sizeof(int), cudaInvalidDeviceId);
      if (advice.accessed_by_device) *devices++ = 0;
      const bool room = devices < static_cast<int*>(data) + bytes / sizeof(int);
      if (advice.accessed_by_host && room) *devices = cudaCpuDeviceId;
      return;
    }
  }
  invalid("this attribute does not exist");
}

}  // namespace

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return guarded("cudaMallocManaged", [&](Runtime& runtime) {
    void*& out = null_at(pointer);
    runtime.captures.forbid_unsafe();
    Device& device = runtime.device();
    if (bytes == 0) invalid("managed memory of no bytes");
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) invalid("unknown flags");
    const DeviceAddress address = device.allocate_shared(bytes, SharedMemory::managed);
    try {
      runtime.managed.add(address, bytes, false);
    } catch (const DeviceError&) {
      device.release(address);
      throw;
    }
    runtime.allocations.insert(address);
    out = reinterpret_cast<void*>(address);
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
  return guarded("cudaMemPrefetchAsync", [&](Runtime& runtime) {
    runtime.captures.forbid(runtime, stream);
    const StreamId id = runtime.stream(stream);
    if (flags != 0) invalid("unknown flags");
    ManagedMemory::Advice& advice = advice_of(runtime, pointer, bytes);
    if (is_device(location)) {
      runtime.managed.give_to_device(runtime.device(), id, address_of(pointer), bytes);
    } else {
      runtime.managed.bring_to_host(runtime.device(), id, address_of(pointer), bytes);
    }
    advice.prefetched = location;
  });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise what,
                          cudaMemLocation location) {
  return guarded("cudaMemAdvise", [&](Runtime& runtime) {
    ManagedMemory::Advice& advice = advice_of(runtime, pointer, bytes);
    switch (what) {
      case cudaMemAdviseSetReadMostly:
      case cudaMemAdviseUnsetReadMostly:
        advice.read_mostly = what == cudaMemAdviseSetReadMostly;
        return;
      case cudaMemAdviseSetPreferredLocation:
        is_device(location);
        advice.preferred = location;
        return;
      case cudaMemAdviseUnsetPreferredLocation:
        advice.preferred = {cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
        return;
      case cudaMemAdviseSetAccessedBy:
      case cudaMemAdviseUnsetAccessedBy: {
        bool& by = is_device(location) ? advice.accessed_by_device : advice.accessed_by_host;
        by = what == cudaMemAdviseSetAccessedBy;
        return;
      }
    }
    invalid("this advice does not exist");
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes,
                                     cudaMemRangeAttribute attribute, const void* pointer,
                                     std::size_t bytes) {
  return guarded("cudaMemRangeGetAttribute", [&](Runtime& runtime) {
    put_attribute(advice_of(runtime, pointer, bytes), data, data_bytes, attribute);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes,
                                      cudaMemRangeAttribute* attributes, std::size_t count,
                                      const void* pointer, std::size_t bytes) {
  return guarded("cudaMemRangeGetAttributes", [&](Runtime& runtime) {
    const ManagedMemory::Advice& advice = advice_of(runtime, pointer, bytes);
    required(data), required(data_bytes), required(attributes);
    for (std::size_t i = 0; i < count; ++i) {
      put_attribute(advice, data[i], data_bytes[i], attributes[i]);
    }
  });
}

// Which stream may use the memory is of no consequence: work is executed in the order of the calls.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes,
                                     unsigned flags) {
  return guarded("cudaStreamAttachMemAsync", [&](Runtime& runtime) {
    runtime.captures.forbid(runtime, stream);
    runtime.stream(stream);
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
        flags != cudaMemAttachSingle) {
      invalid("unknown flags");
    }
    advice_of(runtime, pointer, std::max<std::size_t>(bytes, 1));
  });
}
