// Fuzz target: bytes as a fat binary, and as machine code. Nothing but FatbinError may come of them.
//
//   fatbin_fuzz -max_total_time=600 FOLDER common/simulator/fatbin/testdata
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/simulator/fatbin/cubin.h"
#include "common/simulator/fatbin/fatbin.h"

namespace {

template <class Read>
void attempt(Read&& read) {
  try {
    read();
  } catch (const gridstride::sim::fatbin::FatbinError&) {
    // Said in words what is wrong: that is all that is asked.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridstride::sim::fatbin;
  const auto bytes = std::as_bytes(std::span(data, size));
  attempt([&] { best_ptx(bytes, 90); });
  attempt([&] { registers_in(best_machine_code(bytes, 90)); });
  attempt([&] { registers_in({reinterpret_cast<const char*>(data), size}); });
  return 0;
}
