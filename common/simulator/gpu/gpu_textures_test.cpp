// Arrays, textures, surfaces and pitched regions of a real GPU, with a driver whose GPU is the
// simulated one.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/error_of.h"
#include "common/simulator/device/test_container.h"
#include "common/simulator/gpu/gpu_process_fixture.h"
#include "common/simulator/texture/description.h"

namespace gridstride::sim {
namespace {

/// surface[y][x] = texture[y][x] + 1, for 8 x 8 threads.
const std::string copy_kernel = ptx_head + R"(
.visible .entry _Z4copyyy(.param .u64 texture, .param .u64 surface)
{
  .reg .b32 %r<8>; .reg .b64 %rd<3>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [texture];
  ld.param.u64 %rd2, [surface];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  cvt.rn.f32.u32 %f1, %r1;
  cvt.rn.f32.u32 %f2, %r2;
  tex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%f1, %f2}];
  add.u32 %r3, %r3, 1;
  shl.b32 %r7, %r1, 2;
  sust.b.2d.b32.trap [%rd2, {%r7, %r2}], {%r3};
  ret;
}
)";

constexpr std::uint32_t side = 8;
constexpr TexelFormat word{TexelKind::unsigned_integer, 32, 1};
constexpr RegionSize whole{.width = side * sizeof(std::uint32_t), .height = side};
using Words = std::array<std::uint32_t, side * side>;

class GpuTexturesTest : public GpuProcessTest {
 protected:
  ArrayId array() {
    ArrayShape shape{.format = word, .width = side, .height = side};
    shape.surface = true;
    return client_.create_array(shape);
  }
  static Words squares() {
    Words words{};
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = i * i;
    return words;
  }
  void write(const RegionPlace& to, const Words& words) {
    client_.write_region(to, whole, std::as_bytes(std::span(words)), 0);
  }
  Words read(const RegionPlace& from) {
    Words words{};
    client_.read_region(std::as_writable_bytes(std::span(words)), from, whole, 0);
    return words;
  }
  void expect_copied(ObjectId texture) {
    const ArrayId written = array();
    const ObjectId surface = client_.create_surface(written);
    const ModuleInfo module = client_.load_module({container_of(copy_kernel)}, {});
    LaunchRequest request;
    request.kernel = module.kernels.at(0).id;
    request.block = {.x = side, .y = side};
    request.arguments.resize(2 * sizeof(ObjectId));
    std::memcpy(request.arguments.data(), &texture, sizeof texture);
    std::memcpy(request.arguments.data() + sizeof texture, &surface, sizeof surface);
    client_.launch(request);
    client_.synchronize({});
    const Words words = read({.array = written});
    for (std::uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i * i + 1);
    client_.destroy_surface(surface);
    client_.destroy_array(written);
  }
};

TEST_F(GpuTexturesTest, ReadsAnArrayAndWritesAnother) {
  const ArrayId from = array();
  write({.array = from}, squares());
  TextureDescription how{.array = from};
  how.modes.fill(AddressMode::clamp);
  const ObjectId texture = client_.create_texture(how);
  expect_copied(texture);
  client_.destroy_texture(texture);
  client_.destroy_array(from);
  EXPECT_EQ(error_of([&] { client_.destroy_texture(texture); }), error_invalid_handle);
  EXPECT_EQ(error_of([&] { client_.destroy_array(from); }), error_invalid_handle);
}

TEST_F(GpuTexturesTest, ReadsRowsOfMemory) {
  constexpr std::uint64_t pitch = 64;
  const DeviceAddress rows = client_.allocate(side * pitch);
  write({.address = rows, .pitch = pitch, .rows = side}, squares());
  TextureDescription how{.address = rows, .width = side, .height = side, .pitch = pitch};
  how.format = word;
  expect_copied(client_.create_texture(how));
}

TEST_F(GpuTexturesTest, CopiesPartsOfArrays) {
  constexpr std::uint64_t bytes = sizeof(std::uint32_t);
  const ArrayId one = array(), other = array();
  write({.array = one}, squares());
  write({.array = other}, Words{});
  // A square of 3 x 2 texels, from column 4 and row 5 to column 1 and row 2.
  client_.copy_region({.array = other, .x = 1 * bytes, .y = 2},
                      {.array = one, .x = 4 * bytes, .y = 5}, {.width = 3 * bytes, .height = 2}, 0);
  const Words words = read({.array = other});
  std::uint32_t written = 0;
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const bool inside = x >= 1 && x < 4 && y >= 2 && y < 4;
      const std::uint32_t from = (y + 3) * side + x + 3;
      EXPECT_EQ(words[y * side + x], inside ? from * from : 0) << x << " " << y;
      written += inside ? 1 : 0;
    }
  }
  EXPECT_EQ(written, 6u);
}

TEST_F(GpuTexturesTest, FillsRegionsOfMemory) {
  constexpr std::uint64_t pitch = 64;
  const DeviceAddress rows = client_.allocate(2 * side * pitch);
  const RegionPlace place{.address = rows, .pitch = pitch, .rows = side};
  client_.fill_region(place, {.width = 5, .height = 3, .depth = 2}, 7, 0);
  std::array<std::byte, 2 * side * pitch> bytes{};
  client_.read(bytes, rows, 0);
  std::size_t filled = 0;
  for (const std::byte byte : bytes) filled += byte == std::byte{7} ? 1 : 0;
  EXPECT_EQ(filled, 5u * 3 * 2);
  EXPECT_EQ(bytes[side * pitch + 2 * pitch + 4], std::byte{7});
}

TEST_F(GpuTexturesTest, RefusesWhatCannotBe) {
  const auto refused = [&](int code, auto&& call) { EXPECT_EQ(error_of(call), code); };
  refused(error_invalid_handle, [&] { client_.create_texture({.array = 77}); });
  refused(error_invalid_handle, [&] { client_.create_surface(77); });
  refused(error_invalid_channel_descriptor, [&] {
    client_.create_array({.format = {TexelKind::floating, 8, 1}, .width = side});
  });
  const ArrayId there = array();
  refused(error_not_supported, [&] { client_.fill_region({.array = there}, whole, 0, 0); });
  // One slice after the other, it would take years.
  const DeviceAddress byte = client_.allocate(1);
  const RegionSize deep{.width = 1, .height = 1, .depth = std::uint64_t{1} << 60};
  refused(error_invalid_value, [&] { client_.fill_region({.address = byte}, deep, 0, 0); });
  refused(error_invalid_value, [&] { client_.fill_region({.address = 8}, whole, 0, 0); });
}

}  // namespace
}  // namespace gridstride::sim
