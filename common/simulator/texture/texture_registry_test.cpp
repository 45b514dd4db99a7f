// What may be an array, a texture or a surface, and what becomes of handles.
#include "common/simulator/texture/texture_registry.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "common/simulator/base/error_of.h"
#include "common/simulator/device/device.h"

namespace gridstride::sim {
namespace {

class TextureRegistryTest : public testing::Test {
 protected:
  static ArrayShape shape(std::uint64_t width, std::uint64_t height, std::uint64_t depth = 0) {
    ArrayShape result{.format = word, .width = width, .height = height, .depth = depth};
    result.surface = true;
    return result;
  }
  static constexpr TexelFormat word{TexelKind::unsigned_integer, 32, 1};
  static constexpr TexelFormat real{TexelKind::floating, 32, 1};

  GlobalMemory memory{1 << 20};
  TextureRegistry registry{memory};
};

TEST_F(TextureRegistryTest, RefusesShapesThatCannotBe) {
  EXPECT_EQ(error_of([&] { registry.add_array(shape(0, 4)); }), 1);
  EXPECT_EQ(error_of([&] { registry.add_array(shape(131073, 0)); }), 1);
  EXPECT_EQ(error_of([&] { registry.add_array(shape(4, 65537)); }), 1);
  EXPECT_EQ(error_of([&] { registry.add_array(shape(~0ull, ~0ull, ~0ull)); }), 1);
  EXPECT_EQ(error_of([&] { registry.add_array(shape(4, 0, 4)); }), 1);
  ArrayShape cube = shape(8, 8, 5);
  cube.cubemap = true;
  EXPECT_EQ(error_of([&] { registry.add_array(cube); }), 1);
  ArrayShape odd = shape(8, 8);
  odd.format.channels = 3;
  EXPECT_EQ(error_of([&] { registry.add_array(odd); }), 20);
  EXPECT_EQ(error_of([&] { registry.add_array(shape(4096, 4096)); }), 2);
  EXPECT_EQ(memory.used(), 0u);
}

TEST_F(TextureRegistryTest, AnArrayIsNobodysAllocation) {
  const ArrayId id = registry.add_array(shape(8, 8));
  const DeviceAddress address = registry.array(id).address;
  EXPECT_FALSE(memory.release(address));
  EXPECT_TRUE(memory.contains(address, 512));
  registry.remove_array(id);
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(error_of([&] { registry.remove_array(id); }), 400);
}

TEST_F(TextureRegistryTest, HandlesAreKnownAfterTheyAreGone) {
  const ArrayId id = registry.add_array(shape(8, 8));
  const ObjectId texture = registry.add_texture({.array = id}), surface = registry.add_surface(id);
  EXPECT_NE(registry.texture(texture), nullptr);
  EXPECT_EQ(registry.texture(surface), nullptr);
  EXPECT_NE(registry.surface(surface), nullptr);
  registry.remove_array(id);
  EXPECT_FALSE(registry.has_array(registry.texture(texture)->region.array));
  registry.remove_texture(texture);
  EXPECT_EQ(registry.texture(texture), nullptr);
  EXPECT_TRUE(registry.was_given_out(texture));
  EXPECT_FALSE(registry.was_given_out(surface + 1));
  EXPECT_FALSE(registry.was_given_out(0));
}

TEST_F(TextureRegistryTest, RefusesTexturesThatCannotBe) {
  const ArrayId id = registry.add_array(shape(8, 8));
  TextureDescription how{.array = id};
  how.linear = true;
  EXPECT_EQ(error_of([&] { registry.add_texture(how); }), 26);
  how.linear = false;
  how.normalized_float = true;
  EXPECT_EQ(error_of([&] { registry.add_texture(how); }), 27);
  how = {.array = id};
  how.modes[2] = static_cast<AddressMode>(9);
  EXPECT_EQ(error_of([&] { registry.add_texture(how); }), 1);
  EXPECT_EQ(error_of([&] { registry.add_texture({.array = id + 1}); }), 400);

  const DeviceAddress address = memory.allocate(4096);
  TextureDescription row{.address = address, .width = 1024};
  row.format = real;
  EXPECT_EQ(error_of([&] { registry.add_texture(row); }), 0);
  row.width = 1025;
  EXPECT_EQ(error_of([&] { registry.add_texture(row); }), 1);
  row.address += 16, row.width = 4;
  EXPECT_EQ(error_of([&] { registry.add_texture(row); }), 1);
  TextureDescription rows{.address = address, .width = 8, .height = 16, .pitch = 256};
  rows.format = real;
  EXPECT_EQ(error_of([&] { registry.add_texture(rows); }), 0);
  rows.height = 17;
  EXPECT_EQ(error_of([&] { registry.add_texture(rows); }), 1);
  rows.height = 16, rows.pitch = 24;
  EXPECT_EQ(error_of([&] { registry.add_texture(rows); }), 1);
}

TEST_F(TextureRegistryTest, SurfacesNeedArraysMadeForThem) {
  ArrayShape plain = shape(8, 8);
  plain.surface = false;
  const ArrayId id = registry.add_array(plain);
  EXPECT_EQ(error_of([&] { registry.add_surface(id); }), 1);
  EXPECT_EQ(error_of([&] { registry.remove_surface(77); }), 1);
}

}  // namespace
}  // namespace gridstride::sim
