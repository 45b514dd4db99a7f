// Device runtime: launches, copies, fills, streams and events of a kernel. See device_runtime.h.
//
// Which error comes when was tried out on an H200 with CUDA 13.0, driver 580: a shape that cannot
// be is cudaErrorInvalidConfiguration here (the host gets cudaErrorInvalidValue), an unknown stream
// cudaErrorInvalidValue, an event with timing too. Nothing limits how deep launches nest. Of
// launches that cannot start yet cudaLimitDevRuntimePendingLaunchCount may wait; only those into
// the tail stream are sure to wait, others (6000 from one thread) are started as quickly as they
// come. A stream and an event that one block has made another one may use.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/device_runtime/intrinsic_arguments.h"
#include "common/simulator/device_runtime/intrinsics.h"
#include "common/simulator/exec/device_runtime.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/call_site.h"

namespace gridstride::sim {
namespace {

constexpr std::uint64_t copy_device_to_device = 3, copy_default = 4;
constexpr std::uint64_t disable_timing = 2;  // cudaEventDisableTiming

/// One lane's call.
struct Call {
  Warp& warp;
  const Inst& inst;
  const CallSite& site;
  std::uint32_t lane;

  DeviceRuntime& runtime() const { return warp.grid->device_runtime(); }
  std::uint64_t block() const { return warp.block->linear; }
  std::uint64_t thread() const { return warp.block->linear * 1024 + warp.index * warp_size + lane; }
  std::uint64_t argument(std::size_t index) const {
    return intrinsic_argument(warp, site, index, lane);
  }
  template <class T>
  T structure(std::size_t index) const {
    T value{};
    const auto bytes = intrinsic_argument_bytes(warp, site, index, lane);
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
  }
  Dim3 dim3(std::size_t index) const {
    const auto v = structure<std::array<std::uint32_t, 3>>(index);
    return {v[0], v[1], v[2]};
  }
  DeviceWork work(DeviceWork::Kind kind, std::uint64_t stream) const {
    DeviceWork work;
    work.kind = kind;
    work.stream = stream;
    work.block = block();
    work.turn = runtime().next_turn(thread());
    if (warp.block->timed) {
      work.cycle = warp.times.next + warp.grid->request.latencies.device_launch;
    }
    const Dim3& shape = warp.grid->request.block;
    const std::uint32_t at = warp.index * warp_size + lane;
    work.by_thread = {at % shape.x, at / shape.x % shape.y, at / shape.x / shape.y};
    work.by_block = warp.block->index;
    work.line = warp.grid->names.line_of(inst.source).line;
    work.instruction = inst.source;
    if (warp.grid->global_races) work.known = warp.block->order.launch(warp.index, lane, warp.live);
    return work;
  }
};

/// A launch keeps its thread busy, and the lanes of a warp launch one after the other.
void take_time(Warp& warp, LaneMask mask) {
  if (!warp.block->timed) return;
  const LatencyTable& latencies = warp.grid->request.latencies;
  warp.times.fence(warp.times.next + latencies.device_launch +
                   latencies.device_launch_lane * (std::popcount(mask) - 1));
}

/// Answers each lane with `answer(call)`, an error that is remembered for the thread.
template <int (*answer)(const Call&)>
void intrinsic(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const Call call{warp, inst, site, lane};
    const int error = call.runtime().fail(call.thread(), answer(call));
    set_intrinsic_result(warp, site, lane, static_cast<std::uint64_t>(error));
  });
}

template <int (*answer)(const Call&)>
void launch_intrinsic(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  intrinsic<answer>(warp, inst, site, mask);
  take_time(warp, mask);
}

int launch(const Call& call, DeviceAddress at, const DeviceRuntime::Buffer& buffer,
           std::uint64_t stream) {
  DeviceRuntime& runtime = call.runtime();
  GridRun& grid = *call.warp.grid;
  if (!runtime.has_stream(stream)) return error_invalid_value;
  DeviceRuntimeHost& host = grid.device_host();
  const int error =
      host.check_launch(buffer.kernel, buffer.grid, buffer.block, buffer.dynamic_shared);
  if (error != no_error) return error;
  const KernelInfo info = host.kernel_info(buffer.kernel);
  if (info.argument_bytes > buffer.bytes) return error_invalid_value;
  if (!runtime.admit(stream, info.argument_bytes, host.pending_launches())) {
    return error_pending_count_exceeded;
  }
  DeviceWork work = call.work(DeviceWork::Kind::launch, stream);
  work.kernel = buffer.kernel;
  work.grid = buffer.grid;
  work.shape = buffer.block;
  work.dynamic_shared = buffer.dynamic_shared;
  const std::byte* bytes = grid.memory.host(at);
  work.arguments.assign(bytes, bytes + info.argument_bytes);
  runtime.work.push_back(std::move(work));
  return no_error;
}

