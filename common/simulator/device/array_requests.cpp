// The device server's answers about arrays, textures, surfaces, and boxes of memory.
#include <cstdint>

#include "common/simulator/device/device_server.h"

namespace gridstride::sim {

using wire::Operation;
using wire::packed;

DeviceServer::Bytes DeviceServer::array_request(Operation operation, wire::Reader& reader) {
  switch (operation) {
    case Operation::create_array: {
      const ArrayShape shape = wire::get_array_shape(reader);
      reader.finish();
      return packed(device_.create_array(shape));
    }
    case Operation::destroy_array: {
      const auto array = reader.get<ArrayId>();
      reader.finish();
      device_.destroy_array(array);
      return {};
    }
    case Operation::create_texture: {
      const TextureDescription how = wire::get_texture_description(reader);
      reader.finish();
      return packed(device_.create_texture(how));
    }
    case Operation::destroy_texture: {
      const auto texture = reader.get<ObjectId>();
      reader.finish();
      device_.destroy_texture(texture);
      return {};
    }
    case Operation::create_surface: {
      const auto array = reader.get<ArrayId>();
      reader.finish();
      return packed(device_.create_surface(array));
    }
    case Operation::destroy_surface: {
      const auto surface = reader.get<ObjectId>();
      reader.finish();
      device_.destroy_surface(surface);
      return {};
    }
    default:
      throw wire::WireError("not an operation on arrays");
  }
}

DeviceServer::Bytes DeviceServer::box_request(Operation operation, wire::Reader& reader) {
  const BoxPlace place = wire::get_box_place(reader);
  const BoxSize size = wire::get_box_size(reader);
  const auto stream = reader.get<StreamId>();
  switch (operation) {
    case Operation::write_box: {
      const auto bytes = reader.get_bytes();
      reader.finish();
      device_.write_box(place, size, bytes, stream);
      return {};
    }
    case Operation::read_box: {
      const auto count = reader.get<std::uint64_t>();
      reader.finish();
      if (count > wire::max_bulk_bytes) throw wire::WireError("a read of too many bytes");
      Bytes bytes(count);
      device_.read_box(bytes, place, size, stream);
      return bytes;
    }
    case Operation::copy_box: {
      const BoxPlace from = wire::get_box_place(reader);
      reader.finish();
      device_.copy_box(place, from, size, stream);
      return {};
    }
    default: {  // fill_box
      const auto value = reader.get<std::uint8_t>();
      reader.finish();
      device_.fill_box(place, size, value, stream);
      return {};
    }
  }
}

}  // namespace gridstride::sim
