// The driver for tests: the device, its streams and events, modules and launches.
#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/error_texts.h"
#include "common/simulator/fatbin/fatbin.h"
#include "common/simulator/gpu/testdriver/context.h"

using gridstride::testdriver::Context;
namespace sim = gridstride::sim;

/// The simulated GPU is one of so many parts of a real one: what is kept for all threads is as much.
constexpr std::uint32_t whole_gpu = 33;

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = sim::error_name(error);
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = sim::error_description(error);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  const std::string text = Context::get().device.properties().name;
  std::strncpy(name, text.c_str(), static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int bytes, CUdevice) {
  std::strncpy(id, "0000:17:00.0", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return Context::get().wait(nullptr); }
CUresult cuCtxSetLimit(CUlimit, std::size_t) { return CUDA_SUCCESS; }

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  const sim::DeviceProperties has = Context::get().device.properties();
  const auto number = [&]() -> std::uint64_t {
    switch (which) {
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return has.capability / 10;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return has.capability % 10;
      case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return has.multiprocessors * whole_gpu;
      case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        return has.l2_bytes;
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return has.shared_per_block;
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return has.shared_per_block_optin;
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        return has.shared_per_multiprocessor;
      case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        return has.registers_per_multiprocessor;
      case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        return std::uint64_t{has.warps_per_multiprocessor} * 32;
      case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        return has.blocks_per_multiprocessor;
      case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        return has.clock_khz;
      case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        return has.memory_clock_khz;
      case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        return has.memory_bus_bits;
      default:
        return 0;
    }
  };
  *value = static_cast<int>(number());
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  *stream = Context::get().streams.create((flags & CU_STREAM_NON_BLOCKING) == 0);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  Context& context = Context::get();
  const CUresult waited = context.wait(stream);
  context.streams.destroy(stream);
  return waited;
}

CUresult cuStreamSynchronize(CUstream handle) {
  CUstream stream = Context::get().streams.find(handle);
  return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : Context::get().wait(stream);
}

CUresult cuStreamQuery(CUstream handle) {
  Context& context = Context::get();
  if (!context.streams.run(context.streams.find(handle))) return CUDA_ERROR_NOT_READY;
  return context.error;
}

CUresult cuStreamWaitValue32(CUstream handle, CUdeviceptr address, cuuint32_t value, unsigned) {
  Context& context = Context::get();
  CUstream stream = context.streams.find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  context.streams.queue(stream, [address, value] {
    auto& word = *reinterpret_cast<std::uint32_t*>(address);
    const std::uint32_t now = std::atomic_ref(word).load(std::memory_order_acquire);
    return static_cast<std::int32_t>(now - value) >= 0;
  });
  return context.error;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  return Context::get().guarded([&] {
    auto made = std::make_unique<CUevent_st>();
    made->id = Context::get().device.create_event();
    *event = made.release();
  });
}

CUresult cuEventDestroy(CUevent event) {
  Context& context = Context::get();
  const CUresult waited = context.wait(nullptr);
  const CUresult destroyed = context.guarded([&] { context.device.destroy_event(event->id); });
  delete event;
  return waited != CUDA_SUCCESS ? waited : destroyed;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  Context& context = Context::get();
  ++event->recorded;
  return context.queue(stream, [&context, event] {
    context.device.record(event->id, 0);
    ++event->done;
  });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  Context& context = Context::get();
  CUstream stream = context.streams.find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::uint64_t until = event->recorded;
  context.streams.queue(stream, [event, until] { return event->done >= until; });
  return context.error;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  Context& context = Context::get();
  if (from->recorded == 0 || to->recorded == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (from->done < from->recorded || to->done < to->recorded) return CUDA_ERROR_NOT_READY;
  return context.guarded(
      [&] { *milliseconds = static_cast<float>(1e3 * context.device.elapsed(from->id, to->id)); });
}

namespace {

using Containers = std::vector<std::vector<std::byte>>;

std::vector<std::byte> container_at(const void* image) {
  constexpr std::size_t header = 16;
  const auto* bytes = static_cast<const std::byte*>(image);
  const std::size_t size = sim::fatbin::container_size(std::span(bytes, header));
  return {bytes, bytes + size};
}

/// The variables of a module are not asked for by name here: the simulated GPU tells all.
CUresult load(CUmodule* module, const Containers& containers) {
  Context& context = Context::get();
  return context.guarded([&] {
    auto made = std::make_unique<CUmod_st>();
    made->info = context.device.load_module(containers, {});
    for (const sim::KernelInfo& kernel : made->info.kernels) {
      made->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{kernel}));
    }
    *module = made.release();
  });
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  Context& context = Context::get();
  auto* link = static_cast<CUlinkState>(const_cast<void*>(image));
  if (context.links.contains(link)) return load(module, link->containers);
  return load(module, {container_at(image)});
}

CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  for (unsigned i = 0; i < count; ++i) functions[i] = module->functions.at(i).get();
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module,
                           const char* name) {
  const auto& symbols = module->info.symbols;
  const auto found =
      std::ranges::find_if(symbols, [name](const auto& symbol) { return symbol.name == name; });
  if (found == symbols.end()) return CUDA_ERROR_NOT_FOUND;
  *address = found->address;
  *bytes = found->size;
  return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
  *state = new CUlinkState_st;
  Context::get().links.insert(*state);
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType, void* data, std::size_t bytes,
                       const char*, unsigned, CUjit_option*, void**) {
  const auto* first = static_cast<const std::byte*>(data);
  state->containers.emplace_back(first, first + bytes);
  return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes) {
  *image = state;
  *bytes = 0;
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  Context::get().links.erase(state);
  delete state;
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }

CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = function->info.name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                            std::size_t* size) {
  const auto& parameters = function->info.parameters;
  if (index >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = parameters[index].offset;
  *size = parameters[index].size;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  const sim::KernelInfo& info = function->info;
  *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? static_cast<int>(info.max_threads)
           : which == CU_FUNC_ATTRIBUTE_NUM_REGS            ? static_cast<int>(info.registers)
           : which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES    ? static_cast<int>(info.local_bytes)
                                                            : 0;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute, int value) {
  return Context::get().guarded([&] {
    Context::get().device.allow_dynamic_shared(function->info.id,
                                               static_cast<std::uint64_t>(value));
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared) {
  return Context::get().guarded([&] {
    *blocks = static_cast<int>(Context::get().device.resident_blocks(
        function->info.id, static_cast<std::uint32_t>(threads), shared));
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction function, void** parameters,
                          void**) {
  Context& context = Context::get();
  sim::LaunchRequest request;
  request.kernel = function->info.id;
  request.grid = {.x = how->gridDimX, .y = how->gridDimY, .z = how->gridDimZ};
  request.block = {.x = how->blockDimX, .y = how->blockDimY, .z = how->blockDimZ};
  request.dynamic_shared = how->sharedMemBytes;
  request.cooperative = how->numAttrs != 0;
  request.arguments.resize(function->info.argument_bytes);
  for (std::size_t i = 0; i < function->info.parameters.size(); ++i) {
    const sim::ParameterLayout& layout = function->info.parameters[i];
    std::memcpy(request.arguments.data() + layout.offset, parameters[i], layout.size);
  }
  const CUresult checked = context.guarded([&] { context.device.check_launch(request); });
  if (checked != CUDA_SUCCESS) return checked;
  return context.queue(how->hStream, [&context, request = std::move(request)] {
    context.device.launch(request);
  });
}