/// A place for the parameters of a launch, which another thread may have had before; 0 when memory
/// is full.
DeviceAddress take_buffer(GridRun& grid, std::uint64_t bytes) {
  const DeviceAddress address = grid.device_runtime().take_buffer(bytes);
  if (address != 0 && grid.global_races) grid.global_races->handed_over(address, bytes);
  return address;
}
/// The parameters of a launch have been read; another thread, or another grid, may have their place.
void give_back(const Call& call, DeviceAddress at, std::uint64_t bytes) {
  GridRun& grid = *call.warp.grid;
  if (grid.global_races) grid.global_races->handed_over(at, bytes);
  grid.device_runtime().give_back(at);
}

/// Everything but the kernel's own arguments comes with the buffer.
void get_parameter_buffer_v2(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const Call call{warp, inst, site, lane};
    DeviceRuntime& runtime = call.runtime();
    const auto kernel = warp.grid->program.kernel_at(call.argument(0));
    DeviceAddress address = 0;
    if (!kernel) {
      runtime.fail(call.thread(), error_invalid_device_function);
    } else {
      const KernelInfo info = warp.grid->device_host().kernel_info(*kernel);
      address = take_buffer(*warp.grid, info.argument_bytes);
      if (address == 0) runtime.fail(call.thread(), error_memory_allocation);
    }
    if (DeviceRuntime::Buffer* buffer = runtime.buffer(address)) {
      buffer->kernel = *kernel;
      buffer->grid = call.dim3(1);
      buffer->block = call.dim3(2);
      buffer->dynamic_shared = call.argument(3);
    }
    set_intrinsic_result(warp, site, lane, address);
  });
}

int launch_device_v2(const Call& call) {
  const DeviceAddress at = call.argument(0);
  DeviceRuntime::Buffer* buffer = call.runtime().buffer(at);
  if (!buffer) return error_invalid_value;
  const int error = launch(call, at, *buffer, call.argument(1));
  give_back(call, at, buffer->bytes);
  return error;
}

void get_parameter_buffer(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const Call call{warp, inst, site, lane};
    constexpr std::uint64_t largest = 32764;  // of a kernel's parameters
    const std::uint64_t bytes = call.argument(1);
    const DeviceAddress address = bytes > largest ? 0 : take_buffer(*warp.grid, bytes);
    if (address == 0) call.runtime().fail(call.thread(), error_memory_allocation);
    set_intrinsic_result(warp, site, lane, address);
  });
}

int launch_device(const Call& call) {
  const DeviceAddress at = call.argument(1);
  DeviceRuntime::Buffer* buffer = call.runtime().buffer(at);
  if (!buffer) return error_invalid_value;
  const auto kernel = call.warp.grid->program.kernel_at(call.argument(0));
  if (!kernel) return error_invalid_device_function;
  buffer->kernel = *kernel;
  buffer->grid = call.dim3(2);
  buffer->block = call.dim3(3);
  buffer->dynamic_shared = call.argument(4);
  const int error = launch(call, at, *buffer, call.argument(5));
  give_back(call, at, buffer->bytes);
  return error;
}

/// Notes a copy or fill; ends the grid when a row of it lies outside device memory.
int transfer(const Call& call, DeviceWork work) {
  if (!call.runtime().has_stream(work.stream)) return error_invalid_value;
  if (work.width == 0 || work.height == 0 || work.depth == 0) return no_error;
  const bool copies = work.kind == DeviceWork::Kind::copy;
  const bool bad_pitch = (work.height > 1 || work.depth > 1) &&
                         (work.to_pitch < work.width || (copies && work.from_pitch < work.width));
  if (bad_pitch) return error_invalid_pitch;
  GridRun& grid = *call.warp.grid;
  constexpr std::uint64_t most_rows = std::uint64_t{1} << 24;  // so that products stay small
  if (work.height > most_rows || work.depth > most_rows ||
      !call.runtime().admit_rows(work.height * work.depth)) {
    return error_pending_count_exceeded;
  }
  const auto check = [&](DeviceAddress base, std::uint64_t pitch, std::uint64_t slice,
                         Access access) {
    for (std::uint64_t z = 0; z < work.depth; ++z) {
      for (std::uint64_t y = 0; y < work.height; ++y) {
        const DeviceAddress at = base + z * slice + y * pitch;
        if (grid.memory.contains(at, work.width)) continue;
        const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(work.width, ~0u));
        grid.findings.bad_global(thread_of(call.warp, call.lane), call.inst.source, at, bytes,
                                 access);
      }
    }
  };
  check(work.to, work.to_pitch, work.to_slice, Access::store);
  if (copies) check(work.from, work.from_pitch, work.from_slice, Access::load);
  call.runtime().work.push_back(std::move(work));
  return no_error;
}

