// What threads, instructions and memory of a running kernel are called in messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/check/finding.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/program/program.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// A thread of a grid, by linear numbers.
struct ThreadId {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;  ///< in its block
};

/// Instructions are indices into KernelCode::code. What is given lives longer than this.
class PlaceNames {
 public:
  PlaceNames(const Program& program, const KernelCode& kernel, const GlobalMemory& memory,
             const Dim3& grid, const Dim3& block, std::uint32_t shared_bytes)
      : program_(program),
        kernel_(kernel),
        memory_(memory),
        grid_(grid),
        block_(block),
        shared_bytes_(shared_bytes) {}

  const ptx::Location& location(std::uint32_t instruction) const;
  const std::string& file_name(std::uint32_t number) const;  ///< of Module::files
  SourcePosition line_of(std::uint32_t instruction) const;
  /// The same with what is to be said of inlined code.
  SourcePosition position(std::uint32_t instruction) const;

  /// "thread (1, 0, 0) of block (2, 0, 0)".
  std::string thread(const ThreadId& id) const;
  std::string block(std::uint64_t linear) const;  ///< "(2, 0, 0)"
  /// "threads 0 to 15 and 20" of a set of threads of one block, by linear index.
  static std::string threads(const std::vector<std::uint32_t>& threads);
  /// The same with what one does, or several do: "thread 3 waits", "threads 3 and 4 wait".
  static std::string threads(const std::vector<std::uint32_t>& threads, const char* one_does,
                             const char* several_do);
  static std::string index(const Dim3& of);  ///< "(1, 0, 0)"
  /// "__shfl_down_sync()".
  std::string operation(std::uint32_t instruction) const;
  /// "element 3 (of 4 bytes, at 0xa0000000c) of the 4096-byte allocation …".
  std::string global_memory(std::uint64_t address, std::uint32_t width) const;
  std::string shared_memory(std::uint64_t offset, std::uint32_t width) const;

 private:
  /// The instruction of the program that stands behind one of the kernel's.
  const Origin& origin_of(std::uint32_t instruction) const;

  const Program& program_;
  const KernelCode& kernel_;
  const GlobalMemory& memory_;
  Dim3 grid_, block_;
  std::uint32_t shared_bytes_;
};

}  // namespace gridstride::sim
