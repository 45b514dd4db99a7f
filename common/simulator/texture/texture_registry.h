// The registry of CUDA arrays, texture objects and surface objects of one device.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "common/simulator/memory/global_memory.h"
#include "common/simulator/texture/array_layout.h"
#include "common/simulator/texture/description.h"

namespace gridstride::sim {

struct ArrayEntry {
  ArrayShape shape;
  ArrayLayout layout;
  DeviceAddress address = 0;  ///< of its storage
};

/// What an object reads or writes: a pitched region of texels somewhere in device memory.
struct TexelRegion {
  ArrayId array = 0;  ///< 0: memory of the program's
  DeviceAddress address = 0;
  TexelFormat format;
  std::uint32_t width = 1, height = 1, depth = 1;
  bool layered = false, cubemap = false;
  ArrayLayout layout;

  DeviceAddress texel(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return address + layout.offset(std::uint64_t{x} * format.bytes(), y, z);
  }
};

struct Texture {
  TexelRegion region;
  TextureDescription how;
};

/// Not thread-safe. Handles are never used twice, so that a stale one is known as such. Throws
/// DeviceError with the code that the CUDA runtime gives.
class TextureRegistry {
 public:
  explicit TextureRegistry(GlobalMemory& memory) : memory_(memory) {}

  ArrayId add_array(const ArrayShape& shape);
  void remove_array(ArrayId id);
  /// Throws for an unknown one.
  const ArrayEntry& array(ArrayId id) const;

  ObjectId add_texture(const TextureDescription& how);
  ObjectId add_surface(ArrayId id);
  void remove_texture(ObjectId id);
  void remove_surface(ObjectId id);

  /// Null when there is none, or no longer. The array may be gone all the same: has_array().
  const Texture* texture(ObjectId id) const;
  const TexelRegion* surface(ObjectId id) const;
  bool has_array(ArrayId id) const { return arrays_.contains(id); }
  /// True for handles that were given out once, whatever became of them.
  bool was_given_out(ObjectId id) const { return id >= first_object && id < next_object_; }

 private:
  static constexpr ObjectId first_object = 1;

  TexelRegion region_of(ArrayId id) const;
  void check_room() const;

  GlobalMemory& memory_;
  std::map<ArrayId, ArrayEntry> arrays_;
  std::unordered_map<ObjectId, Texture> textures_;
  std::unordered_map<ObjectId, TexelRegion> surfaces_;
  ArrayId next_array_ = 1;
  ObjectId next_object_ = first_object;
};

}  // namespace gridstride::sim
