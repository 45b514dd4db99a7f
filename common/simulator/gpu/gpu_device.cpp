// A real GPU: memory, streams, events, launches, each a call of the driver or two.
#include "common/simulator/gpu/gpu_device.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/gpu/room.h"

namespace gridstride::sim {
namespace {

constexpr std::uint64_t page = 4096;
/// Threads that copy what the judge shares.
constexpr unsigned most_copying = 4;
/// Launches that a report tells one by one.
constexpr std::size_t most_records = 1000;

[[noreturn]] void not_supported(const std::string& what) {
  throw DeviceError(error_not_supported, false, what + " is not supported when a GPU grades");
}

[[noreturn]] void invalid_handle(const std::string& what) {
  throw DeviceError(error_invalid_handle, false, "this " + what + " does not exist, or no longer");
}

Dim3 limits_of_grid() { return {.x = 0x7fffffff, .y = 65535, .z = 65535}; }
Dim3 limits_of_block() { return {.x = 1024, .y = 1024, .z = 64}; }

bool fits(const Dim3& dim, const Dim3& most) {
  return dim.x != 0 && dim.y != 0 && dim.z != 0 && dim.x <= most.x && dim.y <= most.y &&
         dim.z <= most.z;
}

}  // namespace

GpuDevice::GpuDevice(SharedBytes& shared, const CallClock::Transport& transport,
                     CallClock::Program program)
    : shared_(shared),
      program_(program),
      copies_(std::min(most_copying, std::thread::hardware_concurrency() / 4)) {
  // Loading a kernel at its first launch waits for the GPU, which may stand behind the clock's gate.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const auto need = [this](CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) throw NoGpu(std::string(what) + ": " + driver_.words(result));
  };
  need(driver_.cuInit(0), "the NVIDIA driver does not start");
  int count = 0;
  need(driver_.cuDeviceGetCount(&count), "the driver shows no GPU");
  if (count == 0) throw NoGpu("the driver shows no GPU");
  need(driver_.cuDeviceGet(&device_, 0), "the first GPU");
  // Waiting costs a core and no time.
  driver_.cuDevicePrimaryCtxSetFlags(device_, CU_CTX_SCHED_SPIN);
  CUcontext context = nullptr;
  need(driver_.cuDevicePrimaryCtxRetain(&context, device_), "the first GPU cannot be used");
  need(driver_.cuCtxSetCurrent(context), "the first GPU cannot be used");
  std::size_t bytes = 0;
  need(driver_.cuDeviceTotalMem(&bytes, device_), "the first GPU's memory");
  memory_ = std::make_unique<GpuMemory>(driver_, device_, bytes);
  clock_ =
      std::make_unique<CallClock>(driver_, transport, CallClock::Timestamps::of_hardware, program);
  staging_ = std::make_unique<Staging>(driver_);
  check(driver_.cuStreamCreate(&judges_, CU_STREAM_NON_BLOCKING), "a stream");
}

/// The process ends with its device; what lies there goes with the context.
GpuDevice::~GpuDevice() = default;

void GpuDevice::check(CUresult result, const std::string& what) {
  try {
    sim::check(driver_, result, what);
  } catch (const DeviceError& error) {
    if (error.sticky() && error_ == 0) {
      error_ = error.code();
      error_message_ = error.what();
    }
    throw;
  }
}

void GpuDevice::check_health() const {
  if (error_ != 0) throw DeviceError(error_, true, error_message_);
}

int GpuDevice::attribute(CUdevice_attribute which) {
  int value = 0;
  check(driver_.cuDeviceGetAttribute(&value, which, device_), "an attribute of the GPU");
  return value;
}

