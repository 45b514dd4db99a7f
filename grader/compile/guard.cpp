// The command line is the build's; only where it writes is changed.
#include "grader/compile/guard.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// A plain stage compiles in 2 s, one with CUB in 6 s; a busy machine is several times slower.
ResourceLimits compiler_limits() {
  ResourceLimits limits;
  limits.wall_seconds = 90;
  limits.cpu_seconds = 40;
  limits.memory_bytes = std::uint64_t{3} << 30;
  limits.file_bytes = std::uint64_t{128} << 20;
  limits.processes = 64;
  limits.output_bytes = 256u << 10;
  return limits;
}

constexpr std::uintmax_t largest_source = 1u << 20;  // bytes; the longest stage has some 10 KiB

/// How the log of a failed link starts, so that a later one that succeeds can tell it from the
/// words of the compiler, which stay.
const std::string link_failure = "The stage compiles, but it cannot be linked:\n";

/// The argument after `flag`, to be changed in place; null when `flag` is absent.
std::string* argument_after(std::vector<std::string>& command, const std::string& flag) {
  const auto found = std::find(command.begin(), command.end(), flag);
  return found == command.end() || found + 1 == command.end() ? nullptr : &*(found + 1);
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  const std::string inner = path.lexically_normal().string();
  return inner.rfind(folder.lexically_normal().string() + "/", 0) == 0;
}

/// The folder of a toolkit that is not among the system's own: <toolkit>/bin/nvcc.
std::vector<fs::path> toolkit_of(const fs::path& compiler) {
  std::vector<fs::path> folders;
  for (const fs::path& path : {compiler, fs::weakly_canonical(compiler)}) {
    if (path.is_absolute() && !lies_below(path, "/usr") && !lies_below(path, "/bin"))
      folders.push_back(path.parent_path().parent_path());
  }
  return folders;
}

/// What the source may not be, before a compiler opens it: a FIFO that blocks, a link to a file
/// that the student must not see, megabytes of text. Empty when there is nothing to object to.
std::string objection(const fs::path& source) {
  struct stat status {};
  if (::lstat(source.c_str(), &status) != 0) return {};  // the compiler says it better
  if (!S_ISREG(status.st_mode))
    return source.filename().string() + " is not a plain file. Put the stage's source there.";
  if (static_cast<std::uintmax_t>(status.st_size) > largest_source)
    return source.filename().string() + " is larger than 1 MiB, which no stage needs to be.";
  return {};
}

/// Moves a finished file to its place; the last step is a rename, so that no half file is seen.
void deliver(const fs::path& from, const fs::path& to) {
  const fs::path draft = to.string() + ".part";
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::copy_file(from, draft, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(draft, to, error);
  if (error) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    throw std::runtime_error("cannot write " + to.string() + ": " + error.message());
  }
}

std::string without(std::string text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
  return text;
}

void write_log(const GuardedCommand& guarded, const fs::path& scratch, std::string words) {
  words = without(std::move(words), scratch.string() + "/");
  words = without(std::move(words), fs::absolute(guarded.tree).lexically_normal().string() + "/");
  fs::create_directories(guarded.log.parent_path());
  write_file(guarded.log, clean_text(words));
}

}  // namespace

bool run_guarded(const GuardedCommand& guarded) {
  if (guarded.command.empty() || ::access(guarded.command[0].c_str(), X_OK) != 0) {
    fs::remove(guarded.log);
    throw std::runtime_error("there is no compiler " +
                             (guarded.command.empty() ? "" : guarded.command[0]));
  }
  const TemporaryFolder scratch;
  ChildOptions options;
  options.command = guarded.command;
  options.limits = compiler_limits();
  options.writable = {scratch.path()};
  options.working_folder = scratch.path();
  options.environment = {{"PATH", "/usr/local/cuda/bin:/usr/bin:/bin"},
                         {"LC_ALL", "C.UTF-8"},
                         {"TMPDIR", scratch.path().string()}};
  for (const fs::path& path : guarded.readable)
    options.readable.push_back(fs::absolute(path).lexically_normal());
  for (const fs::path& folder : toolkit_of(options.command[0])) options.readable.push_back(folder);
  if (lies_below(guarded.tree, "/usr")) options.hidden.push_back(guarded.tree);

  std::string* const output = argument_after(options.command, "-o");
  std::string* const dependencies = argument_after(options.command, "-MF");
  const std::string* const source = argument_after(options.command, "-c");
  if (output == nullptr) throw std::runtime_error("the command to guard has no -o");
  const fs::path object = *output, dependency_file = dependencies ? *dependencies : "";
  *output = scratch.path() / "out";
  if (dependencies != nullptr) *dependencies = scratch.path() / "out.d";

  const bool compiles = source != nullptr;
  if (!compiles) {
    // The objects to link are named relative to the folder that the build runs in.
    for (std::size_t i = 1; i < options.command.size(); ++i) {
      std::string& argument = options.command[i];
      if (argument.empty() || argument[0] == '-' || !fs::exists(argument)) continue;
      argument = fs::absolute(argument).lexically_normal().string();
      if (!lies_below(argument, "/usr")) options.readable.emplace_back(argument);
    }
  }

  std::error_code ignored;
  std::string words = compiles ? objection(*source) : "";
  bool succeeded = false;
  if (words.empty()) {
    try {
      const ChildOutcome outcome = run_child(options);
      // A compiler never starts with that word: the sandbox could not be set up.
      if (!outcome.succeeded() && outcome.errors.rfind("bwrap: ", 0) == 0)
        throw std::runtime_error(outcome.errors);
      words = outcome.output + outcome.errors;
      succeeded = outcome.succeeded();
      if (!succeeded && outcome.end != ChildOutcome::End::exited)
        words += "The compiler " + outcome.describe(options.limits) + " and was stopped.\n";
      // An empty log says that there was nothing to say: the source compiles.
      if (!succeeded && words.empty()) words = "The compiler failed without a word.\n";
      if (succeeded) {
        if (!dependency_file.empty()) deliver(scratch.path() / "out.d", dependency_file);
        deliver(scratch.path() / "out", object);
      }
    } catch (...) {
      fs::remove(guarded.log, ignored);
      fs::remove(guarded.library, ignored);
      throw;
    }
  }
  if (!succeeded) fs::remove(guarded.library, ignored);
  if (compiles) {
    write_log(guarded, scratch.path(), words);
  } else if (!succeeded) {
    write_log(guarded, scratch.path(), link_failure + words);
  } else if (fs::exists(guarded.log) && read_file(guarded.log).rfind(link_failure, 0) == 0) {
    write_log(guarded, scratch.path(), "");
  }
  return succeeded;
}

}  // namespace gridstride
