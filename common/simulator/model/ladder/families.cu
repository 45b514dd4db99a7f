// The list of the families.
#include "families.h"

namespace ladder {

// A file each, or a few that share a file.
Kernels transpose();
Kernels copies();
Kernels strides();
Kernels permutations();
Kernels matrix_vector();
Kernels long_rows();
Kernels sparse();
Kernels stencil_2d();
Kernels stencil_3d();
Kernels separable();
Kernels square_filter();
Kernels median();
Kernels bilateral_filter();
Kernels turned_picture();
Kernels byte_histogram();
Kernels compaction();
Kernels runs();
Kernels black_scholes();
Kernels monte_carlo();
Kernels mandelbrot();
Kernels bitonic_sort();
Kernels fourier();
Kernels dot_product();
Kernels sums_by_key();
Kernels softmax();
Kernels layer_norm();
Kernels row_sums();
Kernels word_search();
Kernels hash_table();
Kernels check_sum();
Kernels one_address();
Kernels graph_level();
Kernels factors();
Kernels small_products();
Kernels product();
Kernels half_product();
Kernels polynomials();
Kernels whole_numbers();

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"transpose", transpose},
      {"copies", copies},
      {"strides", strides},
      {"permutations", permutations},
      {"matrix-vector", matrix_vector},
      {"long rows", long_rows},
      {"sparse", sparse},
      {"stencil 2d", stencil_2d},
      {"stencil 3d", stencil_3d},
      {"separable filter", separable},
      {"square filter", square_filter},
      {"median", median},
      {"bilateral filter", bilateral_filter},
      {"turned picture", turned_picture},
      {"byte histogram", byte_histogram},
      {"compaction", compaction},
      {"runs", runs},
      {"black-scholes", black_scholes},
      {"monte carlo", monte_carlo},
      {"mandelbrot", mandelbrot},
      {"bitonic sort", bitonic_sort},
      {"fourier", fourier},
      {"dot product", dot_product},
      {"sums by key", sums_by_key},
      {"softmax", softmax},
      {"layer norm", layer_norm},
      {"row sums", row_sums},
      {"word search", word_search},
      {"hash table", hash_table},
      {"check sum", check_sum},
      {"one address", one_address},
      {"graph level", graph_level},
      {"factors", factors},
      {"small products", small_products},
      {"product", product},
      {"half product", half_product},
      {"polynomials", polynomials},
      {"whole numbers", whole_numbers},
  };
  return all;
}

}  // namespace ladder
