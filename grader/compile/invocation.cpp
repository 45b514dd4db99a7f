// The command line is the build's; only where it writes is changed.
#include "grader/compile/invocation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/compile/dependencies.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

bool lies_below(const fs::path& path, const fs::path& folder) {
  const std::string inner = path.lexically_normal().string();
  return inner.rfind(folder.lexically_normal().string() + "/", 0) == 0;
}

/// The compiler, and the one that nvcc is told to hand host code to: -ccbin=X or -ccbin X.
std::vector<fs::path> compilers_of(const std::vector<std::string>& command) {
  constexpr std::string_view option = "-ccbin";
  std::vector<fs::path> compilers = {command[0]};
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i] == option && i + 1 < command.size()) {
      compilers.emplace_back(command[i + 1]);
    } else if (command[i].starts_with(option) && command[i].size() > option.size()) {
      compilers.emplace_back(command[i].substr(option.size() + 1));
    }
  }
  return compilers;
}

/// Folders of toolkits and compilers that are not among the system's own: for /opt/gcc/bin/g++,
/// /opt/gcc, and where it leads to.
std::vector<fs::path> toolchain_of(const std::vector<std::string>& command) {
  std::vector<fs::path> folders;
  for (const fs::path& compiler : compilers_of(command)) {
    for (const fs::path& path : {compiler, fs::weakly_canonical(compiler)}) {
      if (path.is_absolute() && !lies_below(path, "/usr") && !lies_below(path, "/bin"))
        folders.push_back(path.parent_path().parent_path());
    }
  }
  return folders;
}

/// What a link reads: objects, named relative to the folder that the build runs in, and folders of
/// libraries, which belong to a toolkit that the linker's own place says nothing of.
std::vector<fs::path> name_inputs(std::vector<std::string>& command) {
  std::vector<fs::path> inputs;
  for (std::size_t i = 1; i < command.size(); ++i) {
    std::string& argument = command[i];
    std::error_code failed;
    if (argument.starts_with("-L/") && fs::is_directory(argument.substr(2), failed))
      inputs.emplace_back(argument.substr(2));
    if (argument.empty() || argument[0] == '-' || !fs::exists(argument, failed)) continue;
    argument = fs::absolute(argument).lexically_normal().string();
    inputs.emplace_back(argument);
  }
  std::erase_if(inputs, [](const fs::path& input) { return lies_below(input, "/usr"); });
  return inputs;
}

/// Whether nvcc is asked to compile.
bool is_nvcc(const std::vector<std::string>& command) {
  constexpr std::array<std::string_view, 2> language = {"-x", "cu"};
  return !std::ranges::search(command, language).empty() &&
         std::ranges::find(command, "-c") != command.end();
}

/// Where each run of the preprocessor adds what it opened.
constexpr const char* opened_list = "opened.d";
constexpr std::size_t most_list_bytes = std::size_t{16} << 20;

std::string without(std::string text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
  return text;
}

}  // namespace

ResourceLimits limits_of(const GuardedCommand& guarded) {
  ResourceLimits limits;
  limits.wall_seconds = guarded.wall_seconds;
  limits.cpu_seconds = 40;
  limits.memory_bytes = std::uint64_t{3} << 30;
  limits.file_bytes = std::uint64_t{128} << 20;
  limits.processes = 64;
  limits.open_files = 1024;
  limits.output_bytes = 256u << 10;
  return limits;
}

Invocation::Invocation(const GuardedCommand& guarded, std::vector<std::string> command,
                       const std::vector<fs::path>& more)
    : outputs_(command, scratch_.path()),
      tree_(fs::absolute(guarded.tree).lexically_normal()),
      copies_(guarded.copies) {
  options_.limits = limits_of(guarded);
  options_.system_calls = SystemCalls::few;
  options_.writable = {scratch_.path()};
  options_.working_folder = scratch_.path();
  options_.environment = {{"PATH", "/usr/local/cuda/bin:/usr/bin:/bin"},
                          {"LC_ALL", "C.UTF-8"},
                          {"TMPDIR", scratch_.path().string()},
                          {"SUNPRO_DEPENDENCIES", (scratch_.path() / opened_list).string() + " x"}};
  // What the preprocessor hands on is looked at afterwards (hidden_include.h).
  if (is_nvcc(command))
    command.insert(command.end(), {"--keep", "--keep-dir", scratch_.path().string()});
  for (const fs::path& path : guarded.readable)
    options_.readable.push_back(fs::absolute(path).lexically_normal());
  options_.readable.insert(options_.readable.end(), more.begin(), more.end());
  for (const fs::path& folder : toolchain_of(command)) options_.readable.push_back(folder);
  if (lies_below(guarded.tree, "/usr")) options_.hidden.push_back(guarded.tree);
  if (std::ranges::find(command, "-c") == command.end()) {
    for (const fs::path& input : name_inputs(command)) options_.readable.push_back(input);
  }
  options_.command = std::move(command);
}

const ChildOutcome& Invocation::run() {
  outcome_ = run_child(options_);
  return outcome_;
}

std::vector<fs::path> Invocation::opened() const {
  std::vector<std::string> names;
  for (const fs::path& list : {scratch_.path() / opened_list, outputs_.header_list()}) {
    std::error_code missing;
    if (list.empty() || !fs::exists(list, missing)) continue;
    names = dependencies_in(read_file(list, most_list_bytes));
    break;  // the second is nvcc's, and says what `#line` says
  }
  std::vector<fs::path> paths = paths_of(names, scratch_.path());
  std::erase_if(paths, [&](const fs::path& path) { return lies_below(path, scratch_.path()); });
  return paths;
}

std::string Invocation::words() const {
  std::string words = outcome_.output + outcome_.errors;
  if (outcome_.end != ChildOutcome::End::exited)
    words += "The compiler " + outcome_.describe(options_.limits) + " and was stopped.\n";
  if (words.empty() && !succeeded()) words = "The compiler failed without a word.\n";
  words = without(std::move(words), scratch_.path().string() + "/");
  if (!copies_.empty()) words = without(std::move(words), copies_.string() + "/");
  return clean_text(without(std::move(words), tree_.string() + "/"));
}

void Invocation::clear() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(scratch_.path(), ignored))
    fs::remove_all(entry.path(), ignored);
}

}  // namespace gridstride
