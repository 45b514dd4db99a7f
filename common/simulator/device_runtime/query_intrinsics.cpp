// Device runtime: what a kernel can ask about the device, its kernels and its errors. See
// device_runtime.h. The figures that are no property of the device are those of an H200 with CUDA
// 13.0, driver 580.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/error_texts.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/device_runtime/intrinsic_arguments.h"
#include "common/simulator/device_runtime/intrinsics.h"
#include "common/simulator/exec/device_runtime.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/call_site.h"

namespace gridstride::sim {
namespace {

/// What the device runtime of CUDA 13.0 says of itself.
constexpr std::int32_t runtime_version = 6000;

/// The one pointer that most questions store their answer to, and what comes behind it.
struct Question {
  Warp& warp;
  const Inst& inst;
  const CallSite& site;
  std::uint32_t lane;

  std::uint64_t argument(std::size_t index) const {
    return intrinsic_argument(warp, site, index, lane);
  }
  template <class T>
  int answer(const T& value) const {
    store_at(warp, inst, lane, argument(0), value);
    return no_error;
  }
  DeviceRuntimeHost& host() const { return warp.grid->device_host(); }
  std::uint64_t thread() const { return warp.block->linear * 1024 + warp.index * warp_size + lane; }
};

template <int (*answer)(const Question&)>
void intrinsic(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const Question question{warp, inst, site, lane};
    const int error = warp.grid->device_runtime().fail(question.thread(), answer(question));
    set_intrinsic_result(warp, site, lane, static_cast<std::uint64_t>(error));
  });
}

/// By number of cudaDeviceAttr; what kernels ask for.
std::optional<std::uint64_t> attribute(const DeviceProperties& device, std::uint64_t number) {
  switch (number) {
    case 1:  // cudaDevAttrMaxThreadsPerBlock
    case 2:  // cudaDevAttrMaxBlockDimX
    case 3:  // cudaDevAttrMaxBlockDimY
      return 1024;
    case 4:  // cudaDevAttrMaxBlockDimZ
      return 64;
    case 5:  // cudaDevAttrMaxGridDimX
      return 0x7fffffff;
    case 6:  // cudaDevAttrMaxGridDimY
    case 7:  // cudaDevAttrMaxGridDimZ
      return 65535;
    case 8:  // cudaDevAttrMaxSharedMemoryPerBlock
      return device.shared_per_block;
    case 9:  // cudaDevAttrTotalConstantMemory
      return 65536;
    case 10:  // cudaDevAttrWarpSize
      return warp_size;
    case 12:  // cudaDevAttrMaxRegistersPerBlock
    case 82:  // cudaDevAttrMaxRegistersPerMultiprocessor
      return device.registers_per_multiprocessor;
    case 13:  // cudaDevAttrClockRate
      return device.clock_khz;
    case 16:  // cudaDevAttrMultiProcessorCount
      return device.multiprocessors;
    case 38:  // cudaDevAttrL2CacheSize
      return device.l2_bytes;
    case 39:  // cudaDevAttrMaxThreadsPerMultiProcessor
      return device.warps_per_multiprocessor * warp_size;
    case 75:  // cudaDevAttrComputeCapabilityMajor
      return device.capability / 10;
    case 76:  // cudaDevAttrComputeCapabilityMinor
      return device.capability % 10;
    case 81:  // cudaDevAttrMaxSharedMemoryPerMultiprocessor
      return device.shared_per_multiprocessor;
    case 97:  // cudaDevAttrMaxSharedMemoryPerBlockOptin
      return device.shared_per_block_optin;
    case 106:  // cudaDevAttrMaxBlocksPerMultiprocessor
      return device.blocks_per_multiprocessor;
    default:
      return std::nullopt;
  }
}

int device_attribute(const Question& question) {
  if (question.argument(2) != 0) return error_invalid_device;
  const auto value = attribute(question.host().properties(), question.argument(1));
  if (!value) {
    throw Unsupported(
        "cudaDeviceGetAttribute in a kernel for attribute " + std::to_string(question.argument(1)),
        question.warp.grid->kernel.name);
  }
  return question.answer(static_cast<std::int32_t>(*value));
}

