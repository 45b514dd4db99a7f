// The simulated GPU as its driver sees it: what the replacement CUDA runtime talks to.
//
// LocalDevice (local_device.h) is the GPU itself. RemoteDevice (remote_device.h) forwards each call
// over a socket to a LocalDevice in another process (device_server.h). Grading uses the second: the
// student's code shares an address space with the client only, so modelled times, counters and
// findings, which decide a grade, are out of its reach; a program under `lab sim` uses the first.
//
// Every call either succeeds or throws DeviceError with the CUDA error code the real runtime gives.
// Device addresses lie in a range that the host never maps, so that a host dereference faults as it
// does with a real GPU. Work is executed at once, in the order of the calls, while its modelled
// time is placed on the stream's timeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/base/device_error.h"
#include "common/simulator/base/device_properties.h"
#include "common/simulator/base/dim3.h"
#include "common/simulator/base/handles.h"
#include "common/simulator/base/kernel_info.h"
#include "common/simulator/base/launch_request.h"
#include "common/simulator/check/finding.h"
#include "common/simulator/count/atomic_queues.h"
#include "common/simulator/count/counters.h"
#include "common/simulator/model/bound.h"
#include "common/simulator/texture/description.h"

namespace gridstride::sim {

/// One kernel launch as it was executed: the unit of every report.
struct LaunchRecord {
  std::string kernel;  ///< demangled
  Dim3 grid, block;
  std::uint64_t shared_bytes = 0;  ///< static and dynamic
  std::uint32_t registers = 0;
  bool registers_estimated = false;  ///< KernelInfo::registers_estimated
  double occupancy = 0;              ///< resident warps / the most an SM holds, by resources
  std::string occupancy_limiter;     ///< "threads", "blocks", "registers" or "shared"
  // What the time model was given beside the counters (GridResult), so that a report can ask it
  // what another kernel would take.
  std::uint32_t resident_blocks = 0;  ///< that an SM holds
  double block_latency_cycles = 0;
  double latency_spread = 1, imbalance = 1;  ///< see GridResult
  AtomicQueueLengths atomic_queues;
  double start = 0, seconds = 0;  ///< modelled, on the device's timeline; of this grid alone
  /// From its start until it and every grid that it launched were over.
  double seconds_with_children = 0;
  std::string parent;   ///< demangled name of the kernel that launched it; empty: the host did
  std::string limiter;  ///< "dram", "l2", "shared", "issue", "atomics", "latency", …
  std::vector<Bound> bounds;  ///< of the modelled time, every part of the model
  Counters counters;
  std::vector<LineCounters> lines;  ///< sorted by file and line
  std::vector<Finding> findings;
  /// 1, or how many this record stands for: a device that has recorded very many launches adds
  /// further ones to the record of the same kernel (seconds, counters, lines and findings summed).
  std::uint64_t launches = 1;
};

/// What kernels printed: how much, and the beginning of it. The text is the program's.
struct Printed {
  static constexpr std::size_t most_bytes = 4096;  ///< that are kept
  std::string beginning;
  std::uint64_t bytes = 0;

