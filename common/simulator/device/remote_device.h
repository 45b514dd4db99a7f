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
  ModuleInfo load_module(const std::vector<std::vector<std::byte>>& containers,
                         const std::vector<std::string>& variables) override;

  DeviceAddress allocate(std::uint64_t bytes) override {
    return call<&Device::allocate_for>(bytes, site());
  }
  DeviceAddress allocate_shared(std::uint64_t bytes, SharedMemory kind) override {
    return call<&Device::allocate_shared_for>(bytes, kind, site());
  }
  void note_maker(DeviceAddress address, const std::string& maker) override {
    call<&Device::note_maker>(address, maker.substr(0, wire::most_text_bytes));
  }
  void release(DeviceAddress address) override { call<&Device::release>(address); }
  void release_async(DeviceAddress address) override { call<&Device::release_async>(address); }
  std::pair<std::uint64_t, std::uint64_t> memory() override { return call<&Device::memory>(); }
  bool is_device_address(DeviceAddress address) override {
    return call<&Device::is_device_address>(address);
  }

  // Host memory goes and comes in pieces of at most wire::max_bulk_bytes.
  void write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) override;
  void read(std::span<std::byte> to, DeviceAddress from, StreamId stream) override;
  void copy(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, StreamId stream) override {
    call<&Device::copy>(to, from, bytes, stream);
  }
  void forget(DeviceAddress address, std::uint64_t bytes) override {
    call<&Device::forget>(address, bytes);
  }
  void fill(DeviceAddress to, std::uint32_t value, std::uint32_t width, std::uint64_t count,
            StreamId stream) override {
    call<&Device::fill>(to, value, width, count, stream);
  }

  ArrayId create_array(const ArrayShape& shape) override {
    return call<&Device::create_array>(shape);
  }
  void destroy_array(ArrayId array) override { call<&Device::destroy_array>(array); }
  ObjectId create_texture(const TextureDescription& how) override {
    return call<&Device::create_texture>(how);
  }
  void destroy_texture(ObjectId texture) override { call<&Device::destroy_texture>(texture); }
  ObjectId create_surface(ArrayId array) override { return call<&Device::create_surface>(array); }
  void destroy_surface(ObjectId surface) override { call<&Device::destroy_surface>(surface); }
  void write_region(const RegionPlace& to, const RegionSize& size, std::span<const std::byte> from,
                    StreamId stream) override;
  void read_region(std::span<std::byte> to, const RegionPlace& from, const RegionSize& size,
                   StreamId stream) override;
  void copy_region(const RegionPlace& to, const RegionPlace& from, const RegionSize& size,
                   StreamId stream) override {
    call<&Device::copy_region>(to, from, size, stream);
  }
  void fill_region(const RegionPlace& to, const RegionSize& size, std::uint8_t value,
                   StreamId stream) override {
    call<&Device::fill_region>(to, size, value, stream);
  }

  void launch(const LaunchRequest& request) override { call<&Device::launch>(request); }
  void check_launch(const LaunchRequest& request) override { call<&Device::check_launch>(request); }
  std::uint32_t resident_blocks(KernelId kernel, std::uint32_t block_threads,
                                std::uint64_t dynamic_shared) override {
    return call<&Device::resident_blocks>(kernel, block_threads, dynamic_shared);
  }
  void allow_dynamic_shared(KernelId kernel, std::uint64_t bytes) override {
    call<&Device::allow_dynamic_shared>(kernel, bytes);
  }
  DeviceAddress create_condition() override { return call<&Device::create_condition>(); }
  std::uint32_t condition(DeviceAddress handle, StreamId stream) override {
    return call<&Device::condition>(handle, stream);
  }
  void set_condition(DeviceAddress handle, std::uint32_t value) override {
    call<&Device::set_condition>(handle, value);
  }
  void set_limit(DeviceLimit limit, std::uint64_t value) override {
    call<&Device::set_limit>(limit, value);
  }

  StreamId create_stream(bool non_blocking) override {
    return call<&Device::create_stream>(non_blocking);
  }
  void destroy_stream(StreamId stream) override { call<&Device::destroy_stream>(stream); }
  void set_role(StreamId stream, StreamRole role) override {
    call<&Device::set_role>(stream, role);
  }
  EventId create_event() override { return call<&Device::create_event>(); }
  void destroy_event(EventId event) override { call<&Device::destroy_event>(event); }
  void record(EventId event, StreamId stream) override { call<&Device::record>(event, stream); }
  void wait(StreamId stream, EventId event) override { call<&Device::wait>(stream, event); }
  double elapsed(EventId from, EventId to) override { return call<&Device::elapsed>(from, to); }
  std::string synchronize(std::optional<StreamId> stream) override {
    return call<&Device::synchronize>(stream);
  }
  std::string take_printed() override;

  /// These belong to the judge, who has a socket of his own: they throw DeviceError
  /// (cudaErrorNotSupported).
  void mark(bool cold) override;
  Activity activity() override;
  std::vector<DeviceAddress> begin_call(const std::vector<CallRegion>& regions) override;
  CallReport end_call() override;

 private:
  /// One request and its reply. Throws DeviceError.
  template <auto function, class Request = wire::RequestFor<function, wire::ClientRequests>,
            class... Arguments>
  typename Request::Returned call(const Arguments&... arguments) {
    const auto reply = ask(Request::number, Request::pack(arguments...));
    try {
      return Request::result(reply, arguments...);
    } catch (const wire::WireError&) {
      fail_for_nonsense();
    }
  }
  std::vector<std::byte> ask(std::uint16_t number, const std::vector<std::byte>& payload);
  [[noreturn]] static void fail_for_nonsense();
  std::string site() const;

  UniqueFd socket_;
  std::function<std::string()> call_site_;
  DeviceProperties properties_;
  std::uint64_t reserved_bytes_ = 0;  ///< host address range behind device addresses
};

}  // namespace gridstride::sim
