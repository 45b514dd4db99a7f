// The client's side of a device process: a Device whose work is done behind a socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/device/protocol.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

/// Reserves the range of device addresses in this process, so that a host dereference of a device
/// pointer faults. Calls fail with cudaErrorDevicesUnavailable once the other side has gone.
class RemoteDevice : public Device {
 public:
  /// `call_site`: says where the host's call that is being answered stands, in words that this
  /// process can tell at once; goes along with each allocation, see note_maker().
  explicit RemoteDevice(UniqueFd socket, std::function<std::string()> call_site = {});
  ~RemoteDevice() override;

  DeviceProperties properties() override { return properties_; }
  ModuleInfo load_module(const std::vector<std::vector<std::byte>>& containers) override;
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
  void write_box(const BoxPlace& to, const BoxSize& size, std::span<const std::byte> from,
                 StreamId stream) override;
  void read_box(std::span<std::byte> to, const BoxPlace& from, const BoxSize& size,
                StreamId stream) override;
  void copy_box(const BoxPlace& to, const BoxPlace& from, const BoxSize& size,
                StreamId stream) override;
  void fill_box(const BoxPlace& to, const BoxSize& size, std::uint8_t value,
                StreamId stream) override;
  void launch(const LaunchRequest& request) override;
  void check_launch(const LaunchRequest& request) override;
  std::uint32_t resident_blocks(KernelId kernel, std::uint32_t block_threads,
                                std::uint64_t dynamic_shared) override;
  void allow_dynamic_shared(KernelId kernel, std::uint64_t bytes) override;
  DeviceAddress create_condition() override;
  std::uint32_t condition(DeviceAddress handle) override;
  void set_condition(DeviceAddress handle, std::uint32_t value) override;
  void set_limit(DeviceLimit limit, std::uint64_t value) override;

  StreamId create_stream(bool non_blocking) override;
  void destroy_stream(StreamId stream) override;
  EventId create_event() override;
  void destroy_event(EventId event) override;
  void record(EventId event, StreamId stream) override;
  void wait(StreamId stream, EventId event) override;
  double elapsed(EventId from, EventId to) override;
  std::string synchronize(std::optional<StreamId> stream) override;
  std::string take_printed() override;

  /// Both belong to the judge, who has a socket of his own: they throw DeviceError
  /// (cudaErrorNotSupported).
  void mark(bool cold) override;
  Activity activity() override;

 private:
  /// Sends one request and waits for its reply. Throws DeviceError.
  std::vector<std::byte> call(wire::Operation operation, std::vector<std::byte> payload);
  template <class... Arguments>
  std::vector<std::byte> call(wire::Operation operation, Arguments... arguments);
  template <class Result>
  Result reply_to(wire::Operation operation, std::vector<std::byte> payload);
  template <class Result, class... Arguments>
  Result ask(wire::Operation operation, Arguments... arguments);

  std::string site() const;

  UniqueFd socket_;
  std::function<std::string()> call_site_;
  DeviceProperties properties_;
  std::uint64_t reserved_bytes_ = 0;  ///< host address range behind device addresses
};

}  // namespace gridstride::sim
