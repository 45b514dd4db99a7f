// The CUDA compiler, for programs that come as source.
#pragma once

#include <cstdint>
#include <filesystem>

#include "grader/cli/command.h"

namespace gridstride::cli {

/// In the course's tree: says which compiler nvcc can hand host code to.
inline constexpr const char* host_compiler_script = "common/tools/host_compiler.sh";

/// nvcc in PATH, or where the installer leaves it; empty when there is none.
std::filesystem::path find_nvcc();

/// What GPUs of other hosts are taken for, as in CMakePresets.json: Hopper. Any other compiles PTX.
inline constexpr int gpus_elsewhere = 90;

/// What stages get beside PTX (StageToBuild::machine_code) where a GPU of this compute capability, 90 for 9.0, is to
/// run them: that, or 0 where this nvcc makes no code for it.
std::uint32_t machine_code_for(int capability, const std::filesystem::path& nvcc);

/// Whether `name` is CUDA source rather than a program.
bool is_source(const std::filesystem::path& name);

/// Compiles one file to a program in `folder` that the simulated GPU runs: shared runtime, PTX, machine code
/// for its compute capability, of which it reads the registers of kernels, line numbers; with `debug` without
/// machine code and with what a debugger wants; `#include "…"` is also looked up from the course's folder. The compiler's words go
/// to standard error. Throws UsageError when there is no such file, FallsShort when the
/// compiler refuses it, std::runtime_error when there is no compiler.
std::filesystem::path compile(const std::filesystem::path& source, const Places& places,
                              const std::filesystem::path& folder, int capability,
                              bool debug = false);

}  // namespace gridstride::cli
