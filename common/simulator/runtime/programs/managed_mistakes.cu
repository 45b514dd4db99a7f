// Mistakes with memory of both sides; the environment says which.
#include <cstring>

#include "check.h"

__global__ void read(const int* data, int* out, int i) { *out = data[i] + 1; }
__global__ void copy(const int* data, int* out) { *out = data[5]; }

int main() {
  const char* mistake = std::getenv("MISTAKE");
  int *managed, *out;
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMallocManaged(&managed, 100 * sizeof(int)));
  if (std::strcmp(mistake, "past the end") == 0) {
    read<<<1, 1>>>(managed, out, 100);
  } else if (std::strcmp(mistake, "unwritten") == 0) {
    read<<<1, 1>>>(managed, out, 5);
  } else if (std::strcmp(mistake, "unwritten and copied") == 0) {
    copy<<<1, 1>>>(managed, out);
    int host = 0;
    CHECK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
  } else if (std::strcmp(mistake, "host on device") == 0) {
    std::printf("%d\n", *out);
  } else {
    CHECK(cudaFree(managed));
    read<<<1, 1>>>(managed, out, 5);
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
}
