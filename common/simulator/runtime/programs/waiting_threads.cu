// Threads that wait for each other, within a warp and between blocks: all must get on.
#include "check.h"

struct Lock {
  int taken = 0;
  __device__ void acquire() {
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void release() {
    __threadfence();
    atomicExch(&taken, 0);
  }
};

__device__ int lock_word, guarded, consumed, chain_next, queue_next, queue_done;
__device__ volatile int mailbox[64], ready[64];

/// Every lane takes the lock: before Volta the warp would hang.
__global__ void each_lane_locks() {
  Lock& lock = *reinterpret_cast<Lock*>(&lock_word);
  lock.acquire();
  guarded = guarded + 1;
  lock.release();
}

/// The classic form, all in one loop.
__global__ void lock_in_a_loop(int* value) {
  for (bool done = false; !done;) {
    if (atomicCAS(&lock_word, 0, 1) == 0) {
      __threadfence();
      *value = *value + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      done = true;
    }
  }
}

/// Even lanes wait for what odd lanes of the same warp give them.
__global__ void lanes_trade() {
  const int i = threadIdx.x;
  if (i % 2 == 0) {
    while (ready[i] == 0) {
    }
    __threadfence();
    atomicAdd(&consumed, mailbox[i]);
  } else {
    mailbox[i - 1] = i;
    __threadfence();
    ready[i - 1] = 1;
  }
}

/// Each block waits for the one that has begun before it.
__global__ void chain_of_blocks(volatile int* totals) {
  if (threadIdx.x != 0) return;
  const int ticket = atomicAdd(&chain_next, 1);
  int before = 0;
  if (ticket > 0) {
    while ((before = totals[ticket - 1]) == 0) {
    }
  }
  __threadfence();
  totals[ticket] = before + 1;
}

/// As many blocks as fit stay and take tasks; a task may add further ones.
__global__ void persistent(int tasks, int* done) {
  __shared__ int task;
  for (;;) {
    if (threadIdx.x == 0) task = atomicAdd(&queue_next, 1);
    __syncthreads();
    if (task >= tasks) return;
    atomicAdd(done + task, static_cast<int>(threadIdx.x == 0) + task % 3);
    __syncthreads();
  }
}

int main() {
  int *memory, host[1024];
  CHECK(cudaMalloc(&memory, sizeof host));
  CHECK(cudaMemset(memory, 0, sizeof host));
  each_lane_locks<<<4, 64>>>();
  CHECK(cudaMemcpyFromSymbol(host, guarded, sizeof(int)));
  EXPECT(host[0] == 256);
  lock_in_a_loop<<<4, 64>>>(memory);
  CHECK(cudaMemcpy(host, memory, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 256);
  lanes_trade<<<1, 64>>>();
  CHECK(cudaMemcpyFromSymbol(host, consumed, sizeof(int)));
  EXPECT(host[0] == 32 * 32);
  CHECK(cudaMemset(memory, 0, sizeof host));
  chain_of_blocks<<<1000, 32>>>(memory);
  CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[999] == 1000);
  CHECK(cudaMemset(memory, 0, sizeof host));
  persistent<<<16, 64>>>(1000, memory);
  CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1000; ++i) EXPECT(host[i] == 1 + 64 * (i % 3));
  std::printf("right\n");
}
