// Creates the device, keeps errors, and says on stderr what a program should know.
#include "common/simulator/runtime/runtime.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "common/host_memory.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/remote_device.h"
#include "common/simulator/device/trace_file.h"
#include "common/simulator/runtime/call_site.h"
#include "common/simulator/runtime/long_wait.h"
#include "common/simulator/runtime/memory/host_range.h"
#include "common/simulator/runtime/page_faults.h"
#include "common/unique_fd.h"

namespace gridstride::sim {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
thread_local bool default_stream_per_thread = false;

/// So much and no more: a program in a loop must not drown its own output.
constexpr std::size_t most_said = 100;

// Handles are small numbers out of reach of the special ones (0, cudaStreamLegacy,
// cudaStreamPerThread) and of any real pointer.
constexpr std::uintptr_t first_handle = 0x100;

/// The whole of `text` as a Number. Throws what the user is told: `variable` is not `what`.
template <class Number>
Number value_in(const char* variable, const char* text, const char* what) {
  Number value = 0;
  const char* end = text + std::char_traits<char>::length(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error == std::errc() && rest == end && std::isfinite(value) && value >= 0) return value;
  throw std::runtime_error(std::string(variable) + " is not " + what + ": " + text);
}

std::uint64_t number_in(const char* variable, const char* text) {
  return value_in<std::uint64_t>(variable, text, "a number");
}

constexpr const char* time_limit_variable = "GRIDSTRIDE_SIM_TIME_LIMIT";
constexpr const char* memory_variable = "GRIDSTRIDE_SIM_MEMORY";
constexpr std::uint64_t memory_unit = std::uint64_t{1} << 30, least_memory = std::uint64_t{1} << 20,
                        most_memory = std::uint64_t{1} << 40;
/// Seconds of modelled time. A launch of a teaching program takes milliseconds; one that does not
/// end is told so after seconds, where few warps run, or a few minutes.
constexpr double default_time_limit = 0.25;

/// Bytes of the device's memory: what is asked for, or half of what the host has and at least the
/// profile's. Pages of it are taken when they are touched.
std::uint64_t device_memory(const DeviceProfile& profile) {
  const char* wanted = std::getenv(memory_variable);
  if (wanted == nullptr)
    return std::max(profile.properties.global_memory,
                    host_memory() / 2 / memory_unit * memory_unit);
  const std::uint64_t bytes = value_in<std::uint64_t>(memory_variable, wanted, "a number of bytes");
  if (bytes >= least_memory && bytes <= most_memory) return bytes;
  throw std::runtime_error(std::string(memory_variable) +
                           " is not between 1 MiB and 1 TiB: " + wanted);
}

}  // namespace

Runtime& Runtime::instance() {
  static Runtime& runtime = *new Runtime;
  return runtime;
}

void Runtime::lose_device() {
  lost_ = true;
  sticky_ = cudaErrorDevicesUnavailable;
}

Device& Runtime::device() {
  if (lost_) {
    throw DeviceError(error_devices_unavailable, true,
                      "after an error that sticks, a reset does not bring the device back");
  }
  if (!device_) {
    create_device();
    handle_page_faults();
  }
  return *device_;
}