  void add(std::string_view text) {
    bytes += text.size();
    beginning += text.substr(0, most_bytes - beginning.size());
  }
};

/// What a device did since the last mark().
struct Activity {
  double seconds = 0;  ///< modelled, from the mark until all streams are idle
  std::vector<LaunchRecord> launches;
  std::uint64_t host_to_device_bytes = 0, device_to_device_bytes = 0;
  /// All that a client was told of what is in device memory: by copies, printed text, conditions.
  std::uint64_t device_to_host_bytes = 0;
  std::vector<Finding> findings;  ///< of the host's calls; those of kernels stand in `launches`
  /// What the program asked for and the simulated GPU does not know, in words, each once.
  std::vector<std::string> refusals;
  /// What was not checked, in words, once for each kernel and allocation.
  std::vector<std::string> notes;
  Printed printed;
  int error = 0;  ///< cudaError_t that sticks to the device, 0 when it is well
};

/// Memory of one argument of a call that is graded: a guard band, the argument's bytes, a guard
/// band.
struct CallRegion {
  std::uint64_t before = 0, bytes = 0, after = 0;
  std::uint8_t filler = 0;  ///< fills the bands, and the bytes where they have no contents
  /// Where the bytes' contents stand in the memory that judge and device share. What has none
  /// counts as undefined.
  std::optional<std::uint64_t> contents;
  bool constant = false;  ///< end_call() compares the bytes with their contents
  /// Where end_call() puts the bytes, in the same memory.
  std::optional<std::uint64_t> result;
  std::string maker;  ///< as note_maker() takes it
  /// An address and no memory, for sizes that nobody can work through here. In a call with such a region
  /// nothing is copied and no kernel runs: how its launches come to their addresses is looked at
  /// (index_width/narrow_indices.h). On a simulated device alone.
  bool absent = false;
  std::uint64_t elements = 0;  ///< of what is absent
};

/// What a call left behind in a region.
struct RegionState {
  std::uint64_t before = 0, after = 0;   ///< changed bytes of the guard bands
  std::optional<std::uint64_t> changed;  ///< the first changed byte of what is constant
};

/// What became of a call that is graded.
struct CallReport {
  Activity activity;
  std::vector<RegionState> regions;  ///< in the order of begin_call()
};

/// Memory that host and device have at the same addresses.
enum class SharedMemory : std::uint8_t {
  managed = 0,  ///< lies on the device or on the host
  pinned = 1,   ///< lies on the host
};

/// What a stream is for, where that is not the program's own affair.
enum class StreamRole : std::uint8_t {
  given = 0,       ///< calls that are graded are given it; the first one that is said to be counts
  migrations = 1,  ///< pages of managed memory travel in it, which no event orders
};

/// What cudaDeviceSetLimit can change of what kernels do.
enum class DeviceLimit : std::uint8_t {
  heap_bytes = 0,        ///< cudaLimitMallocHeapSize
  pending_launches = 1,  ///< cudaLimitDevRuntimePendingLaunchCount; fixed in a graded call
  printed_bytes = 2,     ///< cudaLimitPrintfFifoSize; what is inside is overwritten by and by
};

class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceProperties properties() = 0;
  /// False while nobody but the judge is served: a real GPU has one clock for all who use it.
  virtual bool serves_clients() const { return true; }

  /// Loads the containers of one fat binary (several are linked together). `variables`: names under
  /// which the program registered variables of it; what it has of these stands in the result, and
  /// may stand there of others. Throws DeviceError with cudaErrorInvalidPtx,
  /// cudaErrorNoKernelImageForDevice … and a message naming the repair.
  virtual ModuleInfo load_module(const std::vector<std::vector<std::byte>>& containers,
                                 const std::vector<std::string>& variables) = 0;

  virtual DeviceAddress allocate(std::uint64_t bytes) = 0;
  /// On pages (4096 bytes) of its own. The device has a copy; keeping it and the host's the same is
  /// the caller's business.
  virtual DeviceAddress allocate_shared(std::uint64_t bytes, SharedMemory kind) = 0;
  /// Who or what made the allocation that begins at `address`, for messages about it, where it
  /// stands behind a comma: "in solve(int)". Of the text, at most 200 bytes are kept.
  virtual void note_maker(DeviceAddress address, const std::string& maker) = 0;
  /// allocate() and allocate_shared() with note_maker() of what they gave, unless `maker` is empty:
  /// one request of a client, not two.
  DeviceAddress allocate_for(std::uint64_t bytes, const std::string& maker) {
    return noted(allocate(bytes), maker);
  }
  DeviceAddress allocate_shared_for(std::uint64_t bytes, SharedMemory kind,
                                    const std::string& maker) {
    return noted(allocate_shared(bytes, kind), maker);
  }
  virtual void release(DeviceAddress address) = 0;  ///< waits for the device, as cudaFree does
  virtual void release_async(DeviceAddress address) = 0;  ///< waits for nothing
  /// Free and total bytes.
  virtual std::pair<std::uint64_t, std::uint64_t> memory() = 0;
  /// True when `address` lies in a live allocation or module variable. What kernels allocate is not
  /// the host's to ask for, here as in every other call.
  virtual bool is_device_address(DeviceAddress address) = 0;

