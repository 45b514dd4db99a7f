// Field lists of the structures that travel; one list serves both directions.
#include "common/simulator/device/protocol.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gridstride::sim::wire {
namespace {

// fields(archive, value) names the members in the order in which they travel.

template <class Archive>
void fields(Archive& archive, Dim3& value) {
  archive(value.x, value.y, value.z);
}

template <class Archive>
void fields(Archive& archive, LaunchRequest& value) {
  archive(value.kernel, value.grid, value.block, value.dynamic_shared, value.stream,
          value.cooperative, value.arguments);
}

template <class Archive>
void fields(Archive& archive, TexelFormat& value) {
  archive(value.kind, value.bits, value.channels);
}

template <class Archive>
void fields(Archive& archive, ArrayShape& value) {
  archive(value.format, value.width, value.height, value.depth, value.layered, value.cubemap,
          value.surface, value.gather);
}

template <class Archive>
void fields(Archive& archive, TextureDescription& value) {
  archive(value.array, value.address, value.width, value.height, value.pitch, value.format);
  for (AddressMode& mode : value.modes) archive(mode);
  archive(value.linear, value.normalized_float, value.normalized, value.srgb);
  for (float& channel : value.border) archive(channel);
}

template <class Archive>
void fields(Archive& archive, BoxPlace& value) {
  archive(value.array, value.address, value.pitch, value.rows, value.x, value.y, value.z);
}

template <class Archive>
void fields(Archive& archive, BoxSize& value) {
  archive(value.width, value.height, value.depth);
}

template <class Archive>
void fields(Archive& archive, DeviceProperties& value) {
  archive(value.name, value.capability, value.multiprocessors, value.global_memory, value.l2_bytes,
          value.shared_per_block, value.shared_per_block_optin, value.shared_per_multiprocessor,
          value.registers_per_multiprocessor, value.warps_per_multiprocessor,
          value.blocks_per_multiprocessor, value.clock_khz, value.memory_clock_khz,
          value.memory_bus_bits);
}

template <class Archive>
void fields(Archive& archive, ParameterLayout& value) {
  archive(value.offset, value.size);
}

template <class Archive>
void fields(Archive& archive, KernelInfo& value) {
  archive(value.id, value.name, value.parameters, value.argument_bytes, value.registers,
          value.static_shared, value.constant_bytes, value.local_bytes, value.max_threads,
          value.architecture);
}

template <class Archive>
void fields(Archive& archive, SymbolInfo& value) {
  archive(value.name, value.address, value.size, value.is_constant, value.is_managed);
}

template <class Archive>
void fields(Archive& archive, ModuleInfo& value) {
  archive(value.kernels, value.symbols);
}

template <class Archive>
void fields(Archive& archive, SourcePosition& value) {
  archive(value.file, value.line, value.inlined);
}

template <class Archive>
void fields(Archive& archive, Finding& value) {
  archive(value.kind, value.kernel, value.where, value.other, value.message, value.occurrences);
}

template <class Archive>
void fields(Archive& archive, AccessPattern& value) {
  archive(value.shape, value.distance, value.requests, value.cost, value.ideal);
}

template <class Archive>
void fields(Archive& archive, LineAccess& value) {
  archive(value.kind, value.bytes, value.patterns);
}

template <class Archive>
void fields(Archive& archive, LineCounters& value) {
  archive(value.file, value.line, value.counters, value.accesses);
}

template <class Archive>
void fields(Archive& archive, Bound& value) {
  archive(value.part, value.seconds);
}

template <class Archive>
void fields(Archive& archive, LaunchRecord& value) {
  archive(value.kernel, value.grid, value.block, value.shared_bytes, value.registers,
          value.occupancy, value.occupancy_limiter, value.resident_blocks,
          value.block_latency_cycles, value.atomic_queues.sector, value.atomic_queues.float_sector,
          value.atomic_queues.piece, value.atomic_queues.all, value.start, value.seconds,
          value.seconds_with_children, value.parent, value.limiter, value.bounds, value.counters,
          value.lines, value.findings, value.launches);
}

template <class Archive>
void fields(Archive& archive, Activity& value) {
  archive(value.seconds, value.launches, value.host_to_device_bytes, value.device_to_host_bytes,
          value.device_to_device_bytes, value.findings, value.refusals, value.notes, value.error);
}

struct Out {
  Writer& writer;

