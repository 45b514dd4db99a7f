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
Kernels nearest_centres();
Kernels sums_of_clusters();
Kernels records();
Kernels alignment();
Kernels lu_steps();
Kernels shortest_paths();
Kernels cheapest_ways();
Kernels thin_solid();
Kernels speckle();
Kernels light_waves();
Kernels living_cells();
Kernels particles_in_boxes();
Kernels wide_nodes();
Kernels bisection();
Kernels merging();
Kernels equal_records();
Kernels largest_of_rows();
Kernels embeddings();
Kernels batch_norm();
Kernels pooling();
Kernels losses_of_classes();
Kernels attention();
Kernels lstm_gates();
Kernels generators();
Kernels rays_and_spheres();
Kernels cosine_transforms();
Kernels page_ranks();
Kernels elements_of_matrix();

const std::vector<Family>& families() {
  constexpr Half fit = Half::fit, held_out = Half::held_out;
  static const std::vector<Family> all = {
      {"transpose", transpose, fit},
      {"copies", copies, fit},
      {"strides", strides, fit},
      {"permutations", permutations, fit},
      {"matrix-vector", matrix_vector, fit},
      {"long rows", long_rows, fit},
      {"sparse", sparse, fit},
      {"stencil 2d", stencil_2d, fit},
      {"stencil 3d", stencil_3d, fit},
      {"separable filter", separable, fit},
      {"square filter", square_filter, fit},
      {"median", median, fit},
      {"bilateral filter", bilateral_filter, fit},
      {"turned picture", turned_picture, fit},
      {"byte histogram", byte_histogram, fit},
      {"compaction", compaction, fit},
      {"runs", runs, fit},
      {"black-scholes", black_scholes, fit},
      {"monte carlo", monte_carlo, fit},
      {"mandelbrot", mandelbrot, fit},
      {"bitonic sort", bitonic_sort, fit},
      {"fourier", fourier, fit},
      {"dot product", dot_product, fit},
      {"sums by key", sums_by_key, fit},
      {"softmax", softmax, fit},
      {"layer norm", layer_norm, fit},
      {"row sums", row_sums, fit},
      {"word search", word_search, fit},
      {"hash table", hash_table, fit},
      {"check sum", check_sum, fit},
      {"one address", one_address, fit},
      {"graph level", graph_level, fit},
      {"factors", factors, fit},
      {"small products", small_products, fit},
      {"product", product, fit},
      {"half product", half_product, fit},
      {"polynomials", polynomials, fit},
      {"whole numbers", whole_numbers, fit},
      {"nearest centres", nearest_centres, held_out},
      {"sums of clusters", sums_of_clusters, held_out},
      {"records", records, held_out},
      {"alignment", alignment, held_out},
      {"lu steps", lu_steps, held_out},
      {"shortest paths", shortest_paths, held_out},
      {"cheapest ways", cheapest_ways, held_out},
      {"thin solid", thin_solid, held_out},
      {"speckle", speckle, held_out},
      {"light waves", light_waves, held_out},
      {"living cells", living_cells, held_out},
      {"particles in boxes", particles_in_boxes, held_out},
      {"wide nodes", wide_nodes, held_out},
      {"bisection", bisection, held_out},
      {"merging", merging, held_out},
      {"equal records", equal_records, held_out},
      {"largest of rows", largest_of_rows, held_out},
      {"embeddings", embeddings, held_out},
      {"batch norm", batch_norm, held_out},
      {"pooling", pooling, held_out},
      {"losses of classes", losses_of_classes, held_out},
      {"attention", attention, held_out},
      {"lstm gates", lstm_gates, held_out},
      {"generators", generators, held_out},
      {"rays and spheres", rays_and_spheres, held_out},
      {"cosine transforms", cosine_transforms, held_out},
      {"page ranks", page_ranks, held_out},
      {"elements of a matrix", elements_of_matrix, held_out},
  };
  return all;
}

}  // namespace ladder
