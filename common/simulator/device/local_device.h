// The simulated GPU itself, in this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/check/check_options.h"
#include "common/simulator/check/race_pages.h"
#include "common/simulator/count/l2_cache.h"
#include "common/simulator/device/activity_log.h"
#include "common/simulator/device/call_regions.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/stream_order.h"
#include "common/simulator/device/timeline.h"
#include "common/simulator/device_runtime/print_buffer.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/memory/device_heap.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/model/profile.h"
#include "common/simulator/model/time_model.h"
#include "common/simulator/texture/texture_registry.h"

namespace gridstride::sim {

class TraceFile;  // device/trace_file.h

struct LocalDeviceOptions {
  DeviceProfile profile = default_profile();
  std::uint64_t schedule_seed = 0;       ///< 0: blocks and warps in launch order
  std::uint64_t instruction_budget = 0;  ///< warp instructions of one launch; 0: no limit
  /// Seconds of modelled time that one launch may take to issue its instructions; 0: no limit.
  double time_limit = 0;
  std::string limit_advice;  ///< how to allow more, for the message of a launch that was stopped
  CheckOptions checks;
  TraceFile* trace = nullptr;  ///< where a launch is recorded; null: nothing is
  SharedBytes* shared =
      nullptr;  ///< with the judge: contents and results of begin_call()'s regions
  std::function<void(const std::string&)>
      on_start;  ///< told a kernel's name before the host's launch of it runs
  std::function<void(const LaunchRecord&)> on_launch;  ///< told about each launch once it has run
  /// Told about a finding of a launch that shows only when somebody looks at what it has copied.
  std::function<void(const Finding&)> on_late_finding;
  std::function<void(const std::string&)> on_note;  ///< told each of Activity::notes
  /// Of the host's call that is being answered, for messages; see Allocation::made_in.
  std::function<std::function<std::string()>()> call_site;
};

/// Not thread-safe. A kernel's error does not come out of launch(), as on a real GPU, but of the
/// next call that could see it, and of every call after that.
class LocalDevice : public Device {
 public:
  explicit LocalDevice(LocalDeviceOptions options = {});
  ~LocalDevice() override;

  DeviceProperties properties() override {
    DeviceProperties properties = options_.profile.properties;
    properties.first_address = GlobalMemory::base;
    return properties;
  }
  /// What the program never gave back; empty when leaks are not looked for.
  std::vector<Allocation> leaks() const {
    return options_.checks.leaks ? memory_.unreleased() : std::vector<Allocation>();
  }

  ModuleInfo load_module(const std::vector<std::vector<std::byte>>& containers,
                         const std::vector<std::string>& variables) override;

  DeviceAddress allocate(std::uint64_t bytes) override;
  DeviceAddress allocate_shared(std::uint64_t bytes, SharedMemory kind) override;
  void note_maker(DeviceAddress address, const std::string& maker) override;
  void release(DeviceAddress address) override;
  void release_async(DeviceAddress address) override;
  std::pair<std::uint64_t, std::uint64_t> memory() override;
  bool is_device_address(DeviceAddress address) override;

  void write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) override;
  void read(std::span<std::byte> to, DeviceAddress from, StreamId stream) override;
  void copy(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, StreamId stream) override;
  void forget(DeviceAddress address, std::uint64_t bytes) override;
  void fill(DeviceAddress to, std::uint32_t value, std::uint32_t width, std::uint64_t count,
            StreamId stream) override;

  ArrayId create_array(const ArrayShape& shape) override;
  void destroy_array(ArrayId array) override;
  ObjectId create_texture(const TextureDescription& how) override;
  void destroy_texture(ObjectId texture) override;
  ObjectId create_surface(ArrayId array) override;
  void destroy_surface(ObjectId surface) override;
  void write_region(const RegionPlace& to, const RegionSize& size, std::span<const std::byte> from,
                    StreamId stream) override;
  void read_region(std::span<std::byte> to, const RegionPlace& from, const RegionSize& size,
                   StreamId stream) override;
  void copy_region(const RegionPlace& to, const RegionPlace& from, const RegionSize& size,
                   StreamId stream) override;
  void fill_region(const RegionPlace& to, const RegionSize& size, std::uint8_t value,
                   StreamId stream) override;

