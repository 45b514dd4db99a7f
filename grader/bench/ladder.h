// What a lab's bench measured, as a ladder: its stages in their order, each beside the library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/terminal.h"

namespace gridstride {

/// A row of a bench (bench.h).
struct Rung {
  std::string size;         ///< "2^28 floats", what stands before the last '/' of the row's name
  std::string name;         ///< "6_vectorized", "cub::DeviceReduce::Sum"
  bool is_library = false;  ///< what a user would otherwise call
  double seconds = 0;       ///< the median
  double spread = 0;        ///< standard deviation over mean
  double rate = 0;          ///< bytes, or operations, a second; 0 where the row has none
  std::string unit;         ///< of the rate: "B/s", "FLOP/s", "interactions/s"
  std::optional<double> share;  ///< of what the machine can do
  std::string roof;             ///< what that is: "read", "copy", "fp32"
  std::optional<double>
      speed_up;  ///< the library's time over this one's; empty where there is none
};

struct Ladder {
  std::string lab;
  std::string device;  ///< as the bench names it, with its best rates; may be empty
  std::vector<Rung> rungs;
};

/// Reads what Google Benchmark writes with --benchmark_out_format=json. Sizes stand in the order of the
/// bench; of each size the stages by their numbers, then the others. Throws std::runtime_error where
/// the text is something else.
Ladder read_ladder(const std::string& lab, const std::string& json);

/// One table, the size in the first row that has it.
std::string ladder_table(const Ladder& ladder, const TextStyle& style);

/// A page that loads nothing: for each size a bar for each row, as long as it is fast.
std::string ladder_page(const std::vector<Ladder>& ladders);

}  // namespace gridstride