  template <class... Members>
  void operator()(Members&... members) {
    (put_one(members), ...);
  }
  template <class T>
  void put_one(T& value) {
    if constexpr (Plain<T>) {
      writer.put(value);
    } else {
      fields(*this, value);
    }
  }
  void put_one(bool& value) { writer.put(std::uint8_t{value}); }
  void put_one(std::string& text) { writer.put_text(text); }
  void put_one(std::vector<std::byte>& bytes) { writer.put_bytes(bytes); }
  void put_one(Counters& counters) {
    writer.put_bytes(std::as_bytes(std::span<const Counters>(&counters, 1)));
  }
  template <class T>
  void put_one(std::vector<T>& values) {
    writer.put(std::uint64_t{values.size()});
    for (T& value : values) put_one(value);
  }
};

struct In {
  Reader& reader;

  template <class... Members>
  void operator()(Members&... members) {
    (get_one(members), ...);
  }
  template <class T>
  void get_one(T& value) {
    if constexpr (Plain<T>) {
      value = reader.get<T>();
    } else {
      fields(*this, value);
    }
  }
  void get_one(bool& value) { value = reader.get_flag(); }
  void get_one(std::string& text) { text = reader.get_text(); }
  void get_one(std::vector<std::byte>& bytes) {
    const auto taken = reader.get_bytes();
    bytes.assign(taken.begin(), taken.end());
  }
  void get_one(Counters& counters) {
    static_assert(std::is_trivially_copyable_v<Counters>);
    const auto bytes = reader.get_bytes();
    if (bytes.size() != sizeof counters) throw WireError("counters of another size");
    std::memcpy(&counters, bytes.data(), sizeof counters);
  }
  template <class T>
  void get_one(std::vector<T>& values) {
    constexpr std::size_t least_bytes = 8;  // whatever an element is, it takes these
    values.resize(reader.get_count(least_bytes));
    for (T& value : values) get_one(value);
  }
};

template <class T>
void put_struct(Writer& writer, const T& value) {
  Out{writer}.put_one(const_cast<T&>(value));  // Out only reads
}

template <class T>
T get_struct(Reader& reader) {
  T value;
  In{reader}.get_one(value);
  return value;
}

}  // namespace

void put(Writer& writer, const LaunchRequest& request) { put_struct(writer, request); }
LaunchRequest get_launch_request(Reader& reader) { return get_struct<LaunchRequest>(reader); }

void put(Writer& writer, const std::vector<std::vector<std::byte>>& containers) {
  put_struct(writer, containers);
}
std::vector<std::vector<std::byte>> get_containers(Reader& reader) {
  return get_struct<std::vector<std::vector<std::byte>>>(reader);
}

void put(Writer& writer, const ArrayShape& shape) { put_struct(writer, shape); }
ArrayShape get_array_shape(Reader& reader) { return get_struct<ArrayShape>(reader); }

void put(Writer& writer, const TextureDescription& how) { put_struct(writer, how); }
TextureDescription get_texture_description(Reader& reader) {
  return get_struct<TextureDescription>(reader);
}

void put(Writer& writer, const BoxPlace& place) { put_struct(writer, place); }
BoxPlace get_box_place(Reader& reader) { return get_struct<BoxPlace>(reader); }
void put(Writer& writer, const BoxSize& size) { put_struct(writer, size); }
BoxSize get_box_size(Reader& reader) { return get_struct<BoxSize>(reader); }

void put(Writer& writer, const DeviceProperties& properties) { put_struct(writer, properties); }
DeviceProperties get_properties(Reader& reader) { return get_struct<DeviceProperties>(reader); }

void put(Writer& writer, const ModuleInfo& info) { put_struct(writer, info); }
ModuleInfo get_module_info(Reader& reader) { return get_struct<ModuleInfo>(reader); }

void put(Writer& writer, const Activity& activity) { put_struct(writer, activity); }
Activity get_activity(Reader& reader) { return get_struct<Activity>(reader); }

}  // namespace gridstride::sim::wire
