// The state behind the runtime's calls: one device, what the program registered, and its errors.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/model/profile.h"
#include "common/simulator/runtime/capture.h"
#include "common/simulator/runtime/graph.h"
#include "common/simulator/runtime/memory/arrays.h"
#include "common/simulator/runtime/memory/cudart.h"
#include "common/simulator/runtime/memory/managed_memory.h"
#include "common/simulator/runtime/memory/pinned_memory.h"
#include "common/simulator/runtime/memory_pools.h"
#include "common/simulator/runtime/module_registry.h"

namespace gridstride::sim {

class TraceFile;  // device/trace_file.h

/// The only one; never destroyed, because programs call into it from their own destructors. Calls
/// come from any thread: guarded() below holds its lock.
class Runtime {
 public:
  static Runtime& instance();

  /// Created at first use: behind the socket that GRIDSTRIDE_SIM_SOCKET names, else in this
  /// process, with GRIDSTRIDE_SIM_PROFILE and GRIDSTRIDE_SIM_SCHEDULE. Throws DeviceError.
  Device& device();
  /// Null when the device is in another process: the judge has its own view of that one.
  Device* own_device() { return in_process_ ? device_.get() : nullptr; }
  /// Of that device.
  const DeviceProfile& profile() const { return profile_; }

  ModuleRegistry& modules() { return modules_; }

  /// Handles. Throw DeviceError (cudaErrorInvalidResourceHandle).
  StreamId stream(cudaStream_t handle);
  static cudaStream_t handle_of_stream(StreamId id);
  EventId event(cudaEvent_t handle) const;
  static cudaEvent_t handle_of_event(EventId id);

  struct StreamTraits {
    unsigned flags = 0;
    int priority = 0;
    std::map<int, cudaLaunchAttributeValue> attributes;
  };
  std::map<StreamId, StreamTraits> streams;
  StreamTraits default_stream;
  /// What cudaFuncSetAttribute was told.
  struct KernelSettings {
    std::optional<int> dynamic_shared;  ///< bytes
    int carveout = cudaSharedmemCarveoutDefault;
  };
  std::map<KernelId, KernelSettings> kernel_settings;
  unsigned device_flags = cudaDeviceScheduleAuto;
  std::map<EventId, unsigned> events;  ///< flags
  ManagedMemory managed;
  PinnedMemory pinned;
  std::set<DeviceAddress> allocations;  ///< managed ones as well
  ArrayRegistry arrays;                 ///< and textures and surfaces
  std::map<cudaLimit, std::size_t> limits;
  MemoryPools pools;
  GraphRegistry graphs;
  Captures captures;

  /// Device addresses are a range of their own, and the variables of modules, which a real GPU's
  /// driver puts elsewhere; whether something is allocated there is another question.
  static bool in_device_range(const void* pointer);
  /// In that range, and not pinned memory of the host.
  static bool is_device_pointer(const void* pointer);
  /// Launches a kernel, with what host and device share handed over before and taken back after.
  void launch(const LaunchRequest& request);
  /// The device is about to read or write here: managed memory is handed over.
  void give_managed(const void* pointer, StreamId stream);
  /// Ends an allocation, or a graph's use of its memory. Throw DeviceError.
  void free(void* pointer);        ///< waits for the device, as cudaFree does
  void free_async(void* pointer);  ///< waits for nothing
  /// See ManagedMemory.
  bool resolve_fault(const void* address, HostAccess access) noexcept;

  /// Waits, and prints what kernels printed.
  void synchronize(std::optional<StreamId> stream);
  /// Moves the host's clock to the event, as waiting for it does.
  void synchronize_event(EventId event);

  /// Says on stderr, once for each name, that the call is not supported; for the report as well.
  void refuse_call(const std::string& name);
  /// Says a failed call's reason on stderr; each text once, and not without end.
  void explain(const char* call, const char* reason);

  void fail(int code, bool sticky);
  /// A reset after an error that sticks: it succeeds, and the device is gone for this process.
  void lose_device();
  bool failed_for_good() const { return sticky_ != cudaSuccess; }
  cudaError_t take_error();
  cudaError_t peek_error() const;

  /// Recursive for the sake of page faults (page_faults.cpp).
  std::recursive_mutex& mutex() { return mutex_; }
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  Runtime() = default;
  void create_device();
  void show(const Finding& finding);
  bool free_graph_memory(void* pointer);
  void forget_allocation(void* pointer);

  std::recursive_mutex mutex_;
  std::shared_ptr<TraceFile>
      trace_file_;  ///< of the device in this process; null: nothing is recorded
  std::unique_ptr<Device> device_;
  bool in_process_ = false;
  DeviceProfile profile_;  ///< of the device in this process
  ModuleRegistry modules_{managed};
  std::set<std::string> said_;  ///< on stderr
  std::vector<std::string> refusals_;
  StreamId event_waiter_ = 0;  ///< a stream that only waits for events
  StreamId migrations_ = 0;    ///< a stream that only brings managed memory to the host
  cudaError_t sticky_ = cudaSuccess;
  bool lost_ = false;
};

/// While it lives, stream 0 is the thread's own in calls of this thread.
class DefaultStreamPerThread {
 public:
  DefaultStreamPerThread();
  ~DefaultStreamPerThread();
  DefaultStreamPerThread(const DefaultStreamPerThread&) = delete;
  DefaultStreamPerThread& operator=(const DefaultStreamPerThread&) = delete;
};

/// A function to call, which lives as long as that call: unlike std::function it allocates nothing.
class CallBody {
 public:
  template <class Function>
  CallBody(const Function& function)  // NOLINT(google-explicit-constructor)
      : function_(&function), invoke_([](const void* called, Runtime& runtime) {
          (*static_cast<const Function*>(called))(runtime);
        }) {}
  void operator()(Runtime& runtime) const { invoke_(function_, runtime); }

 private:
  const void* function_;
  void (*invoke_)(const void*, Runtime&);
};

/// Runs one call of the API: takes the lock, turns DeviceError, and whatever else is thrown, into
/// an error code that cudaGetLastError gives too, and explains it on stderr. All that an entry
/// point does belongs into `body`: no exception may reach a caller that knows C alone.
cudaError_t guarded(const char* call, CallBody body);

/// The same without the lock, for functions of the program that may take locks of their own.
cudaError_t guarded_without_lock(const char* call, CallBody body);

/// For invalid arguments that the runtime sees before the device does.
[[noreturn]] void invalid(const std::string& why);

/// What a call was given by its address: a place for its result, parameters. Refuses null.
template <class T>
T& required(T* place) {
  if (place == nullptr) invalid("a null pointer: no place for the result, or no value");
  return *place;
}
/// The place for a pointer to memory, null until there is some: a kernel that gets it after a call
/// that failed is told of a null pointer.
template <class T>
T*& null_at(T** place) {
  return required(place) = nullptr;
}

DeviceAddress address_of(const void* pointer);

}  // namespace gridstride::sim
