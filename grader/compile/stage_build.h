// Builds one stage library without a build system: the compiler's and the linker's command, each under
// guard (guard.h), and what says that there is nothing to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/compile/guard.h"
#include "grader/compile/toolchain.h"

namespace gridstride {

struct StageToBuild {
  std::filesystem::path tree;             ///< the course: includes are looked up from here
  std::string lab;                        ///< its name
  std::vector<std::string> headers;       ///< what stages may include of labs/<lab> beside <lab>.h
  std::uint32_t compute_capability = 75;  ///< that the PTX is for
  std::uint32_t machine_code =
      0;                     ///< a GPU's: code for it is beside the PTX; 0: the simulated GPU's
  bool relocatable = false;  ///< kernels launch kernels: device code is linked too
  bool debug = false;        ///< for a debugger: nothing optimized, and what is where
  /// The adapter through which the runner calls a stage, compiled: an object of the course's own.
  std::filesystem::path contract;
  std::filesystem::path copies;   ///< the folder of copies (GuardedCommand::copies)
  std::filesystem::path source;   ///< the text to compile, which nobody trusts; in `copies`
  std::filesystem::path library;  ///< <stage>.so; stage_files.h says what is left beside it
};

/// The commands that make the library, in their order. They are those of gridstride_stage() in
/// common/cmake/GridstrideLab.cmake, which stage_build_test holds against these.
std::vector<GuardedCommand> commands_for(const StageToBuild& stage, const Toolchain& toolchain);

/// Whether the library was made by build_stage() of the text in `source`, of the contract and the
/// course's headers as they are now, and by this nvcc. That the course has been moved does not count.
bool is_built(const StageToBuild& stage, const std::filesystem::path& nvcc);

/// Makes the library. False when the source is at fault, and the log says how; throws
/// std::runtime_error when something else is, which infrastructure_of(library) says too.
bool build_stage(const StageToBuild& stage, const Toolchain& toolchain);

}  // namespace gridstride
