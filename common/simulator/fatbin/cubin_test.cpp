// Machine code as this nvcc makes it, and what is left of it after damage.
#include "common/simulator/fatbin/cubin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/files.h"
#include "common/simulator/fatbin/fatbin.h"

namespace gridstride::sim::fatbin {
namespace {

const std::string made = GRIDSTRIDE_FATBIN_MADE "/";

std::string code_of(const std::string& file, std::uint32_t capability) {
  const std::string bytes = read_file(made + file);
  return best_machine_code(std::as_bytes(std::span(bytes)), capability);
}

std::string error_of(std::string_view elf) {
  try {
    registers_in(elf);
  } catch (const FatbinError& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
T get(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Where the header of section `index` begins.
std::size_t section(const std::string& elf, std::size_t index) {
  return get<std::uint64_t>(elf, 40) + 64 * index;
}

/// The header of the section of that name.
std::size_t section_named(const std::string& elf, const std::string& wanted) {
  const std::size_t names = get<std::uint64_t>(elf, section(elf, get<std::uint16_t>(elf, 62)) + 24);
  for (std::size_t i = 0; i < get<std::uint16_t>(elf, 60); ++i) {
    if (elf.c_str() + names + get<std::uint32_t>(elf, section(elf, i)) == wanted)
      return section(elf, i);
  }
  ADD_FAILURE() << "no section " << wanted;
  return 0;
}

TEST(Cubin, HasTheRegistersThatPtxasTellsOf) {
  Registers said;
  const std::string text = read_file(made + "ptxas.txt");
  const std::regex kernel("entry function '(\\w+)'[^]*?Used (\\d+) registers");
  for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at)
    said[(*at)[1]] = static_cast<std::uint32_t>(std::stoul((*at)[2]));
  ASSERT_EQ(said.size(), 2u) << text;
  for (const char* file : {"none.fatbin", "size.fatbin"})
    EXPECT_EQ(registers_in(code_of(file, 90)), said) << file;
}

TEST(Cubin, IsTheOneThatADriverWouldLoad) {
  const auto registers = [](std::uint32_t capability) {
    return registers_in(code_of("none.fatbin", capability)).size();
  };
  const auto architecture = [](std::uint32_t capability) {
    return get<std::uint32_t>(code_of("none.fatbin", capability), 48) >> 8 & 0xff;
  };
  for (const auto& [capability, of] :
       {std::pair(75u, 75u), {80u, 80u}, {86u, 86u}, {89u, 86u}, {90u, 90u}, {100u, 100u}}) {
    EXPECT_EQ(architecture(capability), of);
    EXPECT_EQ(registers(capability), 2u) << capability;
  }
  EXPECT_EQ(code_of("none.fatbin", 70), "");   // older than all of its major version
  EXPECT_EQ(code_of("none.fatbin", 103), "");  // code for sm_100a runs on 10.0 alone
  EXPECT_EQ(code_of("none.fatbin", 120), "");
}

/// What a kernel calls is not known yet, nor what registers that takes.
TEST(Cubin, SaysNothingBeforeItIsLinked) {
  const std::string code = code_of("relocatable.fatbin", 90);
  EXPECT_FALSE(code.empty());
  EXPECT_TRUE(registers_in(code).empty());
}

TEST(Cubin, OlderCompilersPutThemIntoTheHeadersOfSections) {
  std::string code = code_of("none.fatbin", 90);
  // No attributes, and 26 and 10 in the high bytes.
  put<std::uint32_t>(code, section_named(code, ".nv.info") + 4, 1);
  EXPECT_TRUE(registers_in(code).empty());
  for (const auto& [name, count] :
       {std::pair(".text._Z5weighPKfPfi", 26u), {".text._Z11store_sevenPi", 10u}}) {
    const std::size_t info = section_named(code, name) + 44;
    put(code, info, get<std::uint32_t>(code, info) | count << 24);
  }
  EXPECT_EQ(registers_in(code), (Registers{{"_Z5weighPKfPfi", 26}, {"_Z11store_sevenPi", 10}}));
}

TEST(Cubin, RefusesWhatCannotBe) {
  const std::string good = code_of("none.fatbin", 90);
  EXPECT_EQ(error_of(""), "damaged machine code: no ELF file of 64 bits");
  EXPECT_EQ(error_of(std::string(64, '\0')), "damaged machine code: no ELF file of 64 bits");
  std::string bad = good;
  put<std::uint16_t>(bad, 18, 62);
  EXPECT_EQ(error_of(bad), "damaged machine code: code of another machine");
  bad = good;
  put<std::uint64_t>(bad, 40, ~std::uint64_t{0});
  EXPECT_EQ(error_of(bad), "damaged machine code: a part that is cut off");
  bad = good;
  put<std::uint16_t>(bad, 62, 0xffff);
  EXPECT_EQ(error_of(bad), "damaged machine code: a section that is not there");
  const std::size_t info = section_named(good, ".nv.info");
  const auto attributes = get<std::uint64_t>(good, info + 24);
  bad = good;
  put<std::uint64_t>(bad, info + 32, ~std::uint64_t{0});
  EXPECT_EQ(error_of(bad), "damaged machine code: a part that is cut off");
  bad = good;
  put<std::uint8_t>(bad, attributes, 9);
  EXPECT_EQ(error_of(bad), "damaged machine code: an attribute of unknown format");
  ASSERT_EQ(get<std::uint16_t>(good, attributes), 0x2f04);  // the first is of registers
  bad = good;
  put<std::uint32_t>(bad, attributes + 8, 256);
  EXPECT_EQ(error_of(bad), "damaged machine code: an impossible number of registers");
  bad = good;
  put<std::uint32_t>(bad, attributes + 4, 0xffffffff);
  EXPECT_EQ(error_of(bad), "damaged machine code: a number that is cut off");
}

/// Any number of attributes may tell of a symbol, whose name may be as long as the file.
TEST(Cubin, TakesTimeInProportionToItsLength) {
  std::string code = code_of("none.fatbin", 90);
  const std::size_t info = section_named(code, ".nv.info");
  const std::size_t names = section_named(code, ".strtab");
  const std::string attribute = code.substr(get<std::uint64_t>(code, info + 24), 12);
  constexpr std::size_t count = 200'000, length = 4'000'000;
  put<std::uint64_t>(code, info + 24, code.size());
  put<std::uint64_t>(code, info + 32, count * attribute.size());
  for (std::size_t i = 0; i < count; ++i) code += attribute;
  put<std::uint64_t>(code, names + 24, code.size());
  put<std::uint64_t>(code, names + 32, length);
  code.append(length, 'a');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of(code), "damaged machine code: more names than it has room for");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(Cubin, SurvivesAnyTruncation) {
  const std::string code = code_of("none.fatbin", 90);
  for (std::size_t length = 0; length < code.size(); length += 7) {
    try {
      EXPECT_LE(registers_in(std::string_view(code).substr(0, length)).size(), 2u);
    } catch (const FatbinError&) {
      continue;
    }
  }
}

TEST(Cubin, SurvivesAnyDamage) {
  const std::string good = code_of("none.fatbin", 90);
  std::mt19937 random(1);  // NOLINT: the same damage in every run
  for (int round = 0; round < 30000; ++round) {
    std::string bad = good;
    for (int change = 0; change < 3; ++change) {
      std::size_t at = random() % 64;
      if (round % 3 == 1) at = get<std::uint64_t>(good, 40) + random() % (64 * 16);
      if (round % 3 == 2) at = random() % good.size();
      bad[std::min(at, good.size() - 1)] = static_cast<char>(random());
    }
    try {
      for (const auto& [name, count] : registers_in(bad)) EXPECT_LE(count, 255u);
    } catch (const FatbinError&) {
      continue;  // refused, which is as good as read
    }
  }
}

TEST(Cubin, DamageInAContainerIsRefused) {
  for (const char* file : {"none.fatbin", "size.fatbin"}) {
    const std::string good = read_file(made + file);
    std::mt19937 random(2);  // NOLINT: the same damage in every run
    for (int round = 0; round < 1000; ++round) {
      std::string bad = good;
      for (int change = 0; change < 3; ++change)
        bad[random() % bad.size()] = static_cast<char>(random());
      try {
        registers_in(best_machine_code(std::as_bytes(std::span(bad)), 90));
      } catch (const FatbinError&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace gridstride::sim::fatbin
