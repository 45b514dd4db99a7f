// Arithmetic instructions against what an H200 made of the same values.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/isa/arithmetic/ops_test_machine.h"

namespace gridstride::sim {
namespace {

struct Recorded {
  std::vector<std::uint64_t> sources;
  std::uint64_t result = 0;
};

std::vector<Recorded> parse_cases(const std::string& text) {
  std::vector<Recorded> cases;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    Recorded recorded;
    const std::size_t arrow = word.find('>');
    std::istringstream sources(word.substr(0, arrow));
    for (std::string source; std::getline(sources, source, ',');)
      recorded.sources.push_back(std::stoull(source, nullptr, 16));
    recorded.result = std::stoull(word.substr(arrow + 1), nullptr, 16);
    cases.push_back(std::move(recorded));
  }
  return cases;
}

std::vector<std::string> registers_of(const std::string& line) {
  std::vector<std::string> names;
  for (std::size_t at = line.find('%'); at != std::string::npos; at = line.find('%', at + 1))
    names.push_back(line.substr(at, 3));
  return names;
}

/// The bits as a number, for instructions whose results are approximate.
double number_of(std::uint64_t bits, const std::string& line, char kind) {
  if (kind == 'd') return std::bit_cast<double>(bits);
  if (kind == 'f') return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  // 16-bit formats, told by the instruction's type.
  const bool bfloat = line.find("bf16") != std::string::npos;
  const auto half = static_cast<std::uint32_t>(bits & 0xffff);
  if (bfloat) return std::bit_cast<float>(half << 16);
  const std::uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  if (exponent == 31) return fraction != 0 ? NAN : (half >> 15 ? -INFINITY : INFINITY);
  const double magnitude = exponent == 0
                               ? std::ldexp(fraction, -24)
                               : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
  return half >> 15 ? -magnitude : magnitude;
}

/// How far an approximation may be from another: the bounds that the PTX ISA gives, doubled where
/// two approximations lie on both sides of the exact value.
struct Bound {
  double relative = 0, absolute = 0;
};
Bound bound_of(const std::string& line) {
  const std::string opcode = line.substr(0, line.find('.'));
  const bool half = line.find("f16") != std::string::npos;
  if (half) return {line.find("bf16") != std::string::npos ? 0x1p-7 : 0x1p-9, 0};
  if (opcode == "sin" || opcode == "cos") return {0, 0x1p-14};
  if (opcode == "tanh") return {0x1p-11, 0};
  if (opcode == "lg2") return {0x1p-22, 0x1p-22};
  return {0x1p-21, 0};
}

bool near(double a, double b, const Bound& bound) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= bound.absolute + bound.relative * std::fabs(b);
}

bool agrees(const std::string& line, char kind, const Recorded& recorded, std::uint64_t got) {
  const std::uint64_t expected = recorded.result;
  if (got == expected) return true;
  const double a = number_of(got, line, kind), b = number_of(expected, line, kind);
  // Which of two double-precision NaNs comes through is not the ISA's business.
  if (kind == 'd' && std::isnan(a) && std::isnan(b)) return true;
  const bool approximate = line.find(".approx") != std::string::npos || line.find("div.full") == 0;
  if (!approximate) return false;
  // Sines of angles beyond 100 pi have no bound.
  const double angle = number_of(recorded.sources[0], line, 'f');
  if ((line.find("sin") == 0 || line.find("cos") == 0) && !(std::fabs(angle) <= 314)) return true;
  const Bound bound = bound_of(line);
  if (line.find("16x2") != std::string::npos)
    return near(a, b, bound) &&
           near(number_of(got >> 16, line, 'h'), number_of(expected >> 16, line, 'h'), bound);
  return near(a, b, bound);
}

/// The lines of the record: instruction, '|', cases.
std::vector<std::string> record() {
  std::ifstream file(GRIDSTRIDE_EXEC_TESTDATA "/arithmetic_h200.txt");
  EXPECT_TRUE(file.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

TEST(Recorded, ResultsAreThoseOfTheHardware) {
  const std::vector<std::string> lines = record();
  EXPECT_GT(lines.size(), 800u);
  for (const std::string& line : lines) {
    const std::size_t bar = line.find('|');
    const std::string text = line.substr(0, bar);
    const std::vector<std::string> registers = registers_of(text);
    TestMachine machine;
    const Inst* const inst = machine.decode(text);
    ASSERT_NE(inst, nullptr) << "refused: " << text;
    const std::vector<Recorded> cases = parse_cases(line.substr(bar + 1));
    ASSERT_LE(cases.size(), warp_size);
    for (unsigned lane = 0; lane < cases.size(); ++lane) {
      ASSERT_EQ(cases[lane].sources.size() + 1, registers.size()) << text;
      for (std::size_t i = 0; i < cases[lane].sources.size(); ++i)
        machine.set(registers[i + 1], lane, cases[lane].sources[i]);
    }
    // The warp in two halves, and whole: both handlers are tried.
    for (const bool split : {true, false}) {
      if (split) {
        machine.run(*inst, 0x5555aaaa);
        machine.run(*inst, ~0x5555aaaau);
      } else {
        machine.run(*inst, full_mask);
      }
      for (unsigned lane = 0; lane < cases.size(); ++lane) {
        const std::uint64_t got = machine.get(registers[0], lane);
        std::ostringstream message;
        message << std::hex << text << " of";
        for (const std::uint64_t source : cases[lane].sources) message << ' ' << source;
        EXPECT_TRUE(agrees(text, registers[0][1], cases[lane], got))
            << message.str() << std::hex << " gives " << got << ", on the hardware "
            << cases[lane].result;
      }
    }
  }
}

}  // namespace
}  // namespace gridstride::sim
