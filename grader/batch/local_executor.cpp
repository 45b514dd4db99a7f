// Processes rather than threads: one that dies takes nothing with it.
#include "grader/batch/local_executor.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/paths.h"
#include "common/remember_signals.h"
#include "common/subprocess.h"
#include "grader/batch/progress_report.h"
#include "grader/batch/worker.h"

extern char** environ;

namespace gridstride {
namespace {

class Pool {
 public:
  Pool(Gradebook& book, const LocalOptions& options) : book_(book), options_(options) {}
  ~Pool() {  // after an error
    for (const auto& [pid, slot] : running_) ::kill(pid, SIGKILL);
    for (const auto& [pid, slot] : running_) ::waitpid(pid, nullptr, 0);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run() {
    const RememberSignals signals;
    for (int slot = 0; slot < options_.workers; ++slot) start(slot);
    while (!running_.empty() && signals.caught() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      collect(/*replace=*/true);
      report_.tell();
    }
    if (signals.caught() != 0) stop(signals.caught());
    report_.tell(/*must=*/true);
  }

 private:
  void start(int slot) {
    std::vector<std::string> words = {(build_folder() / "bin/gridstride-class").string(),
                                      "worker",
                                      options_.results.string(),
                                      "--jobs",
                                      std::to_string(options_.jobs),
                                      "--parent",
                                      std::to_string(::getpid())};
    const std::string gpu = std::to_string(slot % std::max(options_.gpus, 1));
    if (options_.gpus > 1) words.insert(words.end(), {"--gpu", gpu});
    if (options_.gpus > 0)
      words.insert(words.end(), {"--gpu-lock", (locks_.path() / ("gpu" + gpu)).string()});
    if (!options_.host.empty()) words.insert(words.end(), {"--host", options_.host});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error =
        ::posix_spawn(&pid, words[0].c_str(), nullptr, nullptr, arguments.data(), environ);
    if (error != 0)
      throw std::runtime_error("cannot run " + words[0] + ": " + std::strerror(error));
    running_[pid] = slot;
  }

  /// Workers that have ended. One that died is replaced, and its task is open again.
  void collect(bool replace) {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = running_.find(pid);
      if (found == running_.end()) continue;
      const int slot = found->second;
      running_.erase(found);
      if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || !replace)) continue;
      bury_workers(book_);
      if (!replace) continue;
      if (WIFEXITED(status)) continue;  // it has said why it cannot grade; so would another
      if (++deaths_ > 5 * options_.workers)
        throw std::runtime_error("Workers were ended by signals " + std::to_string(deaths_) +
                                 " times. Is the machine out of memory? What was graded is kept; "
                                 "fewer --workers need less.");
      start(slot);
    }
  }

  [[noreturn]] void stop(int signal) {
    report_.clear();
    std::fputs("Stopping: what is being graded is put back …\n", stderr);
    for (const auto& [pid, slot] : running_) ::kill(pid, SIGTERM);
    // A judge ends within a few seconds; who does not is ended.
    for (int i = 0; i < 100 && !running_.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      collect(/*replace=*/false);
    }
    for (const auto& [pid, slot] : running_) ::kill(pid, SIGKILL);
    for (const auto& [pid, slot] : running_) ::waitpid(pid, nullptr, 0);
    running_.clear();
    bury_workers(book_);
    throw Interrupted(signal);
  }

  Gradebook& book_;
  const LocalOptions& options_;
  TemporaryFolder locks_;
  std::map<pid_t, int> running_;
  int deaths_ = 0;
  ProgressReport report_{book_};
};

}  // namespace

void run_local_workers(Gradebook& book, const LocalOptions& options) { Pool(book, options).run(); }

}  // namespace gridstride
