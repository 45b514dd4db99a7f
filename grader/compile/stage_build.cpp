// What a library was made from stands beside it in <stage>.recipe, written last.
#include "grader/compile/stage_build.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "grader/compile/stage_files.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

/// Of the simulated GPU that grades are given on; the build reads it in that device's profile.
constexpr std::uint32_t simulated_capability = GRIDSTRIDE_SIMULATED_CAPABILITY;

std::string code_for(std::uint32_t capability, const std::string& kind) {
  const std::string number = std::to_string(capability);
  return "--generate-code=arch=compute_" + number + ",code=[" + kind + number + "]";
}

/// PTX, which the simulated GPU runs, and a driver compiles for the GPU it finds; what a newer GPU can do beyond
/// that PTX its own code can. The simulated GPU has its own code too, whatever GPU is at hand, for it reads there how
/// many registers ptxas gave each kernel: so that they are the same on every machine. A debugger's code takes so many
/// more that launches would be refused.
Words architectures(const StageToBuild& stage) {
  std::set<std::uint32_t, std::greater<>> gpus{stage.machine_code};
  if (!stage.debug) gpus.insert(simulated_capability);
  Words words;
  for (const std::uint32_t gpu : gpus)
    if (gpu >= stage.compute_capability) words.push_back(code_for(gpu, "sm_"));
  words.push_back(code_for(stage.compute_capability, "compute_"));
  return words;
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

fs::path beside(fs::path library, const char* extension) {
  return library.replace_extension(extension);
}
fs::path recipe_of(const fs::path& library) { return beside(library, ".recipe"); }
fs::path object_of(const fs::path& library) { return beside(library, ".o"); }
fs::path device_link_of(const fs::path& library) { return beside(library, ".device.o"); }
fs::path header_list_of(const fs::path& library) { return beside(library, ".d"); }

GuardedCommand guard_of(const StageToBuild& stage) {
  GuardedCommand guarded;
  guarded.tree = stage.tree;
  guarded.copies = stage.copies;
  guarded.log = log_of(stage.library);
  guarded.library = stage.library;
  return guarded;
}

Words nvcc_words(const StageToBuild& stage, const Toolchain& toolchain) {
  Words words = {toolchain.nvcc.string(), "-forward-unknown-to-host-compiler"};
  if (!toolchain.host_compiler.empty())
    words.push_back("-ccbin=" + toolchain.host_compiler.string());
  append(words, {"-isystem", (stage.tree / "common/glibc_overlay").string(), "-O3", "-DNDEBUG"});
  append(words, architectures(stage));
  words.emplace_back("-Xcompiler=-fPIC");
  return words;
}

/// Where the toolkit is, unless the sandbox shows that anyway or knows it by nvcc's place.
Words runtime_words(const Toolchain& toolchain) {
  Words words;
  if (!toolchain.libraries.empty()) words.push_back("-L" + toolchain.libraries.string());
  append(words, {"-lcudadevrt", "-lcudart"});
  return words;
}

GuardedCommand compilation(const StageToBuild& stage, const Toolchain& toolchain) {
  GuardedCommand guarded = guard_of(stage);
  const fs::path home = stage.tree / "labs" / stage.lab;
  guarded.readable = {stage.source, home / (stage.lab + ".h")};
  for (const std::string& header : stage.headers) guarded.readable.push_back(home / header);
  guarded.readable.push_back(stage.tree / "common");
  const std::string object = object_of(stage.library).string();
  guarded.command = nvcc_words(stage, toolchain);
  append(guarded.command,
         {"-I" + stage.tree.string(), stage.debug ? "-G" : "-lineinfo", "-UNDEBUG", "-std=c++20",
          "-MD", "-MT", object, "-MF", header_list_of(stage.library).string(), "-x", "cu"});
  if (stage.relocatable) guarded.command.emplace_back("-rdc=true");
  append(guarded.command, {"-c", stage.source.string(), "-o", object});
  return guarded;
}

GuardedCommand device_link(const StageToBuild& stage, const Toolchain& toolchain) {
  GuardedCommand guarded = guard_of(stage);
  guarded.command = nvcc_words(stage, toolchain);
  append(guarded.command,
         {"-Wno-deprecated-gpu-targets", "-shared", "-dlink", stage.contract.string(),
          object_of(stage.library).string(), "-o", device_link_of(stage.library).string()});
  append(guarded.command, runtime_words(toolchain));
  return guarded;
}

GuardedCommand host_link(const StageToBuild& stage, const Toolchain& toolchain) {
  GuardedCommand guarded = guard_of(stage);
  guarded.command = {toolchain.linker.string(),
                     "-fPIC",
                     "-O3",
                     "-DNDEBUG",
                     "-Wl,-z,defs",
                     "-shared",
                     "-o",
                     stage.library.string(),
                     stage.contract.string(),
                     object_of(stage.library).string()};
  if (stage.relocatable) guarded.command.push_back(device_link_of(stage.library).string());
  append(guarded.command, runtime_words(toolchain));
  return guarded;
}

/// Another program than the one that was there: installed anew, or a newer one.
std::string identity_of(const fs::path& program) {
  struct stat status {};
  std::ostringstream words;
  words << program.string();
  if (::stat(program.c_str(), &status) == 0)
    words << ' ' << status.st_size << ' ' << status.st_mtime;
  return words.str();
}

/// "name number": the number follows from what the file holds.
std::string contents_of(const fs::path& tree, const std::string& name) {
  std::string text;
  try {
    text = read_file(tree / name);
  } catch (const std::exception&) {
    return name + " cannot be read\n";
  }
  return name + " " + std::to_string(std::hash<std::string>{}(text)) + "\n";
}

/// All that the library follows from but the source's text, with no word of where the course is.
std::string recipe(const StageToBuild& stage, const fs::path& nvcc) {
  std::string words;
  for (const GuardedCommand& guarded : commands_for(stage, Toolchain{"nvcc", {}, "c++", {}})) {
    for (const std::string& word : guarded.command) words += word + " ";
    words += "\n";
  }
  const std::string tree = stage.tree.string();
  for (std::size_t at = words.find(tree); at != std::string::npos; at = words.find(tree, at))
    words.erase(at, tree.size());
  words += identity_of(nvcc) + "\n";
  words += contents_of(stage.contract.parent_path(), stage.contract.filename().string());
  std::istringstream opened(read_file(headers_of(stage.library)));
  for (std::string file; std::getline(opened, file);) {
    if (fs::path(file).is_relative()) words += contents_of(stage.tree, file);
  }
  return words;
}

}  // namespace

