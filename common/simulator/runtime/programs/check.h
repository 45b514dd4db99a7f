// What every program here needs: a call that must succeed, and a way to say that a result is wrong.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
  do {                                                                                \
    const cudaError_t error = (call);                                                 \
    if (error != cudaSuccess) {                                                       \
      std::printf("%s: %d %s\n", #call, static_cast<int>(error),                      \
                  cudaGetErrorName(error));                                           \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (false)

#define EXPECT(condition)                                              \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::printf("line %d: not so: %s\n", __LINE__, #condition);      \
      std::exit(1);                                                    \
    }                                                                  \
  } while (false)