  void launch(const LaunchRequest& request) override;
  void check_launch(const LaunchRequest& request) override;
  std::uint32_t resident_blocks(KernelId kernel, std::uint32_t block_threads,
                                std::uint64_t dynamic_shared) override;
  void allow_dynamic_shared(KernelId kernel, std::uint64_t bytes) override;

  StreamId create_stream(bool non_blocking) override;
  void destroy_stream(StreamId stream) override;
  void set_role(StreamId stream, StreamRole role) override;
  EventId create_event() override;
  void destroy_event(EventId event) override;
  void record(EventId event, StreamId stream) override;
  void wait(StreamId stream, EventId event) override;
  double elapsed(EventId from, EventId to) override;
  std::string synchronize(std::optional<StreamId> stream) override;
  std::string take_printed() override;
  DeviceAddress create_condition() override;
  std::uint32_t condition(DeviceAddress handle, StreamId stream) override;
  void set_condition(DeviceAddress handle, std::uint32_t value) override;
  void set_limit(DeviceLimit limit, std::uint64_t value) override;

  void mark(bool cold) override;
  Activity activity() override;
  std::vector<DeviceAddress> begin_call(const std::vector<CallRegion>& regions) override;
  CallReport end_call() override;

 private:
  struct Kernel {
    std::shared_ptr<const Program> program;
    std::size_t index = 0;  ///< in its program
    KernelInfo info;
    std::uint32_t launch_bound = 0;  ///< threads of a block, by __launch_bounds__
    std::string demangled;
    std::uint64_t allowed_dynamic_shared = 0;
    mutable KernelCache cache{};
  };

  /// A region of begin_call(), in memory.
  /// A grid that has run, and what the model says of it.
  struct Ran {
    GridResult result;
    TimeEstimate time;
    std::uint32_t resident = 0;  ///< blocks of it on one multiprocessor
  };
  class Children;  // local_children.cpp

