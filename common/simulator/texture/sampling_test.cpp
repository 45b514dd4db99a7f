// Fetches recorded on an H200, fetched again.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/simulator/texture/sampler.h"

namespace gridstride::sim {
namespace {

/// As in record_sampling.cu; the multipliers are the first two primes of xxHash32 (Collet).
std::uint32_t texel_hash(std::uint32_t n) {
  constexpr std::uint32_t first_prime = 2654435761, second_prime = 2246822519;
  n = (n + 1) * first_prime;
  n ^= n >> 15;
  n *= second_prime;
  return n ^ n >> 13;
}

std::uint32_t texel_bits(const TexelFormat& format, std::uint32_t n) {
  const std::uint32_t hash = texel_hash(n);
  if (format.kind == TexelKind::floating && format.bits == 16) return 0x3400u | (hash & 0x8bff);
  if (format.kind == TexelKind::floating) {
    const auto number = static_cast<std::int32_t>(hash >> 8 & 0xffff) - 32768;
    return std::bit_cast<std::uint32_t>(static_cast<float>(number) / 256);
  }
  return format.bits == 32 ? hash : hash & ((1u << format.bits) - 1);
}

struct Sample {
  std::array<std::uint32_t, 4> at{}, result{};
};

struct Case {
  std::string line, shape, format, filter, address, coordinates, read;
  unsigned width = 0, height = 0, depth = 0;
  float color = 0;
  std::vector<Sample> samples;
};

std::vector<Case> recorded() {
  std::ifstream file(std::string(GRIDSTRIDE_TEXTURE_TESTDATA) + "/sampling_h200.txt");
  EXPECT_TRUE(file.good());
  std::vector<Case> cases;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string word;
    if (line.starts_with("case ")) {
      Case one;
      one.line = line;
      words >> word >> one.shape >> one.format >> one.width >> one.height >> one.depth >>
          one.filter >> one.address >> one.coordinates >> one.read >> one.color;
      cases.push_back(one);
      continue;
    }
    while (words >> word) {
      Sample s;
      EXPECT_EQ(std::sscanf(word.c_str(), "%x,%x,%x,%x>%x,%x,%x,%x", &s.at[0], &s.at[1], &s.at[2],
                            &s.at[3], &s.result[0], &s.result[1], &s.result[2], &s.result[3]),
                8);
      cases.back().samples.push_back(s);
    }
  }
  return cases;
}

/// The texture of a case, in memory of its own.
struct Scene {
  explicit Scene(const Case& c) {
    format.kind = c.format[0] == 'f'   ? TexelKind::floating
                  : c.format[0] == 's' ? TexelKind::signed_integer
                                       : TexelKind::unsigned_integer;
    format.bits = static_cast<std::uint8_t>(std::stoi(c.format.substr(1)));
    format.channels = static_cast<std::uint8_t>(c.format.back() - '0');
    const bool cube = c.shape == "cube" || c.shape == "acube";
    const bool flat = c.shape == "1d" || c.shape == "a1d" || c.shape == "fetch";
    const unsigned slices = cube ? 6 * c.depth : c.depth;
    TextureDescription how;
    if (c.shape == "fetch" || c.shape == "pitch") {
      how.width = c.width;
      how.height = c.shape == "pitch" ? c.height : 0;
      how.pitch = 512;
      how.format = format;
      how.address = memory.allocate(512 * c.height);
    } else {
      ArrayShape shape{.format = format, .width = c.width, .height = flat ? 0 : c.height};
      shape.layered = c.shape[0] == 'a';
      shape.cubemap = cube;
      shape.gather = c.shape.starts_with("gather");
      if (shape.layered || cube || c.shape == "3d") shape.depth = slices;
      how.array = registry.add_array(shape);
    }
    how.modes.fill(c.address == "wrap"     ? AddressMode::wrap
                   : c.address == "clamp"  ? AddressMode::clamp
                   : c.address == "mirror" ? AddressMode::mirror
                                           : AddressMode::border);
    how.linear = c.filter == "linear";
    how.normalized = c.coordinates == "normalized";
    how.normalized_float = c.read != "element";
    how.srgb = c.read == "srgb";
    for (unsigned i = 0; i < 4; ++i) how.border[i] = c.color * static_cast<float>(i + 1);
    texture = registry.texture(registry.add_texture(how));
    std::uint32_t n = 0;
    for (unsigned z = 0; z < slices; ++z) {
      for (unsigned y = 0; y < c.height; ++y) {
        for (unsigned x = 0; x < c.width; ++x) {
          std::byte* to = memory.host(texture->region.texel(x, y, z));
          for (unsigned k = 0; k < format.channels; ++k) {
            const std::uint32_t bits = texel_bits(format, n++);
            std::memcpy(to + k * format.bits / 8, &bits, format.bits / 8);
          }
        }
      }
    }
  }

