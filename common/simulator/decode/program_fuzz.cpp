// Fuzz target: bytes as PTX, parsed and decoded as a program that is about to run. Nothing but
// ParseError and Unsupported may come of them.
//
//   program_fuzz -max_total_time=600 FOLDER common/simulator/ptx/testdata
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/decode/make_program.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridstride::sim;
  try {
    GlobalMemory memory(1 << 20);
    ModuleInfo info;
    make_program(ptx::parse({reinterpret_cast<const char*>(data), size}), memory, info);
  } catch (const ptx::ParseError&) {
    // Said in words what is wrong: that is all that is asked.
  } catch (const Unsupported&) {
  }
  return 0;
}
