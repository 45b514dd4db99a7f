// Stream-ordered allocation, and the pools it takes memory from.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/api/check_ordinal.h"
#include "common/simulator/runtime/graph.h"
#include "common/simulator/runtime/memory_pools.h"
#include "common/simulator/runtime/runtime.h"
#include "common/simulator/runtime/work.h"

using namespace gridstride::sim;

namespace {

/// Where pools can be: on the device.
void check_place(const cudaMemLocation& place, cudaMemAllocationType type) {
  if (place.type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned) {
    throw DeviceError(error_not_supported, false, "memory pools are on the device only");
  }
  check_ordinal(place.id);
}

void* allocate(Runtime& runtime, MemoryPool* pool, std::size_t bytes, cudaStream_t stream) {
  runtime.stream(stream);
  if (bytes == 0) return nullptr;
  if (runtime.captures.is_capturing(runtime, stream)) {
    AllocWork work;
    work.params.poolProps.allocType = cudaMemAllocationTypePinned;
    work.params.poolProps.location = {cudaMemLocationTypeDevice, 0};
    work.params.bytesize = bytes;
    work.memory = std::make_shared<GraphMemory>(runtime, bytes);
    work.params.dptr = reinterpret_cast<void*>(work.memory->address);
    submit(runtime, stream, work);
    return work.params.dptr;
  }
  runtime.captures.forbid(runtime, stream);  // the default one
  MemoryPool& from = pool != nullptr ? *pool : runtime.pools.current();
  const DeviceAddress address = runtime.pools.allocate(runtime.device(), from, bytes);
  runtime.allocations.insert(address);
  return reinterpret_cast<void*>(address);
}

template <class T>
T value_in(const void* value) {
  if (value == nullptr) invalid("no value");
  return *static_cast<const T*>(value);
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return guarded("cudaMallocAsync", [&](Runtime& runtime) {
    void*& out = null_at(pointer);
    out = allocate(runtime, nullptr, bytes, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return guarded("cudaMallocFromPoolAsync", [&](Runtime& runtime) {
    void*& out = null_at(pointer);
    out = allocate(runtime, &runtime.pools.find(pool), bytes, stream);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return guarded("cudaFreeAsync", [&](Runtime& runtime) {
    if (pointer == nullptr) invalid("a null pointer");
    submit(runtime, stream, FreeWork{pointer});
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return guarded("cudaDeviceGetDefaultMemPool", [&](Runtime& runtime) {
    check_ordinal(device);
    required(pool) = MemoryPools::handle_of(runtime.pools.standard());
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return guarded("cudaDeviceGetMemPool", [&](Runtime& runtime) {
    check_ordinal(device);
    required(pool) = MemoryPools::handle_of(runtime.pools.current());
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return guarded("cudaDeviceSetMemPool", [&](Runtime& runtime) {
    check_ordinal(device);
    runtime.pools.set_current(runtime.pools.find(pool));
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* place,
                                     cudaMemAllocationType type) {
  return guarded("cudaMemGetDefaultMemPool", [&](Runtime& runtime) {
    check_place(required(place), type);
    required(pool) = MemoryPools::handle_of(runtime.pools.standard());
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* place,
                              cudaMemAllocationType type) {
  return guarded("cudaMemGetMemPool", [&](Runtime& runtime) {
    check_place(required(place), type);
    required(pool) = MemoryPools::handle_of(runtime.pools.current());
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* place, cudaMemAllocationType type,
                              cudaMemPool_t pool) {
  return guarded("cudaMemSetMemPool", [&](Runtime& runtime) {
    check_place(required(place), type);
    runtime.pools.set_current(runtime.pools.find(pool));
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return guarded("cudaMemPoolCreate", [&](Runtime& runtime) {
    runtime.device();
    const cudaMemPoolProps& wanted = required(properties);
    check_place(wanted.location, wanted.allocType);
    if (wanted.handleTypes != cudaMemHandleTypeNone) {
      runtime.refuse_call("a memory pool for several processes");
      throw DeviceError(error_not_supported, false, "pools cannot be shared between processes");
    }
    required(pool) = MemoryPools::handle_of(runtime.pools.create(wanted.maxSize));
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return guarded("cudaMemPoolDestroy",
                 [&](Runtime& runtime) { runtime.pools.destroy(runtime.pools.find(pool)); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes) {
  return guarded("cudaMemPoolTrimTo",
                 [&](Runtime& runtime) { runtime.pools.find(pool).trim(bytes); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return guarded("cudaMemPoolSetAttribute", [&](Runtime& runtime) {
    MemoryPool& changed = runtime.pools.find(pool);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        changed.reuse[attribute] = value_in<int>(value);
        return;
      case cudaMemPoolAttrReleaseThreshold:
        changed.threshold = value_in<std::uint64_t>(value);
        return;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        if (value_in<std::uint64_t>(value) != 0) invalid("a high-water mark can only be set to 0");
        (attribute == cudaMemPoolAttrUsedMemHigh ? changed.most_used : changed.most_reserved) = 0;
        return;
      default:
        invalid("this attribute of a pool does not exist, or cannot be set");
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return guarded("cudaMemPoolGetAttribute", [&](Runtime& runtime) {
    const MemoryPool& asked = runtime.pools.find(pool);
    if (value == nullptr) invalid("no place for the value");
    auto& bytes = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies: {
        const auto set = asked.reuse.find(attribute);
        *static_cast<int*>(value) = set == asked.reuse.end() ? 1 : set->second;
        return;
      }
      case cudaMemPoolAttrReleaseThreshold:
        bytes = asked.threshold;
        return;
      case cudaMemPoolAttrReservedMemCurrent:
        bytes = asked.reserved;
        return;
      case cudaMemPoolAttrReservedMemHigh:
        bytes = asked.most_reserved;
        return;
      case cudaMemPoolAttrUsedMemCurrent:
        bytes = asked.used;
        return;
      case cudaMemPoolAttrUsedMemHigh:
        bytes = asked.most_used;
        return;
      default:
        invalid("this attribute of a pool does not exist");
    }
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access,
                                 std::size_t count) {
  return guarded("cudaMemPoolSetAccess", [&](Runtime& runtime) {
    runtime.pools.find(pool);
    for (std::size_t i = 0; i < count; ++i) {
      const cudaMemAccessDesc& wanted = required(access + i);
      check_place(wanted.location, cudaMemAllocationTypePinned);
      if (wanted.flags != cudaMemAccessFlagsProtReadWrite) {
        invalid("a device cannot lose access to its own pool");
      }
    }
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* place) {
  return guarded("cudaMemPoolGetAccess", [&](Runtime& runtime) {
    runtime.pools.find(pool);
    check_place(required(place), cudaMemAllocationTypePinned);
    required(flags) = cudaMemAccessFlagsProtReadWrite;
  });
}
