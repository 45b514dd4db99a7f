#include "grader/cli/toolkit.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/text.h"
#include "grader/cli/command.h"
#include "grader/cli/gpu_libraries.h"
#include "grader/cli/stage_builder.h"
#include "grader/compile/toolchain.h"
#include "grader/course/lab_path.h"

namespace gridstride::cli {
namespace fs = std::filesystem;

fs::path find_nvcc() {
  const fs::path nvcc = find_program("nvcc");
  return nvcc.empty() ? find_program("/usr/local/cuda/bin/nvcc") : nvcc;
}

std::uint32_t machine_code_for(int capability, const fs::path& nvcc) {
  if (capability <= 0) return 0;
  const std::string wanted = "sm_" + std::to_string(capability);
  bool known = false;
  Subprocess list;
  list.command = {nvcc.string(), "--list-gpu-code"};
  list.hide_errors = true;
  list.on_line = [&](std::string_view line) { known = known || line == wanted; };
  run_process(list);
  return known ? static_cast<std::uint32_t>(capability) : 0;
}

bool is_source(const fs::path& name) { return name.extension() == ".cu"; }

namespace {

/// What nvcc takes in place of its own choice; empty when that will do. CMake has found it already.
fs::path host_compiler(const fs::path& nvcc, const Places& places) {
  if (is_handed_out(places.build()))
    return find_toolchain(nvcc, places.tree() / host_compiler_script).host_compiler;
  const fs::path note = places.build() / "host_compiler.txt";
  return fs::exists(note) ? fs::path(read_file(note)) : fs::path();
}

}  // namespace

fs::path compile(const fs::path& source, const Places& places, const fs::path& folder,
                 int capability, bool debug) {
  if (!fs::is_regular_file(source)) throw UsageError("There is no file " + source.string() + ".");
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty())
    throw std::runtime_error(
        source.string() + " needs nvcc to be compiled, and there is none: `lab doctor` says more.");
  const fs::path program = folder / source.stem();
  std::vector<std::string> flags = {"-g",       debug ? "-G" : "-lineinfo",
                                    "-cudart",  "shared",
                                    "-gencode", "arch=compute_75,code=compute_75"};
  if (const std::uint32_t code = debug ? 0 : machine_code_for(capability, nvcc); code != 0) {
    const std::string number = std::to_string(code);
    flags.insert(flags.end(), {"-gencode", "arch=compute_" + number + ",code=sm_" + number});
  }
  const fs::path tree = places.tree();
  Subprocess compiler;
  compiler.command = {nvcc.string(), "-isystem", (tree / "common/glibc_overlay").string()};
  if (const fs::path host = host_compiler(nvcc, places); !host.empty())
    compiler.command.insert(compiler.command.end(), {"-ccbin", host.string()});
  compiler.command.insert(compiler.command.end(), flags.begin(), flags.end());
  // The full path: it is what the debug information names, and reports look it up.
  compiler.command.insert(compiler.command.end(), {"-I", tree.string(), "-o", program.string(),
                                                   fs::absolute(source).string()});
  if (run_process(compiler).succeeded()) return program;
  constexpr std::size_t largest = std::size_t{1} << 26;
  const std::string text = read_file(source, largest);
  const std::string path = fs::absolute(source).string();
  if (const auto odd = path.find_first_of("$`\n"); odd != std::string::npos)
    throw FallsShort(source.string() + " does not compile: see above. nvcc does not take it with " +
                     escaped(path.substr(odd, 1)) + " in its path: rename it.");
  const std::string libraries = about_included_libraries(text);
  const std::string about_libraries = libraries.empty() ? "" : " " + libraries;
  // The linker's words for it name neither the file nor what is missing.
  if (!has_main(text))
    throw FallsShort(source.string() +
                     " does not compile: see above. There is no main() in it, where a program "
                     "begins; a stage that was handed in is named as LAB/STAGE, with --from FOLDER "
                     "(grade, debug)." +
                     about_libraries);
  std::string command = "nvcc";
  for (const std::string& flag : flags) command += " " + flag;
  throw FallsShort(source.string() +
                   " does not compile: see above. Where it needs other options, "
                   "compile it yourself (" +
                   command + " …) and run `lab sim -- ./PROGRAM`." + about_libraries);
}

}  // namespace gridstride::cli
