// The state behind the runtime's calls: one device, what the program registered, and its errors.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/model/profile.h"
#include "common/simulator/runtime/arrays.h"
#include "common/simulator/runtime/cudart.h"
#include "common/simulator/runtime/module_registry.h"

namespace gridstride::sim {

/// The only one; never destroyed, because programs call into it from their own destructors. Calls
/// come from any thread: guarded() below holds its lock.
class Runtime {
 public:
  static Runtime& instance();

  /// Created at first use: behind the socket that GRIDSTRIDE_SIM_SOCKET names, else in this
  /// process, with GRIDSTRIDE_SIM_PROFILE and GRIDSTRIDE_SIM_SCHEDULE. Throws DeviceError.
  Device& device();
  bool has_device() const { return device_ != nullptr; }
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
  };
  struct HostMemory {
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool registered = false;  ///< by cudaHostRegister: somebody else's memory
  };
  std::map<StreamId, StreamTraits> streams;
  std::map<EventId, unsigned> events;                  ///< flags
  std::map<const std::byte*, HostMemory> host_memory;  ///< by start
  std::set<DeviceAddress> allocations;
  ArrayRegistry arrays;  ///< and textures and surfaces
  std::map<cudaLimit, std::size_t> limits;

  /// The pinned allocation that holds `pointer`, or the end.
  std::map<const std::byte*, HostMemory>::const_iterator find_host(const void* pointer) const;
  /// Device addresses are a range of their own; whether something is allocated there is another
  /// question.
  static bool is_device_pointer(const void* pointer);

  /// Waits, and prints what kernels printed.
  void synchronize(std::optional<StreamId> stream);
  /// Moves the host's clock to the event, as waiting for it does.
  void synchronize_event(EventId event);

  /// Says on stderr, once for each name, that the call is not supported; for the report as well.
  void refuse_call(const std::string& name);
  /// Says a failed call's reason on stderr; each text once, and not without end.
  void explain(const std::string& call, const std::string& reason);

  void fail(int code, bool sticky);
  /// A reset after an error that sticks: it succeeds, and the device is gone for this process.
  void lose_device();
  bool failed_for_good() const { return sticky_ != cudaSuccess; }
  cudaError_t take_error();
  cudaError_t peek_error() const;

  std::mutex& mutex() { return mutex_; }
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  Runtime() = default;
  void create_device();
  void show(const LaunchRecord& record);

  std::mutex mutex_;
  std::unique_ptr<Device> device_;
  bool in_process_ = false;
  DeviceProfile profile_;  ///< of the device in this process
  ModuleRegistry modules_;
  std::set<std::string> said_;  ///< on stderr
  std::vector<std::string> refusals_;
  StreamId event_waiter_ = 0;  ///< a stream that only waits for events
  cudaError_t sticky_ = cudaSuccess;
  bool lost_ = false;
};

/// Runs one call of the API: takes the lock, turns DeviceError into an error code that
/// cudaGetLastError gives too, and explains it on stderr.
cudaError_t guarded(const char* call, const std::function<void(Runtime&)>& body);

/// For invalid arguments that the runtime sees before the device does.
[[noreturn]] void invalid(const std::string& why);

DeviceAddress address_of(const void* pointer);

}  // namespace gridstride::sim
