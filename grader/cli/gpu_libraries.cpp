// Which ones there are, and what stands in for each.
#include "grader/cli/gpu_libraries.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/source_text.h"

namespace gridstride::cli {
namespace {

struct GpuLibrary {
  std::string_view name;
  std::string_view file;    ///< how the names of its shared libraries begin
  std::string_view header;  ///< how the names of its headers begin
  std::string_view repair;
};

constexpr std::string_view on_a_gpu = "Compute this with a kernel of your own, or use a GPU.";
constexpr GpuLibrary gpu_libraries[] = {
    {"cuBLAS", "libcublas", "cublas",
     "Multiply with a kernel of your own (the lab tiled-gemm has five), or use a GPU."},
    {"cuRAND", "libcurand", "curand.h",
     "Draw numbers in kernels with curand_kernel.h, which works, or on the host."},
    {"cuFFT", "libcufft", "cufft", on_a_gpu},
    {"cuSPARSE", "libcusparse", "cusparse", on_a_gpu},
    {"cuSOLVER", "libcusolver", "cusolver", on_a_gpu},
    {"cuDNN", "libcudnn", "cudnn", on_a_gpu},
    {"NPP", "libnpp", "npp", on_a_gpu},
    {"NCCL", "libnccl", "nccl", "Copy between devices with cudaMemcpyPeer, or use GPUs."},
    {"NVRTC", "libnvrtc", "nvrtc", "Compile the kernels with nvcc."},
    {"The CUDA driver's own interface", "libcuda.so", "cuda.h",
     "Call the runtime (cudaMalloc for cuMemAlloc, <<<…>>> for cuLaunchKernel)."},
};

void add(std::string& words, const GpuLibrary& library, const std::string& where) {
  words += fmt::format("{}{} ({}) is not part of the simulated GPU: its calls fail there. {}",
                       words.empty() ? "" : " ", library.name, where, library.repair);
}

}  // namespace

std::string about_needed_libraries(const std::vector<std::string>& libraries) {
  std::string words;
  for (const GpuLibrary& each : gpu_libraries) {
    const auto found = std::ranges::find_if(
        libraries, [&](const std::string& library) { return library.starts_with(each.file); });
    if (found != libraries.end()) add(words, each, *found);
  }
  return words;
}

std::string about_included_libraries(const std::string& source) {
  const std::vector<IncludeDirective> includes = include_directives(source);
  std::string words;
  for (const GpuLibrary& each : gpu_libraries) {
    const auto found = std::ranges::find_if(includes, [&](const IncludeDirective& include) {
      return include.header.starts_with(each.header);
    });
    if (found != includes.end())
      add(words, each, fmt::format("line {}: #include <{}>", found->line, found->header));
  }
  return words;
}

}  // namespace gridstride::cli