  TexelValue fetch(const std::string& shape, const std::array<std::uint32_t, 4>& at) const {
    static const std::map<std::string, TexelGeometry> geometries = {
        {"1d", TexelGeometry::d1},      {"fetch", TexelGeometry::d1},
        {"2d", TexelGeometry::d2},      {"pitch", TexelGeometry::d2},
        {"3d", TexelGeometry::d3},      {"a1d", TexelGeometry::a1},
        {"a2d", TexelGeometry::a2},     {"cube", TexelGeometry::cube},
        {"acube", TexelGeometry::acube}};
    FetchCoordinates where;
    where.x = std::bit_cast<float>(at[0]);
    where.y = std::bit_cast<float>(at[1]);
    where.z = std::bit_cast<float>(at[2]);
    where.layer = at[3];
    where.integer = shape == "fetch";
    where.texel = static_cast<std::int32_t>(at[3]);
    if (shape.starts_with("gather")) {
      return gather(*texture, plan_gather(*texture, where),
                    static_cast<std::uint32_t>(shape.back() - '0'), memory);
    }
    return filter(*texture, plan_fetch(*texture, geometries.at(shape), where), memory);
  }

  GlobalMemory memory{16 << 20};
  TextureRegistry registry{memory};
  TexelFormat format;
  const Texture* texture = nullptr;
};

/// How far a channel may be from the recorded one. All are the same bit for bit but two: sRGB, of
/// which the hardware keeps some 8 bits, and filtered signed bytes, which it may round the other
/// way.
double tolerance(const Case& c) {
  if (c.read == "srgb") return 0.003;
  return c.format.starts_with("s8") && c.filter == "linear" ? 1.1 / 32767 : 0;
}

bool agree(const TexelValue& a, const TexelValue& b, double tolerance) {
  for (unsigned i = 0; i < 4; ++i) {
    if (a[i] == b[i]) continue;
    const double x = std::bit_cast<float>(a[i]), y = std::bit_cast<float>(b[i]);
    if (!(std::fabs(x - y) <= tolerance)) return false;
  }
  return true;
}

TEST(Sampling, IsThatOfAnH200) {
  const std::vector<Case> cases = recorded();
  ASSERT_GT(cases.size(), 50u);
  for (const Case& c : cases) {
    const Scene scene(c);
    for (const Sample& sample : c.samples) {
      const TexelValue got = scene.fetch(c.shape, sample.at);
      std::ostringstream place;
      for (unsigned i = 0; i < 3; ++i) place << std::bit_cast<float>(sample.at[i]) << " ";
      EXPECT_TRUE(agree(got, sample.result, tolerance(c)))
          << c.line << " at " << place.str() << static_cast<int>(sample.at[3]) << ": got "
          << testing::PrintToString(got) << ", recorded " << testing::PrintToString(sample.result);
    }
  }
}

}  // namespace
}  // namespace gridstride::sim
