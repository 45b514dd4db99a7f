// Memory in System V segments, of which one at a time is attached.
#include <sys/ipc.h>
#include <sys/shm.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  constexpr std::size_t bytes = std::size_t{60} << 20;
  for (int number = 0; number < 50; ++number) {
    const int id = ::shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (id < 0) throw std::runtime_error("no segment");
    void* const memory = ::shmat(id, nullptr, 0);
    std::memset(memory, 1, bytes);
    ::shmdt(memory);
  }
}
