// lab debug: a debugger's habits over a recorded launch, on a terminal or for an editor.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/files.h"
#include "common/terminal.h"
#include "common/unique_fd.h"
#include "grader/report/results.h"
#include "grader/tools/commands.h"
#include "grader/tools/debug/dap_channel.h"
#include "grader/tools/debug/dap_session.h"
#include "grader/tools/debug/recorded.h"
#include "grader/tools/debug/terminal.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

UniqueFd own_copy(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) throw std::runtime_error("cannot keep standard input and output for the editor");
  return copy;
}

/// While it lives, what we and our children write goes to a file.
class CapturedOutput {
 public:
  CapturedOutput() : out_(own_copy(STDOUT_FILENO)), err_(own_copy(STDERR_FILENO)) {
    const fs::path file = folder_.path() / "said";
    const UniqueFd said(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!said) throw std::runtime_error("cannot write to " + file.string());
    std::fflush(nullptr);
    ::dup2(said.get(), STDOUT_FILENO);
    ::dup2(said.get(), STDERR_FILENO);
  }
  ~CapturedOutput() { restore(); }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  /// Ends it; what was written.
  std::string take() {
    restore();
    return read_file(folder_.path() / "said");
  }

 private:
  void restore() {
    std::fflush(nullptr);
    if (out_) ::dup2(out_.get(), STDOUT_FILENO);
    if (err_) ::dup2(err_.get(), STDERR_FILENO);
    out_.reset();
    err_.reset();
  }

  TemporaryFolder folder_;
  UniqueFd out_, err_;
};

Recorded record_quietly(const Places& places, const DebugOptions& options, std::string& said) {
  CapturedOutput output;
  try {
    Recorded recorded = record_to_debug(places, options);
    said = output.take();
    return recorded;
  } catch (...) {
    said = output.take();
    throw;
  }
}

int debug_for_editor(const Places& places, const DebugOptions& options) {
  UniqueFd in = own_copy(STDIN_FILENO), out = own_copy(STDOUT_FILENO);
  // A program that is debugged reads no requests, and writes no answers.
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::signal(SIGPIPE, SIG_IGN);
  DapChannel channel(std::move(in), std::move(out));
  DapSession session(channel, options, [&](const DebugOptions& wanted, std::string& said) {
    return record_quietly(places, wanted, said);
  });
  try {
    return session.run();
  } catch (const BadFrame& error) {
    return complain("--dap: " + std::string(error.what()) + ".", exit_usage);
  }
}

}  // namespace

int debug(const Places& places, const DebugOptions& options) {
  if (options.dap) return debug_for_editor(places, options);
  if (options.recorded.names.empty())
    throw UsageError("Say what to debug: LAB/STAGE, or a program's .cu file.");
  const Recorded recorded = record_to_debug(places, options);
  if (!recorded.playback) {
    std::printf("%s\n", recorded.words.c_str());
    return recorded.exit_code;
  }
  sim::Debugger debugger(*recorded.playback);
  debug_in_terminal(debugger);
  return recorded.exit_code;
}

}  // namespace gridstride::cli
