// Runs a compiler or linker on a source that nobody trusts.
//
// `#include "/etc/passwd"`, `.incbin "solutions/…"` and templates without end are attacks. The
// command sees the toolkit, the system's compilers and headers, and the files it is told of; it
// writes into a scratch folder, from which only the object and the list of dependencies are taken;
// what it inherits from the environment is nothing; time, memory and output are limited.
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
  /// Where the compiler's words go: written by every compilation, and by a link that fails.
  std::filesystem::path log;
  /// The stage library. Removed when the command fails, so that no old one is graded in its place.
  std::filesystem::path library;
  /// The tree that holds the course: its path is left out of messages, and it is hidden but for
  /// `readable` even where it lies inside one of the system's folders.
  std::filesystem::path tree;
};

/// True when the command succeeded. False when it did not for a reason in the source, which the log
/// then tells. Throws std::runtime_error when it could not be tried (no compiler, no space): then
/// there is no log either, which tells the grader that the student is not to blame.
bool run_guarded(const GuardedCommand& guarded);

}  // namespace gridstride