  virtual void write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) = 0;
  virtual void read(std::span<std::byte> to, DeviceAddress from, StreamId stream) = 0;
  virtual void copy(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, StreamId stream) = 0;
  /// Fills `count` elements of `width` (1, 2 or 4) bytes.
  virtual void fill(DeviceAddress to, std::uint32_t value, std::uint32_t width, std::uint64_t count,
                    StreamId stream) = 0;

  /// CUDA arrays, and objects through which kernels read and write texels.
  virtual ArrayId create_array(const ArrayShape& shape) = 0;
  virtual void destroy_array(ArrayId array) = 0;  ///< waits for the device
  virtual ObjectId create_texture(const TextureDescription& how) = 0;
  virtual void destroy_texture(ObjectId texture) = 0;
  virtual ObjectId create_surface(ArrayId array) = 0;
  virtual void destroy_surface(ObjectId surface) = 0;

  /// Pitched regions, in arrays and in memory. What is on the host is dense: row after row.
  virtual void write_region(const RegionPlace& to, const RegionSize& size,
                            std::span<const std::byte> from, StreamId stream) = 0;
  virtual void read_region(std::span<std::byte> to, const RegionPlace& from, const RegionSize& size,
                           StreamId stream) = 0;
  virtual void copy_region(const RegionPlace& to, const RegionPlace& from, const RegionSize& size,
                           StreamId stream) = 0;
  /// Sets every byte of a region.
  virtual void fill_region(const RegionPlace& to, const RegionSize& size, std::uint8_t value,
                           StreamId stream) = 0;
  /// What these bytes hold counts as undefined, whatever it is: a kernel that reads them before it
  /// writes them is told so.
  virtual void forget(DeviceAddress address, std::uint64_t bytes) = 0;

  virtual void launch(const LaunchRequest& request) = 0;
  /// Throws what launch() would, for a launch that cannot be.
  virtual void check_launch(const LaunchRequest& request) = 0;
  /// Resident blocks an SM can hold, for the occupancy calls.
  virtual std::uint32_t resident_blocks(KernelId kernel, std::uint32_t block_threads,
                                        std::uint64_t dynamic_shared) = 0;
  /// cudaFuncAttributeMaxDynamicSharedMemorySize.
  virtual void allow_dynamic_shared(KernelId kernel, std::uint64_t bytes) = 0;

  /// A word that kernels set with cudaGraphSetConditional; what it is called there. Setting it
  /// takes no time. Reading it is work of `stream` that takes as long as a launch, as a node that
  /// decides does on hardware, and counts as device_to_host_bytes, for here the host learns it.
  /// release() ends it.
  virtual DeviceAddress create_condition() = 0;
  virtual std::uint32_t condition(DeviceAddress handle, StreamId stream) = 0;
  virtual void set_condition(DeviceAddress handle, std::uint32_t value) = 0;

  virtual void set_limit(DeviceLimit limit, std::uint64_t value) = 0;

  virtual StreamId create_stream(bool non_blocking) = 0;
  virtual void destroy_stream(StreamId stream) = 0;
  /// For what is checked of the order of streams while a call is graded; nothing else depends on it.
  virtual void set_role(StreamId stream, StreamRole role) = 0;
  virtual EventId create_event() = 0;
  virtual void destroy_event(EventId event) = 0;
  virtual void record(EventId event, StreamId stream) = 0;
  virtual void wait(StreamId stream, EventId event) = 0;
  /// Seconds of modelled time between two recorded events.
  virtual double elapsed(EventId from, EventId to) = 0;
  /// Waits for a stream, or for everything when `stream` is empty; the host's modelled clock moves
  /// there. Returns what kernels printed meanwhile, which is copied to the host behind that work.
  virtual std::string synchronize(std::optional<StreamId> stream) = 0;
  /// What kernels printed before an error that made synchronize() throw, charged for in the same
  /// way; never fails.
  virtual std::string take_printed() = 0;

  // What only the one who grades or reports asks for.

  /// Forgets past activity; with `cold`, empties the modelled L2 as well.
  virtual void mark(bool cold) = 0;
  /// What happened since the last mark.
  virtual Activity activity() = 0;
  /// Begins a call that is graded, in one step in which nobody else is served: waits for all work,
  /// releases the regions of the call before, makes these and fills them, empties the L2, marks.
  /// Until then there is nothing of the inputs on the device, nor an address at which they will be.
  /// Returns the address of each region's bytes, 0 for one of no bytes at all. Nobody but the
  /// next begin_call() can release a region.
  virtual std::vector<DeviceAddress> begin_call(const std::vector<CallRegion>& regions) = 0;
  /// Of a program on another host, in a call: what it thought between its last answer and the request that comes
  /// next, seconds without the way to it and from it; may be negative, as that is a median. The modelled time of a simulated
  /// GPU has no such part.
  virtual void program_thought(double) {}
  /// A request of the client's is about to be served, or has been.
  virtual void serving(bool) {}
  /// Ends it, in one step as well: waits for all work, stops the clock, looks at the regions. What
  /// the program does later has no part in the report. Works on a device that has an error, too.
  virtual CallReport end_call() = 0;

 private:
  DeviceAddress noted(DeviceAddress address, const std::string& maker) {
    if (!maker.empty()) note_maker(address, maker);
    return address;
  }
};

}  // namespace gridstride::sim
