// sbatch, squeue, scancel; what has been graded the gradebook says.
#include "grader/batch/slurm_executor.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/paths.h"
#include "common/remember_signals.h"
#include "common/subprocess.h"
#include "common/text.h"
#include "grader/batch/progress_report.h"
#include "grader/batch/worker.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr auto between_looks = std::chrono::seconds(5);

/// For a shell, whatever stands in it.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

class Array {
 public:
  Array(Gradebook& book, const SlurmOptions& options) : book_(book), options_(options) {
    if (find_program("sbatch").empty())
      throw std::runtime_error(
          "There is no sbatch: --executor slurm is for a machine that submits to Slurm.");
  }

  void run() {
    ProgressReport report(book_);
    while (!all_done()) {
      const std::int64_t before = report.finished();
      submit();
      wait(report);
      report.tell(/*must=*/true);
      if (!all_done() && report.finished() == before)
        throw std::runtime_error("Slurm's job " + job_ +
                                 " has ended and graded nothing. What its tasks said is in " +
                                 log_folder().string() + ".");
    }
    output_of({"scancel", job_});  // workers that still wait for a place
  }

 private:
  fs::path log_folder() const { return fs::absolute(options_.results) / "slurm"; }
  bool all_done() {
    const ClassProgress progress = book_.progress();
    return progress.done == progress.total();
  }

  void submit() {
    fs::create_directories(log_folder());
    const TemporaryFolder scratch;
    const fs::path script = scratch.path() / "worker.sh";
    write_file(script, "#!/bin/sh\nexec " +
                           quoted((build_folder() / "bin/gridstride-class").string()) + " worker " +
                           quoted(fs::absolute(options_.results).string()) +
                           " --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n");
    Subprocess sbatch;
    sbatch.command = {"sbatch",
                      "--parsable",
                      "--job-name=gridstride",
                      "--array=1-" + std::to_string(options_.workers),
                      "--ntasks=1",
                      "--requeue",
                      "--output=" + (log_folder() / "%A_%a.log").string()};
    if (options_.on_gpu) sbatch.command.emplace_back("--gres=gpu:1");
    sbatch.command.insert(sbatch.command.end(), options_.sbatch.begin(), options_.sbatch.end());
    sbatch.command.push_back(script.string());
    std::string said;
    sbatch.merge_errors = true;
    sbatch.on_line = [&said](std::string_view line) { said += std::string(line) + "\n"; };
    const bool accepted = run_process(sbatch).succeeded();
    // "17", or "17;cluster"; a warning may stand before it.
    const std::size_t last = said.rfind('\n', said.size() - 2);
    job_ = said.substr(last == std::string::npos ? 0 : last + 1);
    job_ = job_.substr(0, job_.find_first_not_of("0123456789"));
    if (!accepted || job_.empty())
      throw std::runtime_error("sbatch does not take the job. It says:\n" + quoted_lines(said));
    std::fprintf(stderr, "Slurm's job %s: %d workers\n", job_.c_str(), options_.workers);
  }

  /// Whether a task of the array waits or runs. Where Slurm does not answer, it does.
  bool is_queued() const {
    Subprocess squeue;
    squeue.command = {"squeue", "--noheader", "--job", job_, "--format=%T"};
    squeue.merge_errors = true;
    bool any = false, gone = false;
    squeue.on_line = [&](std::string_view line) {
      gone = gone || line.find("Invalid job id") != std::string_view::npos;
      any = any || !line.empty();
    };
    const bool answers = run_process(squeue).succeeded();
    return answers ? any : !gone;
  }

  void wait(ProgressReport& report) {
    auto looked = std::chrono::steady_clock::now();
    int stopped_by = 0;
    while (!all_done() && stopped_by == 0) {
      {
        const RememberSignals signals;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        report.tell();
        stopped_by = signals.caught();
      }
      if (stopped_by != 0 || std::chrono::steady_clock::now() - looked < between_looks) continue;
      try {
        bury_workers(book_);
        if (!is_queued()) break;
      } catch (const Interrupted& stop) {
        stopped_by = stop.exit_code() - 128;
      }
      looked = std::chrono::steady_clock::now();
    }
    if (stopped_by == 0) return give_up_the_lost(report);
    report.clear();
    output_of({"scancel", job_});
    bury_workers(book_);
    throw Interrupted(stopped_by);
  }

  /// With no worker left, tasks may still be marked as theirs: until their silence is long enough.
  void give_up_the_lost(ProgressReport& report) {
    while (book_.progress().running > 0 && !all_done()) {
      const RememberSignals signals;
      std::this_thread::sleep_for(std::chrono::seconds(1));
      bury_workers(book_);
      report.tell();
      if (signals.caught() != 0) throw Interrupted(signals.caught());
    }
  }

  Gradebook& book_;
  const SlurmOptions& options_;
  std::string job_;
};

}  // namespace

void run_slurm_workers(Gradebook& book, const SlurmOptions& options) { Array(book, options).run(); }

}  // namespace gridstride
