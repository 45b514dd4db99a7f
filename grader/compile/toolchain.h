// The compilers that make a stage library, and where they are on this machine.
#pragma once

#include <filesystem>

namespace gridstride {

struct Toolchain {
  std::filesystem::path nvcc;
  /// What nvcc hands host code to; empty where its own choice will do.
  std::filesystem::path host_compiler;
  std::filesystem::path linker;  ///< a C++ compiler, which links
  /// The folder of the toolkit's libcudart.so and libcudadevrt.a; empty where the linker finds them.
  std::filesystem::path libraries;
};

/// Looks for what goes with `nvcc`. The environment decides as it does for CMake: CUDAHOSTCXX names what
/// nvcc hands host code to, CXX what links. `host_compiler_script` is common/tools/host_compiler.sh. Throws
/// std::runtime_error, with the repair, when there is no compiler that this nvcc takes.
Toolchain find_toolchain(const std::filesystem::path& nvcc,
                         const std::filesystem::path& host_compiler_script);

}  // namespace gridstride