void Runtime::create_device() {
  try {
    if (const char* socket = std::getenv("GRIDSTRIDE_SIM_SOCKET")) {
      const auto fd = static_cast<int>(number_in("GRIDSTRIDE_SIM_SOCKET", socket));
      device_ = std::make_unique<RemoteDevice>(UniqueFd(fd), calling_function);
      first_device_address = device_->properties().first_address;
      return;
    }
    LocalDeviceOptions options;
    if (const char* profile = std::getenv("GRIDSTRIDE_SIM_PROFILE")) {
      options.profile = profile_named(profile);
    }
    options.profile.properties.global_memory = device_memory(options.profile);
    if (const char* seed = std::getenv("GRIDSTRIDE_SIM_SCHEDULE")) {
      options.schedule_seed = number_in("GRIDSTRIDE_SIM_SCHEDULE", seed);
    }
    options.time_limit = default_time_limit;
    if (const char* limit = std::getenv(time_limit_variable)) {
      options.time_limit = value_in<double>(time_limit_variable, limit, "a number of seconds");
    }
    options.limit_advice =
        std::string(time_limit_variable) +
        "=SECONDS, or lab sim --time-limit SECONDS, sets another limit; 0: none.";
    if (const char* checks = std::getenv("GRIDSTRIDE_SIM_CHECK")) {
      options.checks = checks_named(checks);
    }
    if (const char* trace = std::getenv("GRIDSTRIDE_SIM_TRACE")) {
      trace_file_ = std::make_shared<TraceFile>(trace);
      options.trace = trace_file_.get();
    }
    options.call_site = calling_site;
    if (LongWait* wait = long_wait()) {
      options.on_start = [wait](const std::string& kernel) { wait->begins(kernel); };
    }
    options.on_launch = [this](const LaunchRecord& record) {
      for (const Finding& finding : record.findings) show(finding);
    };
    options.on_late_finding = [this](const Finding& finding) { show(finding); };
    options.on_note = [](const std::string& text) {
      std::fprintf(stderr, "gridstride: note: %s\n", text.c_str());
    };
    profile_ = options.profile;
    device_ = std::make_unique<LocalDevice>(std::move(options));
    in_process_ = true;
  } catch (const DeviceError&) {
    throw;
  } catch (const std::exception& error) {
    throw DeviceError(cudaErrorInitializationError, true, error.what());
  }
}

void Runtime::show(const Finding& finding) {
  const std::string title = title_of(finding);
  if (said_.size() >= most_said || !said_.insert(title).second) return;
  said_.insert(finding.message);  // the call that reports it has nothing to add
  std::fprintf(stderr, "gridstride: %s: %s\n", title.c_str(), finding.message.c_str());
}

void Runtime::explain(const char* call, const char* reason) {
  if (said_.size() >= most_said || !said_.insert(reason).second) return;
  std::fprintf(stderr, "gridstride: %s: %s\n", call, reason);
}

void Runtime::refuse_call(const std::string& name) {
  const std::string text = name + " is not supported by the simulated GPU";
  if (!said_.insert(text).second) return;
  refusals_.push_back(text);
  std::fprintf(stderr, "gridstride: %s\n", text.c_str());
}

void Runtime::fail(int code, bool sticky) {
  last_error = static_cast<cudaError_t>(code);
  if (sticky) sticky_ = last_error;
}

cudaError_t Runtime::take_error() {
  if (sticky_ != cudaSuccess) return sticky_;
  return std::exchange(last_error, cudaSuccess);
}

cudaError_t Runtime::peek_error() const { return sticky_ != cudaSuccess ? sticky_ : last_error; }

StreamId Runtime::stream(cudaStream_t handle) {
  if (handle == nullptr && default_stream_per_thread) handle = cudaStreamPerThread;
  if (handle == nullptr || handle == cudaStreamLegacy) return 0;
  if (handle == cudaStreamPerThread) {
    thread_local StreamId own = 0;
    if (!streams.contains(own)) {  // also after a reset
      own = device().create_stream(false);
      streams[own] = {};
    }
    return own;
  }
  const StreamId id = reinterpret_cast<std::uintptr_t>(handle) - first_handle;
  if (!streams.contains(id)) {
    throw DeviceError(error_invalid_handle, false, "this stream does not exist, or no longer");
  }
  return id;
}

cudaStream_t Runtime::handle_of_stream(StreamId id) {
  return reinterpret_cast<cudaStream_t>(id + first_handle);
}

EventId Runtime::event(cudaEvent_t handle) const {
  const EventId id = reinterpret_cast<std::uintptr_t>(handle) - first_handle;
  if (!events.contains(id)) {
    throw DeviceError(error_invalid_handle, false, "this event does not exist, or no longer");
  }
  return id;
}

cudaEvent_t Runtime::handle_of_event(EventId id) {
  return reinterpret_cast<cudaEvent_t>(id + first_handle);
}

bool Runtime::in_device_range(const void* pointer) {
  return is_in_device_range(address_of(pointer)) || instance().modules_.holds(address_of(pointer));
}

bool Runtime::is_device_pointer(const void* pointer) {
  return in_device_range(pointer) && instance().pinned.find(pointer) == nullptr;
}

