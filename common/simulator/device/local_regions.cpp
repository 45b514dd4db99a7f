// The simulated GPU: arrays, textures, surfaces, and copies of pitched regions between arrays and
// memory.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/memory/initialised_bytes.h"

namespace gridstride::sim {
namespace {

/// Lengths are far below this, so that their products and sums do not wrap.
constexpr std::uint64_t most_length = std::uint64_t{1} << 40;

std::uint64_t bytes_of(const RegionSize& size) { return size.width * size.height * size.depth; }

}  // namespace

ArrayId LocalDevice::create_array(const ArrayShape& shape) {
  check_health();
  return textures_.add_array(shape);
}

void LocalDevice::destroy_array(ArrayId array) {
  check_health();
  wait_for({});
  textures_.remove_array(array);
}

ObjectId LocalDevice::create_texture(const TextureDescription& how) {
  check_health();
  return textures_.add_texture(how);
}

void LocalDevice::destroy_texture(ObjectId texture) {
  check_health();
  textures_.remove_texture(texture);
}

ObjectId LocalDevice::create_surface(ArrayId array) {
  check_health();
  return textures_.add_surface(array);
}

void LocalDevice::destroy_surface(ObjectId surface) {
  check_health();
  textures_.remove_surface(surface);
}

void LocalDevice::check_region(const RegionPlace& place, const RegionSize& size,
                               const char* what) const {
  const auto refuse = [&](const std::string& why) {
    throw DeviceError(error_invalid_value, false,
                      fmt::format("{} a region of {} bytes x {} rows x {} slices: {}", what,
                                  size.width, size.height, size.depth, why));
  };
  if (place.array != 0) {
    const ArrayShape& shape = textures_.array(place.array).shape;
    const std::uint64_t texel = shape.format.bytes();
    const auto inside = [](std::uint64_t at, std::uint64_t length, std::uint64_t extent) {
      return at <= extent && length <= extent - at;
    };
    if (!inside(place.x, size.width, shape.width * texel) ||
        !inside(place.y, size.height, std::max<std::uint64_t>(shape.height, 1)) ||
        !inside(place.z, size.depth, std::max<std::uint64_t>(shape.depth, 1))) {
      refuse("it does not lie inside the array");
    }
    return;
  }
  for (const std::uint64_t length :
       {size.width, size.height, size.depth, place.pitch, place.rows}) {
    if (length > most_length) refuse("it is too large");
  }
  const bool many_rows = size.height > 1 || size.depth > 1;
  if (many_rows && place.pitch < size.width) refuse("its rows overlap");
  if (size.depth > 1 && place.rows < size.height) refuse("its slices overlap");
  // Neither factor can make the sum wrap: what fails here does not fit the device anyway.
  const std::uint64_t before = (size.depth - 1) * place.rows + size.height - 1;
  const std::uint64_t capacity = memory_.capacity();
  if ((size.depth > 1 && place.rows > capacity / (size.depth - 1)) ||
      (before > 0 && place.pitch > capacity / before)) {
    refuse("it is larger than the device's memory");
  }
  check_range(place.address, before * place.pitch + size.width, what);
}

template <class Use>
void LocalDevice::for_each_piece(const RegionPlace& place, const RegionSize& size,
                                 Use&& use) const {
  const ArrayEntry* array = place.array != 0 ? &textures_.array(place.array) : nullptr;
  for (std::uint64_t z = 0; z < size.depth; ++z) {
    for (std::uint64_t y = 0; y < size.height; ++y) {
      if (!array) {
        use(memory_.host(place.address + (z * place.rows + y) * place.pitch), size.width);
        continue;
      }
      for (std::uint64_t x = 0; x < size.width;) {
        const std::uint64_t at = place.x + x;
        const std::uint64_t together =
            array->layout.linear() ? size.width : ArrayLayout::run - at % ArrayLayout::run;
        const std::uint64_t bytes = std::min(together, size.width - x);
        const std::uint64_t offset = array->layout.offset(at, place.y + y, place.z + z);
        use(memory_.host(array->address + offset), bytes);
        x += bytes;
      }
    }
  }
}

void LocalDevice::touch_region(const RegionPlace& place, const RegionSize& size, bool write) {
  const ArrayEntry* array = place.array != 0 ? &textures_.array(place.array) : nullptr;
  if (array && write) {
    const std::byte* const base = memory_.host(GlobalMemory::base);
    for_each_piece(place, size, [&](const std::byte* piece, std::uint64_t bytes) {
      memory_.initialised().set(static_cast<std::uint64_t>(piece - base), bytes);
    });
  }
  const bool tiled = array && !array->layout.linear();
  const std::uint64_t step = tiled ? ArrayLayout::tile_height : 1;
  for (std::uint64_t z = 0; z < size.depth; ++z) {
    for (std::uint64_t y = 0; y < size.height; y += step) {
      if (!array) {
        const DeviceAddress row = place.address + (z * place.rows + y) * place.pitch;
        touch(row, size.width, write);
        if (write) memory_.initialised().set(row - GlobalMemory::base, size.width);
        continue;
      }
      // Whole tiles: a copy moves nearly all of them.
      const std::uint64_t x =
          tiled ? place.x / ArrayLayout::tile_width * ArrayLayout::tile_width : place.x;
      const std::uint64_t from = array->layout.offset(x, (place.y + y) / step * step, place.z + z);
      const std::uint64_t length = place.x + size.width - x;
      const std::uint64_t tiles = (length + ArrayLayout::tile_width - 1) / ArrayLayout::tile_width;
      touch(array->address + from, tiled ? tiles * ArrayLayout::tile_bytes : length, write);
    }
  }
}

void LocalDevice::write_region(const RegionPlace& to, const RegionSize& size,
                               std::span<const std::byte> from, StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (size.empty() || is_absent_) return;
  check_region(to, size, "a copy to the device writes");
  if (from.size() != bytes_of(size)) {
    throw DeviceError(error_invalid_value, false, "a copy of another size than its region");
  }
  keep_order(stream, "A copy from the host to the device");
  const std::byte* next = from.data();
  for_each_piece(to, size, [&](std::byte* piece, std::uint64_t bytes) {
    std::memcpy(piece, next, bytes);
    next += bytes;
  });
  touch_region(to, size, true);
  timeline_.place(stream, Engine::to_device,
                  options_.profile.transfer_seconds +
                      static_cast<double>(from.size()) / options_.profile.throughput.host_copy);
  log_.activity().host_to_device_bytes += from.size();
}

void LocalDevice::read_region(std::span<std::byte> to, const RegionPlace& from,
                              const RegionSize& size, StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (size.empty() || is_absent_) return;
  check_region(from, size, "a copy from the device reads");
  if (to.size() != bytes_of(size)) {
    throw DeviceError(error_invalid_value, false, "a copy of another size than its region");
  }
  keep_order(stream, "A copy from the device to the host");
  std::byte* next = to.data();
  for_each_piece(from, size, [&](const std::byte* piece, std::uint64_t bytes) {
    std::memcpy(next, piece, bytes);
    next += bytes;
  });
  touch_region(from, size, false);
  place_to_host(stream, to.size());
}

void LocalDevice::copy_region(const RegionPlace& to, const RegionPlace& from,
                              const RegionSize& size, StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (size.empty() || is_absent_) return;
  check_region(from, size, "a copy within the device reads");
  check_region(to, size, "a copy within the device writes");
  keep_order(stream, "A copy within the device");
  const std::uint64_t bytes = bytes_of(size);
  InitialisedBytes& initialised = memory_.initialised();
  const auto offset_of = [base = memory_.host(GlobalMemory::base)](const std::byte* piece) {
    return static_cast<std::uint64_t>(piece - base);
  };
  std::vector<std::byte> row(size.width);
  std::vector<bool> written(size.width);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten;  // offsets and lengths
  for (std::uint64_t z = 0; z < size.depth; ++z) {
    for (std::uint64_t y = 0; y < size.height; ++y) {
      const auto row_of = [&](RegionPlace place) {
        place.address += (z * place.rows + y) * place.pitch;
        place.y += y;
        place.z += z;
        return place;
      };
      const RegionSize one{size.width, 1, 1};
      std::uint64_t at = 0;
      bool whole = true;
      for_each_piece(row_of(from), one, [&](const std::byte* piece, std::uint64_t length) {
        std::memcpy(row.data() + at, piece, length);
        const bool all = initialised.all(offset_of(piece), length);
        std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(at), length, true);
        for (std::uint64_t i = 0; !all && i < length; ++i)
          written[at + i] = initialised.all(offset_of(piece) + i, 1);
        whole = whole && all;
        at += length;
      });
      at = 0;
      for_each_piece(row_of(to), one, [&](std::byte* piece, std::uint64_t length) {
        std::memcpy(piece, row.data() + at, length);
        for (std::uint64_t i = 0; !whole && i < length; ++i) {
          if (written[at + i]) continue;
          const std::uint64_t place = offset_of(piece) + i;
          if (unwritten.empty() || unwritten.back().first + unwritten.back().second != place)
            unwritten.emplace_back(place, 0);
          ++unwritten.back().second;
        }
        at += length;
      });
    }
  }
  touch_region(from, size, false);
  touch_region(to, size, true);
  for (const auto& [place, length] : unwritten) initialised.clear(place, length);
  const Throughputs& rate = options_.profile.throughput;
  timeline_.place(stream, Engine::compute,
                  options_.profile.launch_seconds +
                      static_cast<double>(bytes) * (1 / rate.dram_read + 1 / rate.dram_write));
  log_.activity().device_to_device_bytes += bytes;
}

void LocalDevice::fill_region(const RegionPlace& to, const RegionSize& size, std::uint8_t value,
                              StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (size.empty() || is_absent_) return;
  check_region(to, size, "a fill writes");
  keep_order(stream, "A memset");
  for_each_piece(to, size,
                 [&](std::byte* piece, std::uint64_t bytes) { std::memset(piece, value, bytes); });
  touch_region(to, size, true);
  timeline_.place(stream, Engine::compute,
                  options_.profile.launch_seconds +
                      static_cast<double>(bytes_of(size)) / options_.profile.throughput.dram_write);
}

}  // namespace gridstride::sim
