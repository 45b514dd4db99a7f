// A real GPU behind the interface of the simulated one: for the process that holds a call's inputs
// and its clock, which student code cannot reach.
//
// What it cannot do is said by a DeviceError with cudaErrorNotSupported: conditions of graphs (the
// kernel that sets one knows handles of the CUDA runtime only), __managed__ variables (they would
// have to lie where the host expects them), filling an array. A copy to the host waits for its end
// where the CUDA runtime would return before.
#pragma once

#include <cuda.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/device/call_regions.h"
#include "common/simulator/device/device.h"
#include "common/simulator/gpu/call_clock.h"
#include "common/simulator/gpu/driver.h"
#include "common/simulator/gpu/gpu_memory.h"
#include "common/simulator/gpu/gpu_modules.h"
#include "common/simulator/gpu/gpu_textures.h"
#include "common/simulator/gpu/parallel_copy.h"
#include "common/simulator/gpu/printed_text.h"
#include "common/simulator/gpu/staging.h"

namespace gridstride::sim {

/// The first GPU that the driver shows. Not thread-safe. Takes the process's standard output for
/// itself: there the driver writes what kernels print.
class GpuDevice final : public Device {
 public:
  /// `shared`: memory that the judge shares, where CallRegions refer to. Throws NoGpu, DeviceError.
  GpuDevice(SharedBytes& shared, const CallClock::Transport& transport,
            CallClock::Program program = CallClock::Program::here);
  ~GpuDevice() override;

  DeviceProperties properties() override;
  bool serves_clients() const override { return !ended_; }
  ModuleInfo load_module(const std::vector<std::vector<std::byte>>& containers,
                         const std::vector<std::string>& variables) override;

  DeviceAddress allocate(std::uint64_t bytes) override;
  DeviceAddress allocate_shared(std::uint64_t bytes, SharedMemory kind) override;
  void note_maker(DeviceAddress, const std::string&) override {}
  void release(DeviceAddress address) override;
  void release_async(DeviceAddress address) override;
  std::pair<std::uint64_t, std::uint64_t> memory() override;
  bool is_device_address(DeviceAddress address) override;

  void write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) override;
  void read(std::span<std::byte> to, DeviceAddress from, StreamId stream) override;
  void copy(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, StreamId stream) override;
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
  void forget(DeviceAddress, std::uint64_t) override {}

  void launch(const LaunchRequest& request) override;
  void check_launch(const LaunchRequest& request) override;
  std::uint32_t resident_blocks(KernelId kernel, std::uint32_t block_threads,
                                std::uint64_t dynamic_shared) override;
  void allow_dynamic_shared(KernelId kernel, std::uint64_t bytes) override;

  DeviceAddress create_condition() override;
  std::uint32_t condition(DeviceAddress handle, StreamId stream) override;
  void set_condition(DeviceAddress handle, std::uint32_t value) override;

  void set_limit(DeviceLimit limit, std::uint64_t value) override;

  StreamId create_stream(bool non_blocking) override;
  void destroy_stream(StreamId stream) override;
  void set_role(StreamId, StreamRole) override {}
  EventId create_event() override;
  void destroy_event(EventId event) override;
  void record(EventId event, StreamId stream) override;
  void wait(StreamId stream, EventId event) override;
  double elapsed(EventId from, EventId to) override;
  std::string synchronize(std::optional<StreamId> stream) override;
  std::string take_printed() override;

  void mark(bool cold) override;
  Activity activity() override;
  std::vector<DeviceAddress> begin_call(const std::vector<CallRegion>& regions) override;
  void program_thought(double seconds) override;
  void serving(bool begins) override { clock_->serving(begins); }
  CallReport end_call() override;

 private:
  /// Throws DeviceError, and remembers an error that sticks.
  void check(CUresult result, const std::string& what);
  /// Throws DeviceError after an error that sticks.
  void check_health() const;
  int attribute(CUdevice_attribute which);
  CUstream stream(StreamId id) const;
  CUevent event(EventId id) const;
  QueuedOperation queued_on(StreamId id);
  /// Waits for `stream`, or all: what the host waits for is in the time of the call.
  void wait_for(std::optional<StreamId> stream);
  void count_to_host(std::uint64_t bytes) { activity_.device_to_host_bytes += bytes; }
  std::string printed();
  void copy_3d(const CUDA_MEMCPY3D& copy, StreamId stream);
  /// The same where one side is the host's memory: returns when it is over.
  void copy_3d_of_host(const CUDA_MEMCPY3D& copy, StreamId stream);
  void free_released();
  /// Throws DeviceError when a client may not have so much more memory.
  void require_memory(std::uint64_t bytes, std::uint64_t alignment) const;

  std::span<std::byte> shared(std::uint64_t at, std::uint64_t bytes);
  DeviceAddress place(const CallRegion& region);
  RegionState state_of(const PlacedRegion& placed);
  /// For the judge, who waits: through staging_, in pieces.
  void upload(DeviceAddress to, std::span<const std::byte> from);
  /// use(offset, piece) with the bytes at `from`, one piece after the other, until it returns false.
  template <class Use>
  void download(DeviceAddress from, std::uint64_t bytes, Use&& use);
  /// Allocates what empty_cache() writes; lets nothing persist in the L2.
  void prepare_to_empty_cache();
  void empty_cache(CUstream stream);
  /// Work before a turn of a call, see CallClock.
  void lead(CUstream stream, CallClock::Turn turn);

  SharedBytes& shared_;
  const CallClock::Program program_;
  PrintedText printed_{STDOUT_FILENO}, asserted_{STDERR_FILENO};
  Driver driver_;
  CUdevice device_ = 0;
  std::unique_ptr<GpuMemory> memory_;
  std::unique_ptr<CallClock> clock_;
  std::unique_ptr<Staging> staging_;
  ParallelCopy copies_;  ///< between the memory shared with the judge and staging_
  GpuModules modules_{driver_};
  GpuTextures textures_{driver_};
  CUstream judges_ = nullptr;  ///< stream of what the judge asks for
  DeviceAddress flushed_ = 0;  ///< memory whose only use is to push other out of the L2
  std::uint64_t flushed_bytes_ = 0;
  std::uint64_t threads_ = 0;        ///< that fit on the GPU; 0 while nobody has asked
  std::uint64_t most_of_calls_ = 0;  ///< bytes that a call's regions and that memory have had
  std::map<StreamId, CUstream> streams_;
  std::map<EventId, CUevent> events_;
  std::uint64_t next_id_ = 1;
  std::vector<DeviceAddress> released_;  ///< whose use may not be over
  CallRegions regions_;
  Activity activity_;
  bool ended_ = false;  ///< between end_call() and begin_call()
  int error_ = 0;
  std::string error_message_;
};

}  // namespace gridstride::sim
