// Draw, grade, write; and a thread that says every ten seconds that all this is alive.
#include "grader/batch/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/batch/grade_task.h"
#include "grader/report/results.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr const char* scratch_prefix = "gridstride-class-";

/// When the process began, in the kernel's ticks since it started; 0 when it is not there, or has ended
/// and nobody has asked how.
std::int64_t birth_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The second field is a name in brackets that may hold anything; the third is the state, the
  // twenty-second the birth.
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream rest(text.substr(end + 1));
  std::string word;
  rest >> word;
  if (word == "Z" || word == "X") return 0;
  for (int field = 4; field <= 22; ++field) rest >> word;
  return std::atoll(word.c_str());
}

class Heartbeat {
 public:
  Heartbeat(const fs::path& results, const Worker& worker)
      : thread_([this, results, worker] { beat(results, worker); }) {}
  ~Heartbeat() {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void beat(const fs::path& results, const Worker& worker) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(10), [this] { return ends_; })) {
      try {
        Gradebook(results, /*create=*/false).seen(worker);
      } catch (const std::exception&) {
        // The worker meets the same when it writes its verdicts, and says it.
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

/// The worker's row, which goes when it ends by itself.
class Enlisted {
 public:
  Enlisted(Gradebook& book, const fs::path& scratch) : book_(book) {
    worker_.host = host_name();
    worker_.pid = ::getpid();
    worker_.born = birth_of(worker_.pid);
    worker_.scratch = scratch.string();
    book_.enlist(worker_);
  }
  ~Enlisted() {
    try {
      book_.retire(worker_);
    } catch (const std::exception&) {
      // Whoever comes next buries it.
    }
  }
  Enlisted(const Enlisted&) = delete;
  Enlisted& operator=(const Enlisted&) = delete;
  const Worker& worker() const { return worker_; }

 private:
  Gradebook& book_;
  Worker worker_;
};

void end_with(std::int64_t parent) {
  if (parent == 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) throw std::runtime_error("The process that started this one is gone.");
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

bool lives(const Worker& worker) { return worker.born != 0 && birth_of(worker.pid) == worker.born; }

void bury_workers(Gradebook& book) {
  for (const std::string& scratch : book.bury(host_name(), lives)) {
    const fs::path folder = scratch;
    std::error_code ignored;
    if (folder.is_absolute() && folder.filename().string().starts_with(scratch_prefix))
      fs::remove_all(folder, ignored);
  }
}

int run_worker(const WorkerOptions& options) {
  end_with(options.parent);
  if (options.gpu >= 0)
    ::setenv("CUDA_VISIBLE_DEVICES", std::to_string(options.gpu).c_str(), /*overwrite=*/1);
  Gradebook book(options.results, /*create=*/false);
  if (!sandbox_status().available)
    throw std::runtime_error("There is no sandbox on " + host_name() + ": " +
                             sandbox_status().reason + ". Repair: " + sandbox_status().repair);
  const TemporaryFolder scratch(scratch_prefix);
  // What compilers and judges leave when they are killed lies there too, and goes with it.
  ::setenv("TMPDIR", scratch.path().c_str(), /*overwrite=*/1);
  const Enlisted enlisted(book, scratch.path());  // early: who is known is cleared away
  const Heartbeat heartbeat(options.results, enlisted.worker());
  const GradingRoom room = grading_room(book.labs(), book.setting("device"), options.jobs,
                                        scratch.path(), options.gpu_lock, options.host);
  for (;;) {
    const std::optional<Task> task = book.draw(enlisted.worker(), room.versions);
    if (task) {
      book.finish(enlisted.worker(), *task, grade_task(*task, room, book));
      continue;
    }
    bury_workers(book);
    const ClassProgress progress = book.progress();
    if (progress.open == 0 && progress.running == 0) return exit_pass;
    if (progress.open == 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

}  // namespace gridstride
