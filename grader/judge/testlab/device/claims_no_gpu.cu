// Tells the judge, in the runner's name, that there is no GPU, so that the
// machine is blamed and not the stage.
#include <cstring>

#include "grader/judge/testlab/device/patched_recv.h"
#include "grader/judge/testlab/testlab.h"

namespace {

constexpr std::uint16_t call = 3;

ssize_t refuse(int fd, void* to, std::size_t bytes, int flags) {
  static std::uint16_t operation = 0;
  const ssize_t got = really_receive(fd, to, bytes, flags);
  if (fd != judge_socket || got < 8) return got;
  if (bytes == 8) {
    std::memcpy(&operation, static_cast<const char*>(to) + 4, sizeof operation);
  } else if (operation == call) {
    answer_as_the_runner(operation, to, /*kind=*/1, /*code=*/100);
    ::sleep(100);
  }
  return got;
}

const bool patched = (patch_recv(refuse), true);

}  // namespace

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) { (void)patched; }
