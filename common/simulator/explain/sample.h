// A small report for tests: one kernel that turns a matrix round, with its source.
#pragma once

#include <string>

#include "common/simulator/explain/explained.h"

namespace gridstride::sim {

inline Explained sample_explained() {
  using nlohmann::json;
  const std::string file = "/src/transpose.cu";
  const auto line = [&](int number, double share, int sectors, int ideal) {
    return json{{"file", file},           {"line", number},       {"share", share},
                {"instructions", 100},    {"active_lanes", 32.0}, {"sectors", sectors},
                {"ideal_sectors", ideal}, {"wavefronts", 0},      {"ideal_wavefronts", 0},
                {"atomics", 0},           {"findings", 0}};
  };
  const json kernel = {
      {"kernel", "transpose(float const*, float*, int)"},
      {"parent", ""},
      {"launches", 1},
      {"seconds", 20e-6},
      {"share", 1.0},
      {"grid", {32, 32, 1}},
      {"block", {32, 8, 1}},
      {"shared_bytes", 0},
      {"registers", 16},
      {"registers_estimated", true},
      {"occupancy", 1.0},
      {"occupancy_limiter", "threads"},
      {"resident_blocks", 8},
      {"limiter", "dram"},
      {"headline", "It is bound by device memory (DRAM), at 90 % of what the device can."},
      {"bounds", {{{"part", "dram"}, {"seconds", 18e-6}}, {{"part", "issue"}, {"seconds", 2e-6}}}},
      {"achieved", {{"flops", 0}, {"dram_bytes", 2e6}, {"l2_bytes", 6e6}}},
      {"lines", {line(4, 0.9, 800, 100), line(5, 0.01, 0, 0)}},
      {"advice",
       {{{"rule", "global access"},
         {"file", file},
         {"line", 4},
         {"text", "neighbouring threads write 4 KiB apart: 32 sectors a request where 4 would do"},
         {"repair", "Let neighbouring threads take neighbouring elements."},
         {"saved_seconds", 14e-6},
         {"saved_share", 0.7}}}},
      {"findings", json::array()}};
  Explained one;
  one.title = "transpose/1_plain";
  one.report = {
      {"device",
       {{"name", "Simulated"}, {"roofs", {{"dram", 130e9}, {"l2", 250e9}, {"fp32", 1.9e12}}}}},
      {"seconds", 20e-6},
      {"refusals", json::array()},
      {"notes", json::array()},
      {"kernels", {kernel}}};
  one.sources[file] =
      "// Turns a matrix round.\n"
      "__global__ void transpose(const float* in, float* out, int n) {\n"
      "  const int x = blockIdx.x * 32 + threadIdx.x;\n"
      "  out[x * n + y] = in[y * n + x];\n"
      "}\n";
  one.comparison = {"Against 0_baseline: 40.00 us then, 20.00 us now, 2 times as fast."};
  return one;
}

}  // namespace gridstride::sim
