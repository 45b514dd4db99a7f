#include "grader/judge/runners/time_taken.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace gridstride {
namespace {

using namespace std::chrono_literals;

/// A process that does nothing but `work` on this processor, until its end.
class Worker {
 public:
  Worker(int processor, void (*work)()) : process_(::fork()) {
    if (process_ != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    for (;;) work();
  }
  ~Worker() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

void compute() {
  static volatile int steps = 0;
  steps = steps + 1;
}
void sleep() { ::pause(); }

class TakenBy : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream("/proc/self/schedstat")) GTEST_SKIP() << "this kernel has no schedstat";
  }
  /// What part of 800 ms counts.
  static double part_of(const Worker& worker) {
    std::this_thread::sleep_for(100ms);  // it has moved to its processor
    const TimeTaken taken(worker.process());
    const TimeTaken all(-1);
    std::this_thread::sleep_for(800ms);
    return taken.so_far() / all.so_far();
  }
};

TEST_F(TakenBy, WhoWaitsForAProcessorIsNotCharged) {
  const int here = ::sched_getcpu();
  const Worker mine(here, compute),
      others[] = {{here, compute}, {here, compute}, {here, compute}, {here, compute},
                  {here, compute}, {here, compute}, {here, compute}};
  const double part = part_of(mine);
  EXPECT_LT(part,
            0.5);  // an eighth, where all eight are treated alike, but never less than a quarter
  EXPECT_GE(part, 0.24);
}

TEST_F(TakenBy, WhoSleepsIs) { EXPECT_GT(part_of(Worker(::sched_getcpu(), sleep)), 0.9); }

TEST_F(TakenBy, SoIsAProcessThatHasEnded) {
  const Worker worker(::sched_getcpu(), sleep);
  const TimeTaken taken(worker.process()), all(-1);
  ::kill(worker.process(), SIGKILL);
  std::this_thread::sleep_for(50ms);
  EXPECT_GT(taken.so_far() / all.so_far(), 0.9);
}

}  // namespace
}  // namespace gridstride
