// Runs the command, and finds out by facts whose fault a failure is.
#include "grader/compile/guard.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/compile/control.h"
#include "grader/compile/dependencies.h"
#include "grader/compile/hidden_include.h"
#include "grader/compile/invocation.h"
#include "grader/compile/memory.h"
#include "grader/compile/room.h"
#include "grader/compile/stage_files.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// What must fit into the build folder for a source to be blamed: objects and libraries of stages
/// have some 100 KiB, with CUB a few MiB.
constexpr std::uint64_t room_for_products = std::uint64_t{8} << 20;

/// When a compiler is stopped by the wall clock and the control took this part of that time, which
/// it needs a thirtieth of, it was the machine that was slow.
constexpr double slow_control = 1.0 / 3;

constexpr std::size_t most_lines = 12;  // of a toolchain that fails on a text of ours

/// What the source may not be, before a compiler opens it: a FIFO that blocks, a link to a file
/// that the student must not see, megabytes of text. Empty when there is nothing to object to.
std::string objection(const fs::path& source) {
  struct stat status {};
  if (::lstat(source.c_str(), &status) != 0) return {};  // the compiler says it better
  if (!S_ISREG(status.st_mode))
    return source.filename().string() + " is not a plain file. Put the stage's source there.";
  if (static_cast<std::uintmax_t>(status.st_size) > largest_stage_bytes)
    return source.filename().string() + " is larger than 1 MiB, which no stage needs to be.";
  return {};
}

/// Empty where there is none; then the compiler says so.
std::string text_in(const fs::path& source) {
  std::error_code missing;
  return fs::exists(source, missing) ? read_file(source, largest_stage_bytes) : "";
}

std::string first_lines(const std::string& words) {
  std::istringstream stream(words);
  std::string text, line;
  for (std::size_t i = 0; i < most_lines && std::getline(stream, line); ++i)
    text += "  " + shorten(line, 200) + "\n";
  return text;
}

/// A source can make a compiler crash, but none of these reach a compiler from its input.
bool came_from_outside(const ChildOutcome& outcome) {
  return outcome.end == ChildOutcome::End::signalled &&
         (outcome.signal == SIGKILL || outcome.signal == SIGTERM || outcome.signal == SIGINT ||
          outcome.signal == SIGHUP || outcome.signal == SIGQUIT);
}

/// Throws std::runtime_error when the command did not fail because of the source. The words of the
/// failure decide nothing, for a source can have the compiler say anything.
void acquit(const GuardedCommand& guarded, Invocation& failed, const MemoryState& before) {
  const ResourceLimits limits = limits_of(guarded);
  const MemoryState after = memory_state();
  const ChildOutcome& outcome = failed.outcome();
  failed.clear();
  for (const auto& [folder, bytes] : {std::pair{failed.scratch().parent_path(), limits.file_bytes},
                                      {failed.outputs().folder(), room_for_products},
                                      {guarded.log.parent_path(), room_for_products}}) {
    const std::string lack = lack_of_room(folder, bytes);
    if (!lack.empty())
      throw std::runtime_error(
          lack + (folder == failed.scratch().parent_path()
                      ? " TMPDIR may name a folder elsewhere; then run the command again."
                      : " Then run the command again."));
  }
  if (outcome.end != ChildOutcome::End::memory &&
      ran_out_of_memory(before, after, limits.memory_bytes))
    throw std::runtime_error(
        "The machine ran out of memory while the compiler ran, which may use " +
        std::to_string(limits.memory_bytes >> 20) +
        " MiB. Repair: end other programs, or give the machine or container more memory; then run "
        "the command again.");
  if (came_from_outside(outcome))
    throw std::runtime_error("The compiler " + outcome.describe(limits) +
                             ", which no source can bring about: somebody or something stopped it. "
                             "Repair: run the command again.");
  const Control control = run_control(guarded);
  if (outcome.end == ChildOutcome::End::wall_clock &&
      control.wall_seconds > slow_control * limits.wall_seconds)
    throw std::runtime_error(
        "The machine is too busy or too slow to compile: a text of two lines took " +
        plain_number(control.wall_seconds, 0) +
        " s. Repair: run the command again when less is going on, or with fewer jobs.");
  if (!control.succeeded)
    throw std::runtime_error("The toolchain fails on a text of the course's own too:\n" +
                             first_lines(control.words) +
                             "Repair: `./lab doctor` looks at the toolkit and the sandbox; install "
                             "what is broken again, "
                             "remove build/ (of a handout: ready/stages/), and run the command "
                             "again.");
}

