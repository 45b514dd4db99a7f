// Processes rather than threads: one that dies takes nothing with it.
#include "grader/batch/local_executor.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/paths.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/batch/worker.h"

extern char** environ;

namespace gridstride {
namespace {

volatile std::sig_atomic_t stop_signal = 0;
void remember(int signal) { stop_signal = signal; }

/// SIGINT and SIGTERM are remembered while one of these lives; what was done with them before is done
/// with them again afterwards.
class RememberSignals {
 public:
  RememberSignals() {
    struct sigaction action {};
    action.sa_handler = remember;
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
    stop_signal = 0;
  }
  ~RememberSignals() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }
  RememberSignals(const RememberSignals&) = delete;
  RememberSignals& operator=(const RememberSignals&) = delete;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

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
    begun_ = std::chrono::steady_clock::now();
    book_.finished_since(place_);  // what was finished before is not told
    for (int slot = 0; slot < options_.workers; ++slot) start(slot);
    while (!running_.empty() && stop_signal == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      collect(/*replace=*/true);
      tell();
    }
    if (stop_signal != 0) stop();
    tell();
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
    if (options_.gpus > 1)
      words.insert(words.end(), {"--gpu", std::to_string(slot % options_.gpus)});
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

  void stop() {
    const int signal = stop_signal;
    status_.clear();
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

  void tell() {
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::seconds(1) && !running_.empty()) return;
    told_ = now;
    for (const Finished& one : book_.finished_since(place_)) {
      ++finished_;
      if (!is_terminal(stderr))
        std::fprintf(stderr, "%s/%s: %s of %s\n", escaped(one.student).c_str(), one.lab.c_str(),
                     plain_number(one.score).c_str(), plain_number(one.max_score).c_str());
    }
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    status_.show(progress_line(book_.progress(), finished_, seconds, style_of(stderr).width));
  }

  Gradebook& book_;
  const LocalOptions& options_;
  std::map<pid_t, int> running_;
  int deaths_ = 0;
  std::int64_t place_ = 0, finished_ = 0;
  std::chrono::steady_clock::time_point begun_, told_;
  StatusLine status_{stderr};
};

std::string time_left(double seconds) {
  if (seconds < 90) return plain_number(std::ceil(seconds), 0) + " s left";
  if (seconds < 5400) return plain_number(std::ceil(seconds / 60), 0) + " min left";
  return plain_number(seconds / 3600, 1) + " h left";
}

}  // namespace

std::string progress_line(const ClassProgress& progress, std::int64_t finished, double seconds,
                          std::size_t width) {
  const std::int64_t total = std::max<std::int64_t>(progress.total(), 1);
  std::string words = std::to_string(progress.done) + " of " + std::to_string(progress.total()) +
                      ", " + std::to_string(100 * progress.done / total) + " %";
  const std::int64_t left = progress.total() - progress.done;
  if (left > 0)
    words +=
        finished == 0
            ? ", the first is being graded"
            : ", " + time_left(seconds / static_cast<double>(finished) * static_cast<double>(left));
  constexpr std::size_t widest = 40;
  if (width < display_width(words) + 10) return words;
  const std::size_t room = std::min(widest, width - display_width(words) - 4);
  const std::size_t full =
      room * static_cast<std::size_t>(progress.done) / static_cast<std::size_t>(total);
  std::string bar(full, '=');
  if (full < room) bar += '>' + std::string(room - full - 1, ' ');
  return "[" + bar + "] " + words;
}

void run_local_workers(Gradebook& book, const LocalOptions& options) { Pool(book, options).run(); }

}  // namespace gridstride
