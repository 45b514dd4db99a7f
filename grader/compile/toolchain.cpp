// nvcc itself says where its libraries are: it knows how it was installed.
#include "grader/compile/toolchain.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/subprocess.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// `#$ LIBRARIES=  "-L/…/bin/../targets/x86_64-linux/lib/stubs" "-L/…/lib"`: the folder that holds the
/// CUDA runtime, or nothing.
fs::path libraries_in(const std::string& dry_run) {
  constexpr std::string_view option = "\"-L";
  for (std::size_t at = dry_run.find(option); at != std::string::npos;
       at = dry_run.find(option, at)) {
    at += option.size();
    const fs::path folder = dry_run.substr(at, dry_run.find('"', at) - at);
    std::error_code missing;
    if (fs::exists(folder / "libcudart.so", missing)) return fs::canonical(folder);
  }
  return {};
}

/// The program that an environment variable names, as build systems read them; empty where none does.
fs::path program_of_variable(const char* variable) {
  const char* const name = std::getenv(variable);
  return name == nullptr || *name == '\0' ? fs::path() : find_program(name);
}

}  // namespace

Toolchain find_toolchain(const fs::path& nvcc, const fs::path& host_compiler_script) {
  Toolchain found;
  found.nvcc = nvcc;
  std::string name = program_of_variable("CUDAHOSTCXX");
  Subprocess search;
  search.command = {host_compiler_script.string(), nvcc.string()};
  search.on_line = [&name](std::string_view line) { name = line; };
  if (name.empty() && !run_process(search).succeeded())
    throw std::runtime_error(nvcc.string() +
                             " takes none of the C++ compilers on this machine. Repair: install " +
                             (name.empty() ? "g++" : name) + ".");
  found.host_compiler = name;
  found.linker = program_of_variable("CXX");
  if (found.linker.empty()) found.linker = find_program("c++");
  if (found.linker.empty()) found.linker = find_program("g++");
  if (found.linker.empty()) found.linker = found.host_compiler;
  if (found.linker.empty())
    throw std::runtime_error("There is no C++ compiler (c++ or g++). Repair: install g++.");
  std::string said;
  Subprocess dry_run;
  dry_run.command = {nvcc.string(), "--dryrun", "-x", "cu", "/dev/null"};
  dry_run.merge_errors = true;  // it is said there
  dry_run.on_line = [&said](std::string_view line) { said += std::string(line) + "\n"; };
  run_process(dry_run);
  found.libraries = libraries_in(said);
  return found;
}

}  // namespace gridstride
