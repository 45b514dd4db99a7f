// Who waits, by rank and number, and who is next.
#include "grader/judge/correctness/priority_semaphore.h"

#include <mutex>
#include <utility>

namespace gridstride {

void PrioritySemaphore::acquire(int rank) {
  std::unique_lock lock(mutex_);
  const std::pair mine(rank, asked_++);
  waiting_.insert(mine);
  changed_.wait(lock, [&] { return cancelled_ || (free_ > 0 && *waiting_.begin() == mine); });
  waiting_.erase(mine);
  if (cancelled_) throw Cancelled();
  --free_;
  changed_.notify_all();  // the next one may have been waiting for us to leave the queue only
}

void PrioritySemaphore::release() {
  const std::lock_guard lock(mutex_);
  ++free_;
  changed_.notify_all();
}

void PrioritySemaphore::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

}  // namespace gridstride
