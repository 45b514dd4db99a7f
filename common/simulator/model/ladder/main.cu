// Times kernels as courses and collections of samples have them, none of which is a lab's, for the
// time model to be held against. Prints CSV. The same program runs on a real GPU and on the
// simulated one, where the times are modelled:
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -cudart shared -I. -o ladder *.cu applications/*.cu
//     ./ladder > ladder.csv
//     GRIDSTRIDE_SIM_PROFILE=h200-whole GRIDSTRIDE_SIM_CHECK=none lab sim -- ./ladder --calls 1
//
// -arch=sm_90 puts machine code for the GPU and PTX for the simulated one (compute_90) into one
// program, both made of the same text by the same compiler. Stages hold PTX for compute_75, which
// has no asynchronous copies; two rows here are about those, so all rows are compute_90.
//
//     ladder [--check] [--calls N] [--list] [FAMILY]…
//
// Each of N calls (15 unless told) is on an L2 full of lines of something else, which have been
// read, and lies between two events behind that reading, so that the GPU has all of it before it
// begins. One call before them is not timed, unless N is 1. --check computes results on the host
// too, and ends with 1 when one is wrong.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "families.h"
#include "ladder.h"

namespace ladder {
namespace {

/// Readings of twice the L2 before a kernel is timed, some 10 ms: while the host made inputs or
/// looked at results, the GPU may have lowered its clock.
constexpr int awake = 300;

struct Options {
  bool checked = false, listed = false;
  int calls = 15;
  std::vector<std::string> families;
};

__global__ void nothing() {}

__global__ void read_all(const float4* values, int n, float* sum) {
  float all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = values[i];
    all += v.x + v.y + v.z + v.w;
  }
  if (all == 1) *sum = all;
}

/// Fills the L2 with twice its size of something else.
class ColdCache {
 public:
  ColdCache() : lines_(2 * l2_bytes() / sizeof(float4)), sum_(1) {}
  void make() const {
    const int n = static_cast<int>(lines_.size());
    read_all<<<1024, 256>>>(lines_.device(), n, sum_.device());
  }

 private:
  static std::size_t l2_bytes() {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
    return bytes;
  }
  Array<float4> lines_;
  Array<float> sum_;
};

class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_));
    check(cudaEventCreate(&stop_));
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  double microseconds(const Kernel& kernel) const {
    if (kernel.renew) kernel.renew();
    check(cudaDeviceSynchronize());
    cold_.make();
    check(cudaEventRecord(start_));
    kernel.launch();
    check(cudaEventRecord(stop_));
    check(cudaGetLastError());
    check(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds * 1e3;
  }
  /// Of `calls` calls, in order of time.
  std::vector<double> times(const Kernel& kernel, int calls) const {
    if (calls > 1) {
      for (int i = 0; i < awake; ++i) cold_.make();
      microseconds(kernel);
    }
    std::vector<double> all;
    for (int i = 0; i < calls; ++i) all.push_back(microseconds(kernel));
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  ColdCache cold_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// "580.159.04"; of no driver, nothing.
std::string driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (word.find_first_not_of("0123456789.") == std::string::npos &&
        std::count(word.begin(), word.end(), '.') > 0) {
      return ", driver " + word;
    }
  }
  return "";
}

void print_head(const Stopwatch& watch, int calls) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("# %s%s, CUDA %d.%d.%d, %s; written by common/simulator/model/ladder.\n",
              properties.name, driver().c_str(), __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
              __CUDACC_VER_BUILD__, date);
  const Kernel empty{"", nullptr, [] { nothing<<<1, 32>>>(); }, nullptr};
  const std::vector<double> times = watch.times(empty, calls);
  std::printf("# Microseconds of %d calls; an empty kernel takes %.2f.\n", calls,
              times[times.size() / 2]);
  std::printf("half,family,kernel,median_us,least_us,most_us\n");
}

/// Whether all results are right, as far as they are looked at.
bool run(const Family& family, const Options& options, const Stopwatch& watch) {
  bool right = true;
  for (const Kernel& kernel : family.make()) {
    const std::vector<double> times = watch.times(kernel, options.calls);
    std::printf("%s,%s,\"%s\",%.2f,%.2f,%.2f\n", family.half == Half::fit ? "fit" : "held-out",
                family.name, kernel.name.c_str(), times[times.size() / 2], times.front(),
                times.back());
    std::fflush(stdout);
    if (options.checked && !kernel.right()) {
      std::fprintf(stderr, "ladder: %s, %s: wrong results\n", family.name, kernel.name.c_str());
      right = false;
    }
  }
  return right;
}

int run(const Options& options) {
  if (options.listed) {
    for (const Family& family : families()) std::printf("%s\n", family.name);
    return 0;
  }
  const auto wanted = [&](const std::string& name) {
    const std::vector<std::string>& all = options.families;
    return all.empty() || std::find(all.begin(), all.end(), name) != all.end();
  };
  const Stopwatch watch;
  print_head(watch, options.calls);
  bool right = true;
  for (const Family& family : families()) {
    if (wanted(family.name)) right &= run(family, options, watch);
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace ladder

int main(int argc, char** argv) {
  ladder::Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.checked = true;
    } else if (std::strcmp(argv[i], "--list") == 0) {
      options.listed = true;
    } else if (std::strcmp(argv[i], "--calls") == 0 && i + 1 < argc) {
      options.calls = std::max(std::atoi(argv[++i]), 1);
    } else if (argv[i][0] != '-') {
      options.families.push_back(argv[i]);
    } else {
      std::fprintf(stderr, "usage: ladder [--check] [--calls N] [--list] [FAMILY]...\n");
      return 2;
    }
  }
  return ladder::run(options);
}