DeviceProperties GpuDevice::properties() {
  const auto number = [this](CUdevice_attribute which) {
    return static_cast<std::uint32_t>(attribute(which));
  };
  DeviceProperties out;
  std::array<char, 256> name{};
  check(driver_.cuDeviceGetName(name.data(), name.size(), device_), "the GPU's name");
  out.name = name.data();
  out.capability = number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                   number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  out.multiprocessors = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  std::size_t bytes = 0;
  check(driver_.cuDeviceTotalMem(&bytes, device_), "the GPU's memory");
  out.global_memory = bytes;
  out.l2_bytes = number(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  out.shared_per_block = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  out.shared_per_block_optin = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  out.shared_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  out.registers_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  constexpr std::uint32_t warp = 32;
  out.warps_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / warp;
  out.blocks_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  out.clock_khz = number(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  out.memory_clock_khz = number(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  out.memory_bus_bits = number(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  out.first_address = memory_->first_address();
  out.hardware = true;
  out.elsewhere = program_ == CallClock::Program::elsewhere;
  check(driver_.cuDriverGetVersion(&out.driver_version), "the driver's version");
  std::array<char, 32> place{};
  check(driver_.cuDeviceGetPCIBusId(place.data(), place.size(), device_), "where the GPU is");
  out.pci_bus_id = place.data();
  return out;
}

ModuleInfo GpuDevice::load_module(const std::vector<std::vector<std::byte>>& containers,
                                  const std::vector<std::string>& variables) {
  check_health();
  clock_->open();
  return modules_.load(containers, variables);
}

void GpuDevice::require_memory(std::uint64_t bytes, std::uint64_t alignment) const {
  if (!memory_->must_map(bytes, alignment)) return;
  const std::uint64_t mapped = memory_->mapped(), most = most_memory + most_of_calls_;
  if (mapped <= most && bytes <= most - mapped) return;
  throw DeviceError(error_memory_allocation, false,
                    fmt::format("{} bytes do not fit: a stage may have {} bytes of the GPU besides "
                                "its arguments, and has {}",
                                bytes, most_memory, mapped - std::min(mapped, most_of_calls_)));
}

DeviceAddress GpuDevice::allocate(std::uint64_t bytes) {
  check_health();
  if (memory_->must_map(bytes)) {
    clock_->open();
    free_released();
  }
  require_memory(bytes, 1);
  return memory_->allocate(bytes);
}

DeviceAddress GpuDevice::allocate_shared(std::uint64_t bytes, SharedMemory) {
  check_health();
  clock_->open();
  const std::uint64_t pages = (std::min(bytes, ~std::uint64_t{0} - page) + page - 1) / page * page;
  require_memory(pages, page);
  return memory_->allocate(pages, page);
}

void GpuDevice::release(DeviceAddress address) {
  release_async(address);
  wait_for({});
}

void GpuDevice::release_async(DeviceAddress address) {
  check_health();
  const bool allocated = memory_->begins(address) &&
                         std::ranges::find(released_, address) == released_.end() &&
                         address != flushed_ && !regions_.begins_at(address);
  if (!allocated) {
    throw DeviceError(error_invalid_value, false, "this is not the start of an allocation");
  }
  released_.push_back(address);
}

/// The GPU is idle afterwards.
void GpuDevice::free_released() {
  if (released_.empty()) return;
  wait_for({});
}

std::pair<std::uint64_t, std::uint64_t> GpuDevice::memory() {
  check_health();
  std::size_t free = 0, total = 0;
  check(driver_.cuMemGetInfo(&free, &total), "the GPU's memory");
  const std::uint64_t mapped = memory_->mapped(), most = most_memory + most_of_calls_;
  return {std::min<std::uint64_t>(free, most - std::min(mapped, most)), total};
}

bool GpuDevice::is_device_address(DeviceAddress address) {
  return memory_->holds(address) || modules_.holds(address);
}

CUstream GpuDevice::stream(StreamId id) const {
  if (id == 0) return CU_STREAM_LEGACY;
  const auto found = streams_.find(id);
  if (found == streams_.end()) invalid_handle("stream");
  return found->second;
}

CUevent GpuDevice::event(EventId id) const {
  const auto found = events_.find(id);
  if (found == events_.end()) invalid_handle("event");
  return found->second;
}

QueuedOperation GpuDevice::queued_on(StreamId id) {
  check_health();
  return {*clock_, stream(id)};
}

void GpuDevice::wait_for(std::optional<StreamId> id) {
  clock_->wait();
  if (id) {
    check(driver_.cuStreamSynchronize(stream(*id)), "waiting for a stream");
  } else {
    check(driver_.cuCtxSynchronize(), "waiting for the GPU");
    for (const DeviceAddress address : std::exchange(released_, {})) memory_->release(address);
    staging_->give_back();
  }
  clock_->answer();
}

void GpuDevice::write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) {
  const QueuedOperation on = queued_on(stream);
  activity_.host_to_device_bytes += from.size();
  if (from.empty()) return;
  const auto staged = staging_->take(from.size());
  if (!staged.empty()) {
    std::ranges::copy(from, staged.begin());
    check(driver_.cuMemcpyHtoDAsync(to, staged.data(), staged.size(), on), "a copy to the GPU");
    return;
  }
  // The driver waits until it has taken the bytes.
  clock_->open();
  check(driver_.cuMemcpyHtoDAsync(to, from.data(), from.size(), on), "a copy to the GPU");
}

void GpuDevice::read(std::span<std::byte> to, DeviceAddress from, StreamId stream) {
  const QueuedOperation on = queued_on(stream);
  count_to_host(to.size());
  if (to.empty()) return;
  const auto staged = staging_->take(to.size());
  if (!staged.empty()) {
    check(driver_.cuMemcpyDtoHAsync(staged.data(), from, staged.size(), on), "a copy from the GPU");
    clock_->wait();
    check(driver_.cuStreamSynchronize(on), "a copy from the GPU");
    std::ranges::copy(staged, to.begin());
  } else {
    clock_->open();
    check(driver_.cuMemcpyDtoHAsync(to.data(), from, to.size(), on), "a copy from the GPU");
    clock_->wait();
    check(driver_.cuStreamSynchronize(on), "a copy from the GPU");
  }
  clock_->answer();
}

void GpuDevice::copy(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, StreamId stream) {
  const QueuedOperation on = queued_on(stream);
  activity_.device_to_device_bytes += bytes;
  check(driver_.cuMemcpyDtoDAsync(to, from, bytes, on), "a copy on the GPU");
}

void GpuDevice::fill(DeviceAddress to, std::uint32_t value, std::uint32_t width,
                     std::uint64_t count, StreamId stream) {
  const QueuedOperation on = queued_on(stream);
  const char* what = "filling memory of the GPU";
  if (width == 1) {
    check(driver_.cuMemsetD8Async(to, static_cast<unsigned char>(value), count, on), what);
  } else if (width == 2) {
    check(driver_.cuMemsetD16Async(to, static_cast<unsigned short>(value), count, on), what);
  } else if (width == 4) {
    check(driver_.cuMemsetD32Async(to, value, count, on), what);
  } else {
    throw DeviceError(error_invalid_value, false, "elements have 1, 2 or 4 bytes");
  }
}

void GpuDevice::check_launch(const LaunchRequest& request) {
  check_health();
  const GpuKernel& kernel = modules_.kernel(request.kernel);
  stream(request.stream);
  if (request.arguments.size() < kernel.argument_bytes) {
    throw DeviceError(error_invalid_value, false, "fewer arguments than the kernel has");
  }
  if (!fits(request.grid, limits_of_grid()) || !fits(request.block, limits_of_block())) {
    throw DeviceError(error_invalid_value, false,
                      "a grid or a block of no threads, or of more than the GPU takes");
  }
  // The driver keeps local memory for all threads that fit on the GPU, whatever the grid.
  if (threads_ == 0) {
    threads_ =
        static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) *
        static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
  }
  require_share(modules_.local_bytes() * threads_, "local memory");
}

void GpuDevice::launch(const LaunchRequest& request) {
  check_launch(request);
  const GpuKernel& kernel = modules_.kernel(request.kernel);
  std::vector<std::byte> arguments = request.arguments;
  std::vector<void*> parameters;
  for (const ParameterLayout& parameter : kernel.parameters) {
    parameters.push_back(arguments.data() + parameter.offset);
  }
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig configuration{};
  configuration.gridDimX = request.grid.x;
  configuration.gridDimY = request.grid.y;
  configuration.gridDimZ = request.grid.z;
  configuration.blockDimX = request.block.x;
  configuration.blockDimY = request.block.y;
  configuration.blockDimZ = request.block.z;
  configuration.sharedMemBytes =
      static_cast<unsigned>(std::min<std::uint64_t>(request.dynamic_shared, 0x7fffffff));
  const QueuedOperation on = queued_on(request.stream);
  configuration.hStream = on;
  configuration.attrs = &cooperative;
  configuration.numAttrs = request.cooperative ? 1 : 0;
  check(driver_.cuLaunchKernelEx(&configuration, kernel.function, parameters.data(), nullptr),
        "launching " + kernel.name);
  auto& records = activity_.launches;
  if (records.size() >= most_records) {
    ++records.back().launches;
    return;
  }
  LaunchRecord record;
  record.kernel = kernel.name;
  record.grid = request.grid;
  record.block = request.block;
  record.shared_bytes = request.dynamic_shared;
  records.push_back(std::move(record));
}

std::uint32_t GpuDevice::resident_blocks(KernelId kernel, std::uint32_t block_threads,
                                         std::uint64_t dynamic_shared) {
  check_health();
  int blocks = 0;
  check(driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, modules_.kernel(kernel).function, static_cast<int>(block_threads),
            dynamic_shared),
        "the occupancy of a kernel");
  return static_cast<std::uint32_t>(blocks);
}

void GpuDevice::allow_dynamic_shared(KernelId kernel, std::uint64_t bytes) {
  check_health();
  check(driver_.cuFuncSetAttribute(modules_.kernel(kernel).function,
                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(std::min<std::uint64_t>(bytes, 0x7fffffff))),
        "the shared memory of a kernel");
}

DeviceAddress GpuDevice::create_condition() { not_supported("a graph's condition"); }
std::uint32_t GpuDevice::condition(DeviceAddress, StreamId) {
  not_supported("a graph's condition");
}
void GpuDevice::set_condition(DeviceAddress, std::uint32_t) {
  not_supported("a graph's condition");
}

void GpuDevice::set_limit(DeviceLimit limit, std::uint64_t value) {
  check_health();
  wait_for({});
  const char* what = "a limit of the GPU";
  switch (limit) {
    case DeviceLimit::heap_bytes:
      require_share(value, "heap");
      return check(driver_.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, value), what);
    case DeviceLimit::pending_launches:
      require_room(value, most_pending_launches, "launches by kernels");
      return check(driver_.cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, value), what);
    case DeviceLimit::printed_bytes:
      if (value > PrintedText::most_bytes) {
        throw DeviceError(error_memory_allocation, false, "too much room for what is printed");
      }
      return check(driver_.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, value), what);
  }
  throw DeviceError(error_invalid_value, false, "this limit does not exist");
}

