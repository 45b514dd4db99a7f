// Runs a compiler or linker on a source that nobody trusts.
//
// `#include "/etc/passwd"`, `.incbin "solutions/…"` and templates without end are attacks. The
// command sees the toolkit, the system's compilers and headers, and the files it is told of; it
// writes into a scratch folder, from which only the object and the list of dependencies are taken;
// what it inherits from the environment is nothing; time, memory and output are limited.
//
// Beside the library it leaves what a judge asks of it (stage_files.h): the text that was compiled,
// and the files that the compiler opened for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

struct GuardedCommand {
  /// As the build would run it, for example "/usr/local/cuda/bin/nvcc … -c x.cu -o x.cu.o".
  std::vector<std::string> command;
  /// Files and folders the command may read beside the system's; relative ones from here.
  std::vector<std::filesystem::path> readable;
  /// Why there is no library: the compiler's words, or the linker's; empty once the source
  /// compiles.
  std::filesystem::path log;
  /// The stage library. Removed first, so that no old one is graded in place of what fails.
  std::filesystem::path library;
  /// The tree that holds the course: its path is left out of messages, and it is hidden but for
  /// `readable` even where it lies inside one of the system's folders.
  std::filesystem::path tree;
  /// A folder of copies: messages name a file in it by its path from there, as the student knows it.
  std::filesystem::path copies;
  /// How long the command may take. A plain stage compiles in 2 s, one with CUB in 6 s; a busy
  /// machine is several times slower.
  double wall_seconds = 90;
};

/// True when the command succeeded. False when it did not for a reason in the source, which the log
/// then tells. Throws std::runtime_error when it failed for any other reason: no compiler, no room,
/// no memory, a toolchain that fails on a text of the course's own too. Then there is no log, and
/// the file infrastructure_of(log) says what happened and the repair
/// (grader/compile/stage_files.h).
bool run_guarded(const GuardedCommand& guarded);

}  // namespace gridstride
