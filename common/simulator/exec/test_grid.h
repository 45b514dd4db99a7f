// For tests: a device of a few megabytes that runs kernels from PTX text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/simulator/count/l2_cache.h"
#include "common/simulator/decode/make_program.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/memory/device_heap.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {

/// `body` as the only kernel, named "k", with pointers `p0`, `p1` … and 32-bit numbers `n0` … as
/// its parameters in that order; %p<20>, %r<40>, %rd<40>, %f<20>, %fd<10>, %h<10> are declared.
inline std::string kernel_text(int pointers, int numbers, const std::string& body,
                               const std::string& module_part = "") {
  std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n" + module_part + "\n.visible .entry k(";
  for (int i = 0; i < pointers; ++i) {
    text += std::string(i > 0 ? ", " : "") + ".param .u64 p" + std::to_string(i);
  }
  for (int i = 0; i < numbers; ++i) {
    text += std::string(pointers + i > 0 ? ", " : "") + ".param .u32 n" + std::to_string(i);
  }
  return text +
         ")\n{\n.reg .pred %p<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"
         ".reg .f32 %f<20>; .reg .f64 %fd<10>; .reg .b16 %h<10>;\n" +
         body + "\n}\n";
}

class TestGrid {
 public:
  explicit TestGrid(const std::string& ptx, std::uint64_t l2_bytes = 1 << 20) : l2(l2_bytes) {
    program = make_program(ptx::parse(ptx), memory, info);
    request.program = program.get();
    request.heap = &heap;
    request.resident_blocks = 8;
    request.instruction_budget = 50'000'000;
  }

  template <class T>
  DeviceAddress upload(const std::vector<T>& values) {
    const DeviceAddress address = memory.allocate(values.size() * sizeof(T));
    std::memcpy(memory.host(address), values.data(), values.size() * sizeof(T));
    memory.initialised().set(address - GlobalMemory::base, values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> download(DeviceAddress address, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.host(address), count * sizeof(T));
    return values;
  }
  DeviceAddress symbol(const std::string& name) const {
    for (const SymbolInfo& symbol : info.symbols) {
      if (symbol.name == name) return symbol.address;
    }
    ADD_FAILURE() << "no variable named " << name;
    return 0;
  }

  template <class... Arguments>
  GridResult launch(Dim3 grid, Dim3 block, Arguments... arguments) {
    return launch_named("", grid, block, arguments...);
  }
  /// The kernel of that name, or else the first whose name holds it.
  template <class... Arguments>
  GridResult launch_named(const std::string& name, Dim3 grid, Dim3 block, Arguments... arguments) {
    const auto& kernels = info.kernels;
    const auto is_it = [&](const KernelInfo& kernel) { return kernel.name == name; };
    const auto holds_it = [&](const KernelInfo& kernel) {
      return kernel.name.find(name) != std::string::npos;
    };
    auto found = std::find_if(kernels.begin(), kernels.end(), is_it);
    if (found == kernels.end()) found = std::find_if(kernels.begin(), kernels.end(), holds_it);
    if (found == kernels.end()) {
      ADD_FAILURE() << "no kernel named " << name;
      return {};
    }
    std::vector<std::byte> bytes(found->argument_bytes);
    if constexpr (sizeof...(arguments) != 0) {
      std::size_t at = 0;
      (pack(bytes, found->parameters.at(at++), arguments), ...);
    }
    request.kernel = static_cast<std::size_t>(found - kernels.begin());
    request.grid = grid;
    request.block = block;
    request.arguments = bytes;
    return run_grid(request, memory, l2);
  }

  GlobalMemory memory{64 << 20};
  DeviceHeap heap{memory};
  L2Cache l2;
  ModuleInfo info;
  std::shared_ptr<const Program> program;
  GridRequest request;

 private:
  template <class T>
  static void pack(std::vector<std::byte>& bytes, const ParameterLayout& where, T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    ASSERT_EQ(sizeof value, where.size);
    std::memcpy(bytes.data() + where.offset, &value, sizeof value);
  }
};

/// Message of the first finding, or a note that there is none.
/// The lines of a finding's two instructions, the smaller first: which of the two comes second is
/// up to the order of the warps.
inline std::pair<std::uint32_t, std::uint32_t> lines_of(const Finding& finding) {
  return std::minmax({finding.where.line, finding.other.line});
}

inline std::string first_message(const GridResult& result) {
  return result.findings.empty() ? "(no finding)" : result.findings.front().message;
}

}  // namespace gridstride::sim