int device_limit(const Question& question) {
  const auto answer = [&](std::uint64_t value) { return question.answer(value); };
  switch (question.argument(1)) {
    case 0:  // cudaLimitStackSize
      return answer(1024);
    case 1:  // cudaLimitPrintfFifoSize
      return answer(question.host().printed_bytes());
    case 2:  // cudaLimitMallocHeapSize
      return answer(question.warp.grid->heap().limit());
    case 4:  // cudaLimitDevRuntimePendingLaunchCount
      return answer(question.host().pending_launches());
    case 5:  // cudaLimitMaxL2FetchGranularity
      return answer(64);
    case 6:  // cudaLimitPersistingL2CacheSize
      return answer(0);
    default:
      return error_unsupported_limit;
  }
}

int cache_config(const Question& question) {
  return question.answer(std::int32_t{0});  // cudaFuncCachePreferNone
}

int shared_config(const Question& question) {
  return question.answer(std::int32_t{1});  // cudaSharedMemBankSizeFourByte
}

int device(const Question& question) { return question.answer(std::int32_t{0}); }

int device_count(const Question& question) { return question.answer(std::int32_t{1}); }

int version(const Question& question) { return question.answer(runtime_version); }

/// The beginning of cudaFuncAttributes: what the device runtime fills.
struct FunctionAttributes {
  std::uint64_t shared = 0, constant = 0, local = 0;
  std::int32_t max_threads = 0, registers = 0, ptx_version = 0, binary_version = 0, cache_mode = 0,
               max_dynamic_shared = 0, carveout = -1, cluster_must_be_set = 0;
};

int function_attributes(const Question& question) {
  const auto kernel = question.warp.grid->program.kernel_at(question.argument(1));
  if (!kernel) return error_invalid_device_function;
  const KernelInfo info = question.host().kernel_info(*kernel);
  const DeviceProperties properties = question.host().properties();
  FunctionAttributes out;
  out.shared = info.static_shared;
  out.constant = info.constant_bytes;
  out.local = info.local_bytes;
  out.max_threads = static_cast<std::int32_t>(info.max_threads);
  out.registers = static_cast<std::int32_t>(info.registers);
  out.ptx_version = static_cast<std::int32_t>(info.architecture);
  out.binary_version = static_cast<std::int32_t>(properties.capability);
  out.max_dynamic_shared =
      static_cast<std::int32_t>(properties.shared_per_block - info.static_shared);
  return question.answer(out);
}

int max_active_blocks(const Question& question) {
  const auto kernel = question.warp.grid->program.kernel_at(question.argument(1));
  if (!kernel) return error_invalid_device_function;
  const auto threads = static_cast<std::uint32_t>(question.argument(2));
  if (threads == 0 || threads > 1024) return error_invalid_value;
  const std::uint32_t blocks =
      question.host().resident_blocks(*kernel, threads, question.argument(3));
  return question.answer(static_cast<std::int32_t>(blocks));
}

template <bool forget>
void last_error(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::uint64_t thread = Question{warp, inst, site, lane}.thread();
    const int error = warp.grid->device_runtime().last_error(thread, forget);
    set_intrinsic_result(warp, site, lane, static_cast<std::uint64_t>(error));
  });
}

template <const char* (*text_of)(int)>
void error_text(Warp& warp, const Inst&, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const auto code = static_cast<std::int32_t>(intrinsic_argument(warp, site, 0, lane));
    set_intrinsic_result(warp, site, lane, warp.grid->memory.constant_text(text_of(code)));
  });
}

}  // namespace

Intrinsic find_query_intrinsic(const std::string& full_name) {
  static const std::unordered_map<std::string, Intrinsic> intrinsics{
      {"DeviceGetAttribute", intrinsic<device_attribute>},
      {"DeviceGetLimit", intrinsic<device_limit>},
      {"DeviceGetCacheConfig", intrinsic<cache_config>},
      {"DeviceGetSharedMemConfig", intrinsic<shared_config>},
      {"GetDevice", intrinsic<device>},
      {"GetDeviceCount", intrinsic<device_count>},
      {"RuntimeGetVersion", intrinsic<version>},
      {"FuncGetAttributes", intrinsic<function_attributes>},
      {"OccupancyMaxActiveBlocksPerMultiprocessor", intrinsic<max_active_blocks>},
      {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", intrinsic<max_active_blocks>},
      {"GetLastError", last_error<true>},
      {"PeekAtLastError", last_error<false>},
      {"GetErrorName", error_text<error_name>},
      {"GetErrorString", error_text<error_description>},
  };
  constexpr std::string_view prefix = "__cudaCDP2";
  if (!full_name.starts_with(prefix)) return nullptr;
  const auto found = intrinsics.find(full_name.substr(prefix.size()));
  return found == intrinsics.end() ? nullptr : found->second;
}

}  // namespace gridstride::sim
