// Containers as nvcc writes them, and what is left of them after damage.
#include "common/simulator/fatbin/fatbin.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace gridstride::sim::fatbin {
namespace {

std::vector<std::byte> load(const std::string& name) {
  std::ifstream file(std::string(GRIDSTRIDE_FATBIN_TESTDATA) + '/' + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::string error_of(const std::vector<std::byte>& bytes) {
  try {
    ptx_images(bytes);
  } catch (const FatbinError& error) {
    return error.what();
  }
  return "no error";
}

class Compression : public testing::TestWithParam<const char*> {};

TEST_P(Compression, GivesTheSameText) {
  const auto bytes = load(std::string(GetParam()) + ".fatbin");
  EXPECT_EQ(container_size(bytes), bytes.size());
  const auto images = ptx_images(bytes);
  ASSERT_EQ(images.size(), 1u);
  EXPECT_EQ(images[0].architecture, 75u);
  EXPECT_EQ(images[0].text, ptx_images(load("none.fatbin")).at(0).text);
  EXPECT_NE(images[0].text.find(".visible .entry _Z11store_sevenPi("), std::string::npos);
  EXPECT_EQ(images[0].text.find('\0'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Modes, Compression, testing::Values("none", "speed", "size", "balance"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST(Fatbin, PassesOverMachineCode) {
  const auto images = ptx_images(load("several.fatbin"));
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0].architecture, 75u);
  EXPECT_EQ(images[1].architecture, 80u);
  EXPECT_EQ(images[2].architecture, 90u);
}

TEST(Fatbin, TakesTheNewestThatRuns) {
  const auto bytes = load("several.fatbin");
  EXPECT_EQ(best_ptx(bytes, 75).architecture, 75u);
  EXPECT_EQ(best_ptx(bytes, 89).architecture, 80u);
  EXPECT_EQ(best_ptx(bytes, 90).architecture, 90u);
  EXPECT_EQ(best_ptx(bytes, 100).architecture, 80u);  // compute_90a runs on 9.0 alone
}

TEST(Fatbin, SaysHowToBuildWithPtx) {
  const auto message = [](const char* name, std::uint32_t capability) {
    try {
      best_ptx(load(name), capability);
    } catch (const FatbinError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("machine_code.fatbin", 90),
            "the program was built without PTX: add -gencode arch=compute_80,code=compute_80");
  EXPECT_EQ(
      message("none.fatbin", 70),
      "the program has PTX for compute_75 only, which does not run on compute capability 7.0: "
      "add -gencode arch=compute_80,code=compute_80");
}

TEST(Fatbin, AcceptsBytesBehindTheContainer) {
  auto bytes = load("balance.fatbin");
  bytes.resize(bytes.size() + 100);
  EXPECT_EQ(ptx_images(bytes).size(), 1u);
}

TEST(Fatbin, RefusesImpossibleHeaders) {
  const auto good = load("balance.fatbin");
  auto bad = good;
  put<std::uint32_t>(bad, 0, 1);
  EXPECT_EQ(error_of(bad), "damaged fat binary: no container magic at offset 0");
  bad = good;
  put<std::uint64_t>(bad, 8, ~std::uint64_t{0});
  EXPECT_EQ(error_of(bad), "damaged fat binary: an impossible size at offset 6");
  bad = good;
  put<std::uint32_t>(bad, 16 + 4, 8);
  EXPECT_EQ(error_of(bad), "damaged fat binary: an entry with an impossible header at offset 16");
  bad = good;
  put<std::uint64_t>(bad, 16 + 8, ~std::uint64_t{0});
  EXPECT_EQ(error_of(bad), "damaged fat binary: an entry that is cut off at offset 16");
  bad = good;
  put<std::uint32_t>(bad, 16 + 16, 0x7fffffff);
  EXPECT_EQ(error_of(bad),
            "damaged fat binary: compressed data longer than its entry at offset 16");
}

TEST(Fatbin, RefusesAbsurdSizesBeforeAllocating) {
  for (const char* name : {"balance.fatbin", "speed.fatbin"}) {
    auto bytes = load(name);
    put<std::uint64_t>(bytes, 16 + 56, std::uint64_t{1} << 50);
    EXPECT_NE(error_of(bytes).find("are not accepted"), std::string::npos) << name;
    put<std::uint64_t>(bytes, 16 + 56, 50u << 20);
    EXPECT_NE(error_of(bytes).find("another length than it says"), std::string::npos) << name;
    put<std::uint64_t>(bytes, 16 + 56, 10);
    EXPECT_NE(error_of(bytes), "no error") << name;
  }
}

TEST(Fatbin, SurvivesAnyTruncation) {
  for (const char* name : {"none.fatbin", "speed.fatbin", "balance.fatbin"}) {
    const auto bytes = load(name);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_NE(error_of({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}),
                "no error")
          << name << " cut to " << length;
  }
}

TEST(Fatbin, SurvivesAnyDamage) {
  std::mt19937 random(1);  // NOLINT: the same damage in every run
  for (const char* name : {"none.fatbin", "speed.fatbin", "balance.fatbin", "several.fatbin"}) {
    const auto good = load(name);
    for (int round = 0; round < 3000; ++round) {
      auto bytes = good;
      for (int change = 0; change < 3; ++change)
        bytes[random() % (round % 2 == 0 ? 128 : bytes.size())] = static_cast<std::byte>(random());
      try {
        for (const PtxImage& image : ptx_images(bytes)) EXPECT_LE(image.text.size(), 64u << 20);
      } catch (const FatbinError&) {
        continue;  // refused, which is as good as read
      }
    }
  }
}

}  // namespace
}  // namespace gridstride::sim::fatbin
