// What is said on the device process's two sockets.
//
// Every message has a wire::Header. Requests carry an Operation; each gets exactly one reply, in
// order. The client's socket accepts the operations of Device, the control socket those of the
// judge; a request on the wrong socket is malformed, and a malformed request ends its connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/device/wire.h"

namespace gridstride::sim::wire {

enum class Operation : std::uint16_t {
  properties = 1,  // on both sockets
  // client
  load_module = 16,
  allocate,
  allocate_shared,
  release,
  release_async,
  memory,
  is_device_address,
  note_maker,
  write,
  read,
  copy,
  fill,
  create_array,
  destroy_array,
  create_texture,
  destroy_texture,
  create_surface,
  destroy_surface,
  write_box,
  read_box,
  copy_box,
  fill_box,
  launch,
  check_launch,
  resident_blocks,
  allow_dynamic_shared,
  create_condition,
  condition,
  set_condition,
  set_limit,
  create_stream,
  destroy_stream,
  create_event,
  destroy_event,
  record,
  wait,
  elapsed,
  synchronize,
  take_printed,
  forget,
  // control
  mark = 64,
  activity,
  // replies
  ok = 128,  ///< payload: the result
  failed,    ///< payload: i32 cudaError_t, flag sticky, text
};

/// Of the words for where an allocation was made.
constexpr std::size_t most_site_bytes = 512;

/// No answer to the judge is longer.
constexpr std::size_t max_activity_bytes = std::size_t{256} << 20;

// The structures of device.h, field by field. The first are read from untrusted bytes.
void put(Writer& writer, const LaunchRequest& request);
LaunchRequest get_launch_request(Reader& reader);
void put(Writer& writer, const std::vector<std::vector<std::byte>>& containers);
std::vector<std::vector<std::byte>> get_containers(Reader& reader);

void put(Writer& writer, const ArrayShape& shape);
ArrayShape get_array_shape(Reader& reader);
void put(Writer& writer, const TextureDescription& how);
TextureDescription get_texture_description(Reader& reader);
void put(Writer& writer, const BoxPlace& place);
BoxPlace get_box_place(Reader& reader);
void put(Writer& writer, const BoxSize& size);
BoxSize get_box_size(Reader& reader);

void put(Writer& writer, const DeviceProperties& properties);
DeviceProperties get_properties(Reader& reader);
void put(Writer& writer, const ModuleInfo& info);
ModuleInfo get_module_info(Reader& reader);
void put(Writer& writer, const Activity& activity);
Activity get_activity(Reader& reader);

}  // namespace gridstride::sim::wire
