// Fuzz target: bytes as a fat binary. Nothing but FatbinError may come of them.
//
//   fatbin_fuzz -max_total_time=600 FOLDER common/simulator/fatbin/testdata
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/simulator/fatbin/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridstride::sim::fatbin;
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    best_ptx(bytes, 90);
  } catch (const FatbinError&) {
    // Said in words what is wrong: that is all that is asked.
  }
  return 0;
}