bool within_device(std::uint64_t kind) {
  return kind == copy_device_to_device || kind == copy_default;
}

int copy_1d(const Call& call) {
  if (!within_device(call.argument(3))) return error_invalid_direction;
  DeviceWork work = call.work(DeviceWork::Kind::copy, call.argument(4));
  work.to = call.argument(0);
  work.from = call.argument(1);
  work.width = call.argument(2);
  return transfer(call, std::move(work));
}

int copy_2d(const Call& call) {
  if (!within_device(call.argument(6))) return error_invalid_direction;
  DeviceWork work = call.work(DeviceWork::Kind::copy, call.argument(7));
  work.to = call.argument(0);
  work.to_pitch = call.argument(1);
  work.from = call.argument(2);
  work.from_pitch = call.argument(3);
  work.width = call.argument(4);
  work.height = call.argument(5);
  return transfer(call, std::move(work));
}

/// cudaPitchedPtr and cudaExtent.
struct Pitched {
  std::uint64_t pointer = 0, pitch = 0, width = 0, height = 0;
};
struct Extent {
  std::uint64_t width = 0, height = 0, depth = 0;
};
/// cudaMemcpy3DParms.
struct Copy3d {
  std::uint64_t from_array = 0;
  Extent from_position;
  Pitched from;
  std::uint64_t to_array = 0;
  Extent to_position;
  Pitched to;
  Extent extent;
  std::uint32_t kind = 0, padding = 0;
};
static_assert(sizeof(Copy3d) == 160);

int copy_3d(const Call& call) {
  GridRun& grid = *call.warp.grid;
  const std::uint64_t at = call.argument(0);
  const std::byte* bytes = resolve_generic(call.warp, call.lane, at, sizeof(Copy3d));
  if (!bytes)
    grid.findings.bad_global(thread_of(call.warp, call.lane), call.inst.source, at, sizeof(Copy3d),
                             Access::load);
  Copy3d what;
  std::memcpy(&what, bytes, sizeof what);
  if (what.from_array != 0 || what.to_array != 0) {
    throw Unsupported("cudaMemcpy3DAsync with a cudaArray", grid.kernel.name);
  }
  if (!within_device(what.kind)) return error_invalid_direction;
  DeviceWork work = call.work(DeviceWork::Kind::copy, call.argument(1));
  const auto start = [](const Pitched& area, const Extent& position) {
    return area.pointer + (position.depth * area.height + position.height) * area.pitch +
           position.width;
  };
  work.to = start(what.to, what.to_position);
  work.to_pitch = what.to.pitch;
  work.to_slice = what.to.pitch * what.to.height;
  work.from = start(what.from, what.from_position);
  work.from_pitch = what.from.pitch;
  work.from_slice = what.from.pitch * what.from.height;
  work.width = what.extent.width;
  work.height = what.extent.height;
  work.depth = what.extent.depth;
  return transfer(call, std::move(work));
}

int fill_1d(const Call& call) {
  DeviceWork work = call.work(DeviceWork::Kind::fill, call.argument(3));
  work.to = call.argument(0);
  work.value = static_cast<std::uint8_t>(call.argument(1));
  work.width = call.argument(2);
  return transfer(call, std::move(work));
}

int fill_2d(const Call& call) {
  DeviceWork work = call.work(DeviceWork::Kind::fill, call.argument(5));
  work.to = call.argument(0);
  work.to_pitch = call.argument(1);
  work.value = static_cast<std::uint8_t>(call.argument(2));
  work.width = call.argument(3);
  work.height = call.argument(4);
  return transfer(call, std::move(work));
}

