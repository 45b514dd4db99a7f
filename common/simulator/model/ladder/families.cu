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
Kernels edges();
Kernels colours();
Kernels recursive_filter();
Kernels later_selves();
Kernels wavelets();
Kernels tridiagonal();
Kernels red_and_black();
Kernels reflections();
Kernels eigenvalues();
Kernels orbits_of_planets();
Kernels lattice_of_boltzmann();
Kernels spins_of_a_magnet();
Kernels marching_rays();
Kernels walkers_on_a_graph();
Kernels trees_of_prices();
Kernels numbers_to_one();
Kernels small_recurrence();
Kernels smooth_gates();
Kernels bytes_of_rows();
Kernels exchanged_axes();
Kernels few_blocks_of_matrix();
Kernels triangles();
Kernels points_within_reach();
Kernels members_of_a_set();
Kernels springs_of_a_net();
Kernels packed_numbers();
Kernels order_of_rows();
Kernels transforms_below_a_prime();
Kernels skin_on_bones();
Kernels table_cipher();
Kernels stream_cipher();
Kernels base_64();
Kernels different_bits();
Kernels integral_picture();
Kernels dilation();
Kernels colours_of_sensor();
Kernels moved_blocks();
Kernels rotary_embedding();
Kernels depthwise_filter();
Kernels softmax_backward();
Kernels step_of_adam();
Kernels potential_of_charges();
Kernels gas_in_cells();
Kernels cross_sections();
Kernels queens_on_a_board();
Kernels edit_distances();
Kernels patterns_in_packets();
Kernels hidden_states();
Kernels prefix_codes();
Kernels different_values();
Kernels walsh_transforms();
Kernels points_in_polygon();
Kernels lines_of_picture();
Kernels parts_of_graph();
Kernels atoms_and_neighbours();
Kernels photons_in_slab();
Kernels triangular_systems();
Kernels products_at_few_places();
Kernels prices_on_grid();
Kernels waves_of_scanner();
Kernels slice_of_projections();
Kernels samples_on_grid();
Kernels squares_of_texture();
Kernels picture_of_triangles();
Kernels surface_of_volume();
Kernels nodes_of_elements();
Kernels tree_of_hashes();
Kernels parity_checks();
Kernels pairs_of_genes();
Kernels angles_of_galaxies();
Kernels neurons_that_fire();
Kernels weights_of_four_bits();
Kernels features_of_neighbours();

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
      {"nearest centres", nearest_centres, fit},
      {"sums of clusters", sums_of_clusters, fit},
      {"records", records, fit},
      {"alignment", alignment, fit},
      {"lu steps", lu_steps, fit},
      {"shortest paths", shortest_paths, fit},
      {"cheapest ways", cheapest_ways, fit},
      {"thin solid", thin_solid, fit},
      {"speckle", speckle, fit},
      {"light waves", light_waves, fit},
      {"living cells", living_cells, fit},
      {"particles in boxes", particles_in_boxes, fit},
      {"wide nodes", wide_nodes, fit},
      {"bisection", bisection, fit},
      {"merging", merging, fit},
      {"equal records", equal_records, fit},
      {"largest of rows", largest_of_rows, fit},
      {"embeddings", embeddings, fit},
      {"batch norm", batch_norm, fit},
      {"pooling", pooling, fit},
      {"losses of classes", losses_of_classes, fit},
      {"attention", attention, fit},
      {"lstm gates", lstm_gates, fit},
      {"generators", generators, fit},
      {"rays and spheres", rays_and_spheres, fit},
      {"cosine transforms", cosine_transforms, fit},
      {"page ranks", page_ranks, fit},
      {"elements of a matrix", elements_of_matrix, fit},
      {"edges", edges, fit},
      {"colours", colours, fit},
      {"recursive filter", recursive_filter, fit},
      {"later selves", later_selves, fit},
      {"wavelets", wavelets, fit},
      {"tridiagonal", tridiagonal, fit},
      {"red and black", red_and_black, fit},
      {"reflections", reflections, fit},
      {"eigenvalues", eigenvalues, fit},
      {"orbits of planets", orbits_of_planets, fit},
      {"lattice of boltzmann", lattice_of_boltzmann, fit},
      {"spins of a magnet", spins_of_a_magnet, fit},
      {"marching rays", marching_rays, fit},
      {"walkers on a graph", walkers_on_a_graph, fit},
      {"trees of prices", trees_of_prices, fit},
      {"numbers to one", numbers_to_one, fit},
      {"small recurrence", small_recurrence, fit},
      {"smooth gates", smooth_gates, fit},
      {"bytes of rows", bytes_of_rows, fit},
      {"exchanged axes", exchanged_axes, fit},
      {"few blocks of a matrix", few_blocks_of_matrix, fit},
      {"triangles", triangles, fit},
      {"points within reach", points_within_reach, fit},
      {"members of a set", members_of_a_set, fit},
      {"springs of a net", springs_of_a_net, fit},
      {"packed numbers", packed_numbers, fit},
      {"order of rows", order_of_rows, fit},
      {"transforms below a prime", transforms_below_a_prime, fit},
      {"skin on bones", skin_on_bones, fit},
      {"table cipher", table_cipher, fit},
      {"stream cipher", stream_cipher, fit},
      {"base 64", base_64, fit},
      {"different bits", different_bits, fit},
      {"integral picture", integral_picture, fit},
      {"dilation", dilation, fit},
      {"colours of a sensor", colours_of_sensor, fit},
      {"moved blocks", moved_blocks, fit},
      {"rotary embedding", rotary_embedding, fit},
      {"depthwise filter", depthwise_filter, fit},
      {"softmax backward", softmax_backward, fit},
      {"step of adam", step_of_adam, fit},
      {"potential of charges", potential_of_charges, fit},
      {"gas in cells", gas_in_cells, fit},
      {"cross sections", cross_sections, fit},
      {"queens on a board", queens_on_a_board, fit},
      {"edit distances", edit_distances, held_out},
      {"patterns in packets", patterns_in_packets, held_out},
      {"hidden states", hidden_states, held_out},
      {"prefix codes", prefix_codes, held_out},
      {"different values", different_values, held_out},
      {"walsh transforms", walsh_transforms, held_out},
      {"points in a polygon", points_in_polygon, held_out},
      {"lines of a picture", lines_of_picture, held_out},
      {"parts of a graph", parts_of_graph, held_out},
      {"atoms and neighbours", atoms_and_neighbours, held_out},
      {"photons in a slab", photons_in_slab, held_out},
      {"triangular systems", triangular_systems, held_out},
      {"products at few places", products_at_few_places, held_out},
      {"prices on a grid", prices_on_grid, held_out},
      {"waves of a scanner", waves_of_scanner, held_out},
      {"slice of projections", slice_of_projections, held_out},
      {"samples on a grid", samples_on_grid, held_out},
      {"squares of a texture", squares_of_texture, held_out},
      {"picture of triangles", picture_of_triangles, held_out},
      {"surface of a volume", surface_of_volume, held_out},
      {"nodes of elements", nodes_of_elements, held_out},
      {"tree of hashes", tree_of_hashes, held_out},
      {"parity checks", parity_checks, held_out},
      {"pairs of genes", pairs_of_genes, held_out},
      {"angles of galaxies", angles_of_galaxies, held_out},
      {"neurons that fire", neurons_that_fire, held_out},
      {"weights of four bits", weights_of_four_bits, held_out},
      {"features of neighbours", features_of_neighbours, held_out},
  };
  return all;
}

}  // namespace ladder