std::vector<GuardedCommand> commands_for(const StageToBuild& stage, const Toolchain& toolchain) {
  std::vector<GuardedCommand> commands = {compilation(stage, toolchain)};
  if (stage.relocatable) commands.push_back(device_link(stage, toolchain));
  commands.push_back(host_link(stage, toolchain));
  return commands;
}

bool is_built(const StageToBuild& stage, const fs::path& nvcc) {
  try {
    return fs::exists(stage.library) &&
           read_file(text_of(stage.library)) == read_file(stage.source) &&
           read_file(recipe_of(stage.library)) == recipe(stage, nvcc);
  } catch (const std::exception&) {
    return false;  // one of them is not there
  }
}

bool build_stage(const StageToBuild& stage, const Toolchain& toolchain) {
  std::error_code ignored;
  fs::remove(infrastructure_of(stage.library), ignored);
  // A link without it fails in words about the stage.
  if (!fs::is_regular_file(stage.contract, ignored))
    throw std::runtime_error(
        stage.contract.string() +
        " is missing. Repair: unpack the handout again, into another folder, and "
        "copy your stages there.");
  fs::remove(recipe_of(stage.library), ignored);
  const std::vector<GuardedCommand> commands = commands_for(stage, toolchain);
  const bool built = std::ranges::all_of(commands, run_guarded);
  for (const fs::path& file :
       {object_of(stage.library), device_link_of(stage.library), header_list_of(stage.library)})
    fs::remove(file, ignored);
  if (built) write_file(recipe_of(stage.library), recipe(stage, toolchain.nvcc));
  return built;
}

}  // namespace gridstride