int fill_3d(const Call& call) {
  DeviceWork work = call.work(DeviceWork::Kind::fill, call.argument(3));
  const auto area = call.structure<Pitched>(0);
  const auto extent = call.structure<Extent>(2);
  work.to = area.pointer;
  work.to_pitch = area.pitch;
  work.to_slice = area.pitch * area.height;
  work.value = static_cast<std::uint8_t>(call.argument(1));
  work.width = extent.width;
  work.height = extent.height;
  work.depth = extent.depth;
  return transfer(call, std::move(work));
}

int create_stream(const Call& call) {
  const std::uint64_t stream = call.runtime().make_stream();
  store_at(call.warp, call.inst, call.lane, call.argument(0), stream);
  return no_error;
}

int destroy_stream(const Call& call) {
  return call.runtime().destroy_stream(call.argument(0)) ? no_error : error_invalid_value;
}

int create_event(const Call& call) {
  if (call.argument(1) != disable_timing) return error_invalid_value;
  const std::uint64_t event = call.runtime().make_event();
  store_at(call.warp, call.inst, call.lane, call.argument(0), event);
  return no_error;
}

int destroy_event(const Call& call) {
  return call.runtime().destroy_event(call.argument(0)) ? no_error : error_invalid_value;
}

int note_event(const Call& call, DeviceWork::Kind kind, std::uint64_t event, std::uint64_t stream) {
  DeviceRuntime& runtime = call.runtime();
  if (!runtime.has_event(event) || !runtime.has_stream(stream) || stream == tail_stream ||
      stream == fire_and_forget_stream) {
    return error_invalid_value;
  }
  DeviceWork work = call.work(kind, stream);
  work.event = event;
  runtime.work.push_back(std::move(work));
  return no_error;
}

int record_event(const Call& call) {
  return note_event(call, DeviceWork::Kind::record, call.argument(0), call.argument(1));
}

int wait_event(const Call& call) {
  return note_event(call, DeviceWork::Kind::wait, call.argument(1), call.argument(0));
}

int heap_malloc(const Call& call) {
  const DeviceAddress address = call.warp.grid->allocate_on_heap(call.argument(1));
  store_at(call.warp, call.inst, call.lane, call.argument(0), address);
  return address == 0 && call.argument(1) != 0 ? error_memory_allocation : no_error;
}

int heap_free(const Call& call) {
  const DeviceAddress address = call.argument(0);
  const bool known = address == 0 || release_on_heap(call.warp, call.inst, call.lane, address);
  call.warp.grid->window.forget();
  return known ? no_error : error_invalid_value;
}

}  // namespace

bool is_of_device_runtime(const std::string& name) { return name.starts_with("__cudaCDP2"); }

Intrinsic find_launch_intrinsic(const std::string& full_name) {
  static const std::unordered_map<std::string, Intrinsic> intrinsics{
      {"GetParameterBuffer", get_parameter_buffer},
      {"GetParameterBufferV2", get_parameter_buffer_v2},
      {"LaunchDevice", launch_intrinsic<launch_device>},
      {"LaunchDeviceV2", launch_intrinsic<launch_device_v2>},
      {"MemcpyAsync", intrinsic<copy_1d>},
      {"Memcpy2DAsync", intrinsic<copy_2d>},
      {"Memcpy3DAsync", intrinsic<copy_3d>},
      {"MemsetAsync", intrinsic<fill_1d>},
      {"Memset2DAsync", intrinsic<fill_2d>},
      {"Memset3DAsync", intrinsic<fill_3d>},
      {"StreamCreateWithFlags", intrinsic<create_stream>},
      {"StreamDestroy", intrinsic<destroy_stream>},
      {"StreamWaitEvent", intrinsic<wait_event>},
      {"EventCreateWithFlags", intrinsic<create_event>},
      {"EventDestroy", intrinsic<destroy_event>},
      {"EventRecord", intrinsic<record_event>},
      {"EventRecordWithFlags", intrinsic<record_event>},
      {"Malloc", intrinsic<heap_malloc>},
      {"Free", intrinsic<heap_free>},
  };
  constexpr std::string_view prefix = "__cudaCDP2", per_thread = "_ptsz";
  if (!full_name.starts_with(prefix)) return nullptr;
  std::string name = full_name.substr(prefix.size());
  // In a kernel the default stream of a thread is that of its block.
  if (name.ends_with(per_thread)) name.resize(name.size() - per_thread.size());
  const auto found = intrinsics.find(name);
  return found == intrinsics.end() ? nullptr : found->second;
}

}  // namespace gridstride::sim