/// What an earlier run has left must not speak for this one.
void forget(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw std::runtime_error("cannot remove " + file.string() + ": " + error.message());
}

void write_beside_library(const fs::path& file, const std::string& words) {
  fs::create_directories(fs::absolute(file).parent_path());
  write_file(file, words);
}

/// Leaves the library's text last: only what is whole can be graded.
void tell_of_text(const GuardedCommand& guarded, const std::vector<fs::path>& opened,
                  const fs::path& source, const std::string& text) {
  const fs::path tree = fs::absolute(guarded.tree).lexically_normal();
  const fs::path itself = fs::absolute(source).lexically_normal();
  std::string headers;
  for (const fs::path& file : opened) {
    if (file.lexically_normal() == itself) continue;
    const fs::path inside = file.lexically_normal().lexically_relative(tree);
    const bool ours = !inside.empty() && *inside.begin() != "..";
    headers += (ours ? inside : file).string() + "\n";
  }
  write_beside_library(headers_of(guarded.log), headers);
  write_beside_library(text_of(guarded.log), text);
}

bool compile(const GuardedCommand& guarded, const fs::path& source) {
  forget(guarded.log);
  forget(warnings_of(guarded.log));
  forget(text_of(guarded.log));
  forget(headers_of(guarded.log));
  if (const std::string words = objection(source); !words.empty()) {
    write_beside_library(guarded.log, words);
    return false;
  }
  const std::string text = text_in(source);
  const MemoryState before = memory_state();
  Invocation invocation(guarded, guarded.command);
  invocation.run();
  std::string words = invocation.words();
  if (!objection(source).empty() || text_in(source) != text)
    throw std::runtime_error(source.filename().string() +
                             " was changed while it was compiled. Repair: run the command again.");
  std::optional<std::string> hidden;
  if (invocation.succeeded()) hidden = hidden_include(invocation.scratch());
  if (hidden)
    words = source.filename().string() +
            ": error: a macro, or a line of a string, makes a line that begins with #include: " +
            shorten(*hidden, 100) + "\nWrite the directive itself.\n";
  if (!invocation.succeeded() || hidden) {
    if (!hidden) acquit(guarded, invocation, before);
    write_beside_library(guarded.log, clean_text(words));
    write_beside_library(text_of(guarded.log), text);
    return false;
  }
  // Before the list is rewritten for the build, which has no use for names that lead nowhere here.
  const std::vector<fs::path> opened = invocation.opened();
  invocation.outputs().rewrite_header_list(files_among(opened));
  invocation.outputs().deliver();
  if (!words.empty()) write_beside_library(warnings_of(guarded.log), words);
  write_beside_library(guarded.log, "");
  tell_of_text(guarded, opened, source, text);
  return true;
}

bool link(const GuardedCommand& guarded) {
  const MemoryState before = memory_state();
  Invocation invocation(guarded, guarded.command);
  invocation.run();
  const std::string words = invocation.words();
  if (!invocation.succeeded()) {
    acquit(guarded, invocation, before);
    write_beside_library(guarded.log, "The stage compiles, but it cannot be linked:\n" + words);
    return false;
  }
  invocation.outputs().deliver();
  write_beside_library(guarded.log, "");
  return true;
}

bool try_command(const GuardedCommand& guarded) {
  const auto source = std::ranges::find(guarded.command, "-c");
  const bool compiles = source != guarded.command.end() && source + 1 != guarded.command.end();
  forget(infrastructure_of(guarded.log));
  forget(guarded.library);
  if (guarded.command.empty() || ::access(guarded.command[0].c_str(), X_OK) != 0)
    throw std::runtime_error("there is no compiler " +
                             (guarded.command.empty() ? "" : guarded.command[0]) +
                             ". Repair: `./lab doctor` says what is missing.");
  return compiles ? compile(guarded, *(source + 1)) : link(guarded);
}

}  // namespace

bool run_guarded(const GuardedCommand& guarded) {
  try {
    return try_command(guarded);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove(guarded.log, ignored);
    fs::remove(guarded.library, ignored);
    std::string words = error.what();
    if (words.find("Repair: ") == std::string::npos)
      words += ". Repair: `./lab doctor` looks at the machine; then run the command again.";
    try {
      write_beside_library(infrastructure_of(guarded.log),
                           clean_text("The stage could not be built. " + words));
    } catch (const std::exception&) {
      // Where even this cannot be written, our exit status and last words must do.
    }
    throw std::runtime_error(words);
  }
}

}  // namespace gridstride