  /// Throws the error that sticks, if one does.
  void check_health() const;
  /// The host's: waits for a stream, or for everything.
  void wait_for(std::optional<StreamId> stream);
  /// `stream` gets an operation now; `what`: as StreamOrder::add() takes it.
  void keep_order(StreamId stream, const std::string& what);
  /// A mistake in how the host orders work.
  void found_unordered(const std::string& message);
  Kernel& kernel(KernelId id);
  void check_shape(const Kernel& kernel, const LaunchRequest& request) const;
  /// Resident blocks of it on one multiprocessor; throws when it cannot be launched.
  std::uint32_t checked_launch(const LaunchRequest& request);
  /// Of a thread in a launch with blocks of so many.
  std::uint32_t registers_of(const Kernel& kernel, std::uint32_t block_threads) const;
  std::uint32_t fitting_blocks(const Kernel& kernel, const LaunchRequest& request);
  /// What a grid has of its launch tree.
  struct InTree {
    std::uint64_t budget = 0;           ///< warp instructions; 0: there is no limit
    LaunchedGrids* launched = nullptr;  ///< GridRequest::launched …
    LaunchOrder::Grid launched_as = 0;
    GridClock before = {};
  };
  Ran run(const Kernel& kernel, const LaunchRequest& request, std::uint32_t resident,
          Children& children, const InTree& tree);
  /// Runs the grid and all that it launches, and logs them.
  void launch_with_children(const Kernel& kernel, const LaunchRequest& request,
                            std::uint32_t resident);
  /// Returns the number of its record in the log. `seconds`: of this grid alone.
  std::size_t log(const Kernel& kernel, const LaunchRequest& request, Ran& ran, double start,
                  double seconds, const std::string& parent);
  [[noreturn]] void refuse(const std::string& what, bool sticky);
  /// Notes what could not be checked, once for each kernel and allocation.
  void note(const std::string& kernel, const std::vector<UncheckedMemory>& unchecked);
  /// `address`, of `bytes` that the host has asked for, or throws when it is 0.
  DeviceAddress made(DeviceAddress address, std::uint64_t bytes);
  /// `address` cannot be released: says why.
  [[noreturn]] void fail_release(DeviceAddress address);
  [[noreturn]] void fail_allocation(std::uint64_t bytes) const;
  std::byte* condition_word(DeviceAddress handle) const;
  /// The live allocation that holds `address`, or null; null as well for what a kernel allocated.
  const Allocation* find_for_host(DeviceAddress address) const;
  /// Bytes in use but for what kernels allocated: what the host may know.
  std::uint64_t used_by_host() const { return memory_.used() - heap_.live_bytes(); }
  /// Charges `stream` for what goes to the host, and counts it.
  void place_to_host(StreamId stream, std::uint64_t bytes);
  /// What kernels printed, copied to the host by `stream`, for which the host waits.
  std::string printed_to_host(StreamId stream);
  void stick(int code, const std::string& message);
  void check_range(DeviceAddress address, std::uint64_t bytes, const char* what) const;
  void touch(DeviceAddress address, std::uint64_t bytes, bool write);
  /// Of a call with absent regions: what a launch would do with them. It is not run.
  void look_at(const Kernel& kernel, const LaunchRequest& request);
  /// What kernels have copied without anybody having written it, until somebody looks at it.
  void keep(std::vector<UnwrittenCopy> copies, std::size_t launch);
  /// Somebody looks at `bytes` bytes from `begin` on: what was copied there is found. `whole`: see
  /// take_unwritten().
  void find_unwritten(DeviceAddress begin, std::uint64_t bytes, bool whole);
  DeviceAddress place_absent(const CallRegion& region);
  /// Throws DeviceError when a region of begin_call() begins at `address`: it is the judge's.
  void require_no_region(DeviceAddress address) const;
  DeviceAddress place(const CallRegion& region);
  RegionState state_of(const PlacedRegion& placed);
  /// Memory that is shared with the judge; throws DeviceError when it is not that long.
  std::span<std::byte> shared(std::uint64_t at, std::uint64_t bytes) const;
  void check_region(const RegionPlace& place, const RegionSize& size, const char* what) const;
  /// Host addresses of the pieces of a region, in its order of rows: use(piece, bytes).
  template <class Use>
  void for_each_piece(const RegionPlace& place, const RegionSize& size, Use&& use) const;
  void touch_region(const RegionPlace& place, const RegionSize& size, bool write);

  LocalDeviceOptions options_;
  GlobalMemory memory_;
  DeviceHeap heap_{memory_};
  static constexpr std::uint64_t default_pending_launches = 2048;  ///< as on hardware
  std::uint64_t pending_launches_ = default_pending_launches;
  std::vector<UnwrittenCopy> unwritten_copies_;  ///< of the launches so far
  bool in_call_ = false;                         ///< between begin_call() and end_call()
  TextureRegistry textures_;
  L2Cache l2_;
  RacePages race_pages_{GlobalMemory::base};
  Timeline timeline_;
  StreamOrder order_;
  ActivityLog log_;
  /// What has been noted of a kernel: the first allocation in full, the others added up.
  struct Noted {
    std::size_t number = 0;           ///< of the note
    std::string first;                ///< its text
    std::set<std::uint64_t> orders;   ///< of allocations
    std::uint64_t further_bytes = 0;  ///< of all but the first
  };
  std::map<std::string, Noted> noted_;  ///< by kernel
  std::vector<Kernel> kernels_;         ///< KernelId is the index plus one
  std::size_t ptx_bytes_ = 0;           ///< of all modules
  std::size_t machine_code_bytes_ = 0;  ///< that was looked at, of all modules
  PrintBuffer printed_;
  std::int64_t marked_ = 0;  ///< of timeline_
  CallRegions regions_;      ///< of the latest begin_call()
  bool is_absent_ = false;   ///< a region of it
  DeviceAddress next_absent_ = 0;
  std::map<KernelId, int> looked_at_;  ///< launches of this call
  int error_ = 0;
  std::string error_message_;
};

}  // namespace gridstride::sim
