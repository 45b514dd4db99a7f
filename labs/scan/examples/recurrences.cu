// What one scan of maps is good for: segmented sums, a running product, a skyline.
//
//     nvcc -std=c++20 -I. -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
//          -o recurrences labs/scan/examples/recurrences.cu labs/scan/7_recurrence.cu
//     ./lab sim -- ./recurrences            with a GPU: ./recurrences
//
// Prints: skyline  4 3 6 5 4 3 5 4
#include <cstdio>
#include <vector>

#include "common/example.h"
#include "labs/scan/scan.h"

namespace {

using Floats = std::vector<float>;

/// Goes through the recurrence on the device, with the stage that is compiled with this.
Floats scanned(const Floats& step, const Floats& value, scan::Recurrence recurrence) {
  const auto n = static_cast<std::int64_t>(value.size());
  const DeviceArray<float> steps(step);
  DeviceArray<float> values(value);
  DeviceArray<char> scratch(scan::scratch_bytes(n));
  scan_recurrence(steps.data(), values.data(), n, recurrence, {scratch.data(), scratch.bytes()},
                  nullptr);
  check(cudaGetLastError());
  return values.to_host();
}

void print(const char* name, const Floats& values) {
  std::printf("%-8s", name);
  for (const float value : values) std::printf(" %g", value);
  std::printf("\n");
}

}  // namespace

int main() {
  using scan::Recurrence;
  // Segments of 3, 1 and 4 elements: a step of 0 forgets what came before.
  print("segments",
        scanned({0, 1, 1, 0, 0, 1, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8}, Recurrence::linear));
  // Nothing is added after the first: what is left is the product of the steps.
  print("product",
        scanned({1, 0.5, -1, 0.5, -1, 0.5, 1, 0.5}, {64, 0, 0, 0, 0, 0, 0, 0}, Recurrence::linear));
  // Steps of 0: the running maximum.
  print("maximum",
        scanned({0, 0, 0, 0, 0, 0, 0, 0}, {3, 1, 4, 1, 5, 9, 2, 6}, Recurrence::highest));
  // Houses of these heights; seen from the right along a line that falls by 1 from house to house.
  print("skyline",
        scanned({-1, -1, -1, -1, -1, -1, -1, -1}, {4, 1, 6, 2, 1, 1, 5, 1}, Recurrence::highest));
}