void Runtime::launch(const LaunchRequest& request) {
  Device& gpu = device();
  managed.give_to_device(gpu, request.stream);
  pinned.give_to_device(gpu, request.stream, request.arguments);
  const LongWait::Launch launched(long_wait());
  gpu.launch(request);
  pinned.take_from_device(gpu, request.stream);
}

void Runtime::give_managed(const void* pointer, StreamId stream) {
  managed.give_to_device(device(), stream, address_of(pointer), 1);
}

bool Runtime::free_graph_memory(void* pointer) {
  if (pinned.find(pointer) != nullptr) invalid("pinned host memory: cudaFreeHost frees it");
  const auto found = graphs.memory.find(address_of(pointer));
  if (found == graphs.memory.end()) return false;
  if (!found->second->in_use) invalid("this memory of a graph is free already");
  found->second->in_use = false;
  return true;
}

void Runtime::forget_allocation(void* pointer) {
  managed.remove(address_of(pointer));
  allocations.erase(address_of(pointer));
  pools.forget(address_of(pointer));
}

void Runtime::free(void* pointer) {
  if (free_graph_memory(pointer)) return;
  device().release(address_of(pointer));
  forget_allocation(pointer);
}

void Runtime::free_async(void* pointer) {
  if (free_graph_memory(pointer)) return;
  device().release_async(address_of(pointer));
  forget_allocation(pointer);
}

bool Runtime::resolve_fault(const void* address, HostAccess access) noexcept {
  if (!device_) return false;
  try {
    if (migrations_ == 0) {
      migrations_ = device_->create_stream(true);
      device_->set_role(migrations_, StreamRole::migrations);
    }
  } catch (const std::exception&) {
    // After an error that sticks, or without memory: nothing will be copied either.
  }
  return managed.resolve_fault(*device_, migrations_, address_of(address), access);
}

void Runtime::synchronize(std::optional<StreamId> stream) {
  const auto print = [](const std::string& text) {
    if (text.empty()) return;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  try {
    print(device().synchronize(stream));
    pools.release_unused();
  } catch (const DeviceError&) {
    print(device().take_printed());
    throw;
  }
}

void Runtime::synchronize_event(EventId event) {
  if (event_waiter_ == 0) event_waiter_ = device().create_stream(true);
  device().wait(event_waiter_, event);
  synchronize(event_waiter_);
}

DefaultStreamPerThread::DefaultStreamPerThread() { default_stream_per_thread = true; }

DefaultStreamPerThread::~DefaultStreamPerThread() { default_stream_per_thread = false; }

namespace {

enum class Locking { locked, unlocked };

/// The error for the exception that is being handled. Throws when there is no memory to explain it.
cudaError_t failed(Runtime& runtime, const char* call) {
  try {
    throw;
  } catch (const DeviceError& error) {
    runtime.fail(error.code(), error.sticky());
    runtime.explain(call, error.what());
    return static_cast<cudaError_t>(error.code());
  } catch (const std::bad_alloc&) {
    runtime.fail(cudaErrorMemoryAllocation, false);
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    runtime.fail(cudaErrorUnknown, false);
    runtime.explain(call, error.what());
  } catch (...) {
    runtime.fail(cudaErrorUnknown, false);
    runtime.explain(call, "an exception that is no std::exception");
  }
  return cudaErrorUnknown;
}

cudaError_t run(const char* call, CallBody body, Locking locking) {
  try {
    Runtime& runtime = Runtime::instance();
    std::unique_lock lock(runtime.mutex(), std::defer_lock);
    if (locking == Locking::locked) lock.lock();
    try {
      body(runtime);
      return cudaSuccess;
    } catch (const abi::__forced_unwind&) {
      throw;  // pthread_exit and pthread_cancel, which nobody may stop
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      return failed(runtime, call);
    }
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (...) {
    return cudaErrorUnknown;
  }
}

}  // namespace

cudaError_t guarded(const char* call, CallBody body) { return run(call, body, Locking::locked); }

cudaError_t guarded_without_lock(const char* call, CallBody body) {
  return run(call, body, Locking::unlocked);
}

void invalid(const std::string& why) { throw DeviceError(error_invalid_value, false, why); }

DeviceAddress address_of(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }

}  // namespace gridstride::sim
