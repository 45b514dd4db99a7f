// Every solution beside the library a user would otherwise pick: cuBLAS, held to fp32 arithmetic.
// Links: cublas
//
// Runs on a real GPU (`./lab bench tiled-gemm`); grader/bench/bench.h says how it is timed.
#include <cublas_v2.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/bench/bench.h"
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;

void check(cublasStatus_t status, const std::string& what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(what + ": " + cublasGetStatusString(status));
}

class Cublas {
 public:
  explicit Cublas(cudaStream_t stream) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream), "cublasSetStream");
    check(cublasSetMathMode(handle_, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");  // no TF32
  }
  ~Cublas() { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// C = A B or A B^T of edge x edge elements each. cuBLAS has its matrices column by column; what
  /// it takes for C^T = B^T A^T is our C = A B.
  void gemm(const float* a, const float* b, float* c, int edge, bool transposed) const {
    const float one = 1, zero = 0;
    check(cublasSgemm(handle_, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, edge, edge,
                      edge, &one, b, edge, a, edge, &zero, c, edge),
          "cublasSgemm");
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

struct Matrices {
  float *a, *b, *c, *expected;
};

/// One product of square matrices, by every stage of `function` and by cuBLAS. What cuBLAS gives is
/// what all must give: no sum of the inputs is rounded in any order.
void add_products(Bench& bench, const std::shared_ptr<Cublas>& library, Matrices of, int edge,
                  const std::string& function, const std::vector<std::string>& stages) {
  const cudaStream_t stream = bench.stream();
  const bool transposed = function == "gemm_abt";
  const auto reference = [=](float* c) { library->gemm(of.a, of.b, c, edge, transposed); };
  reference(of.expected);

  const std::size_t bytes = sizeof(float) * edge * edge;
  const std::string size = std::to_string(edge) + "^3" + (transposed ? " A B^T/" : "/");
  BenchRow row{.operations = 2.0 * edge * edge * edge,
               .operation = "flop",
               .results = {{of.c, of.expected, bytes}}};
  for (const std::string& stage : stages) {
    auto* multiply = bench.stage<decltype(gemm)>(stage, function);  // gemm_abt's type too
    row.name = size + stage;
    row.launch = [=] { multiply(of.a, of.b, of.c, edge, edge, edge, 1, 0, stream); };
    bench.add(row);
  }
  row.name = size + "cublasSgemm";
  row.library = true;
  row.launch = [=] { reference(of.c); };
  bench.add(row);
}

void add_rows(Bench& bench) {
  constexpr std::int64_t largest = 4096;
  Matrices of;
  for (float** matrix : {&of.a, &of.b, &of.c, &of.expected})
    *matrix = bench.allocate<float>(largest * largest);
  gridstride::fill_with_whole_numbers(of.a, largest * largest, bench.stream());
  gridstride::fill_with_whole_numbers(of.b, largest * largest, bench.stream());
  const auto library = std::make_shared<Cublas>(bench.stream());
  for (const int edge : {2048, 4096}) {
    add_products(bench, library, of, edge, "gemm",
                 {"0_baseline", "1_tile_16", "2_tile_32", "4_register_blocks", "5_vectorized"});
    add_products(bench, library, of, edge, "gemm_abt", {"0_baseline", "3_abt_padded"});
  }
  // Sizes that no tile divides: rows of a multiple of four floats, and others.
  for (const int edge : {2052, 2047})
    add_products(bench, library, of, edge, "gemm", {"5_vectorized"});
}

}  // namespace

int main(int argc, char** argv) {
  return gridstride::run_bench("tiled-gemm", argc, argv, add_rows);
}