StreamId GpuDevice::create_stream(bool non_blocking) {
  check_health();
  require_room(streams_.size(), most_handles, "streams");
  CUstream made = nullptr;
  check(driver_.cuStreamCreate(&made, non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT),
        "a stream");
  streams_[next_id_] = made;
  return next_id_++;
}

void GpuDevice::destroy_stream(StreamId id) {
  check_health();
  if (id == 0) invalid_handle("stream");  // the default stream has no end
  CUstream ending = stream(id);
  clock_->forget(ending);
  streams_.erase(id);
  check(driver_.cuStreamDestroy(ending), "a stream that is destroyed");
}

EventId GpuDevice::create_event() {
  check_health();
  require_room(events_.size(), most_handles, "events");
  CUevent made = nullptr;
  check(driver_.cuEventCreate(&made, CU_EVENT_DEFAULT), "an event");
  events_[next_id_] = made;
  return next_id_++;
}

void GpuDevice::destroy_event(EventId id) {
  check_health();
  check(driver_.cuEventDestroy(event(id)), "an event that is destroyed");
  events_.erase(id);
}

void GpuDevice::record(EventId id, StreamId on) {
  const QueuedOperation recorded = queued_on(on);
  check(driver_.cuEventRecord(event(id), recorded), "recording an event");
}

void GpuDevice::wait(StreamId on, EventId id) {
  const QueuedOperation waiting = queued_on(on);
  check(driver_.cuStreamWaitEvent(waiting, event(id), 0), "waiting for an event");
}

double GpuDevice::elapsed(EventId from, EventId to) {
  check_health();
  float milliseconds = 0;
  check(driver_.cuEventElapsedTime(&milliseconds, event(from), event(to)), "the time of events");
  return milliseconds * 1e-3;
}

std::string GpuDevice::printed() {
  std::string text = printed_.take();
  count_to_host(text.size());
  activity_.printed.add(text);
  return text;
}

std::string GpuDevice::synchronize(std::optional<StreamId> stream) {
  check_health();
  wait_for(stream);
  return printed();
}

std::string GpuDevice::take_printed() { return printed(); }

}  // namespace gridstride::sim
