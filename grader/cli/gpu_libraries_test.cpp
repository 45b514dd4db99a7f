// A program that asks for more than the simulated GPU has hears so by name.
#include "grader/cli/gpu_libraries.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride::cli {
namespace {

TEST(GpuLibraries, AreNamedWhereAProgramNeedsThem) {
  EXPECT_EQ(about_needed_libraries({"libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13"}),
            "cuBLAS (libcublas.so.13) is not part of the simulated GPU: its calls fail there. "
            "Multiply with a kernel of your own (the lab tiled-gemm has five), or use a GPU.");
  const std::string both = about_needed_libraries({"libcurand.so.10", "libcuda.so.1"});
  EXPECT_NE(both.find("cuRAND (libcurand.so.10)"), std::string::npos) << both;
  EXPECT_NE(both.find(" The CUDA driver's own interface (libcuda.so.1)"), std::string::npos)
      << both;
  EXPECT_EQ(about_needed_libraries({"libcudart.so.13", "libc.so.6", "libstdc++.so.6"}), "");
}

TEST(GpuLibraries, AreNamedWhereASourceIncludesThem) {
  const std::string words = about_included_libraries(
      "#include <cuda_runtime.h>\n  #  include \"cublas_v2.h\"\n#include <cublasLt.h>\n");
  EXPECT_EQ(words.find("cuBLAS (line 2: #include <cublas_v2.h>) is not part"), 0u) << words;
  EXPECT_EQ(words.find("cuBLAS", 1), std::string::npos) << "once: " << words;
  EXPECT_EQ(about_included_libraries("#include <cuda_runtime.h>\n#include <curand_kernel.h>\n"
                                     "#include <cuda/atomic>\n// #include <cufft.h>\n"),
            "");
}

}  // namespace
}  // namespace gridstride::cli
