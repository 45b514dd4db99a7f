// The list of the families.
#include "families.h"

namespace ladder {

// A file each, or a few that share a file.
namespace arithmetic {
Kernels polynomials(), whole_numbers();
}  // namespace arithmetic

namespace byte_histogram {
Kernels byte_histogram();
}  // namespace byte_histogram

namespace chains {
Kernels alignment(), lu_steps(), shortest_paths(), cheapest_ways();
}  // namespace chains

namespace ciphers {
Kernels table_cipher(), stream_cipher(), base_64(), different_bits();
}  // namespace ciphers

namespace clusters {
Kernels nearest_centres(), sums_of_clusters(), records();
}  // namespace clusters

namespace codes {
Kernels prefix_codes(), different_values(), walsh_transforms();
}  // namespace codes

namespace compaction {
Kernels compaction(), runs();
}  // namespace compaction

namespace copies {
Kernels copies(), strides();
}  // namespace copies

namespace drawings {
Kernels squares_of_texture(), picture_of_triangles();
}  // namespace drawings

namespace draws {
Kernels generators(), rays_and_spheres(), cosine_transforms(), page_ranks(), elements_of_matrix();
}  // namespace draws

namespace energies {
Kernels potential_of_charges(), gas_in_cells();
}  // namespace energies

namespace estimates {
Kernels kalman_filters(), conjugate_gradients(), yields_of_bonds();
}  // namespace estimates

namespace fields {
Kernels thin_solid(), speckle(), light_waves(), living_cells(), particles_in_boxes();
}  // namespace fields

namespace filters {
Kernels separable(), square_filter(), median(), bilateral_filter();
}  // namespace filters

namespace finance {
Kernels black_scholes(), monte_carlo();
}  // namespace finance

namespace flows {
Kernels lattice_of_boltzmann(), spins_of_a_magnet(), marching_rays();
}  // namespace flows

namespace frames {
Kernels integral_picture(), dilation(), colours_of_sensor(), moved_blocks();
}  // namespace frames

namespace graph_level {
Kernels graph_level();
}  // namespace graph_level

namespace inference {
Kernels convolution_layer(), decision_forest(), overlapping_boxes();
}  // namespace inference

namespace integers {
Kernels long_products(), sieve_of_primes(), prefix_sums();
}  // namespace integers

namespace layers {
Kernels rotary_embedding(), depthwise_filter(), softmax_backward(), step_of_adam();
}  // namespace layers

namespace learning {
Kernels embeddings(), batch_norm(), pooling(), losses_of_classes(), attention(), lstm_gates();
}  // namespace learning

namespace lookups {
Kernels word_search(), hash_table(), check_sum(), one_address();
}  // namespace lookups

namespace mandelbrot {
Kernels mandelbrot();
}  // namespace mandelbrot

namespace matter {
Kernels quarks_on_a_lattice(), reacting_molecules(), dispersed_pulses();
}  // namespace matter

namespace matrix_vector {
Kernels matrix_vector(), long_rows();
}  // namespace matrix_vector

namespace messages {
Kernels tree_of_hashes(), parity_checks();
}  // namespace messages

namespace networks {
Kernels bitonic_sort(), fourier();
}  // namespace networks

namespace neurons {
Kernels neurons_that_fire(), weights_of_four_bits(), features_of_neighbours();
}  // namespace neurons

namespace pairs {
Kernels pairs_of_genes(), angles_of_galaxies();
}  // namespace pairs

namespace particles {
Kernels atoms_and_neighbours(), photons_in_slab();
}  // namespace particles

namespace permutations {
Kernels permutations();
}  // namespace permutations

namespace pictures {
Kernels turned_picture();
}  // namespace pictures

namespace pixels {
Kernels edges(), colours();
}  // namespace pixels

namespace products {
Kernels product(), half_product();
}  // namespace products

namespace relations {
Kernels triangles(), points_within_reach(), members_of_a_set(), springs_of_a_net();
}  // namespace relations

namespace roots {
Kernels eigenvalues(), orbits_of_planets();
}  // namespace roots

namespace row_norms {
Kernels softmax(), layer_norm();
}  // namespace row_norms

namespace row_sums {
Kernels row_sums();
}  // namespace row_sums

namespace samples {
Kernels words_of_a_genome(), filter_and_decimation();
}  // namespace samples

namespace scanners {
Kernels waves_of_scanner(), slice_of_projections(), samples_on_grid();
}  // namespace scanners

namespace searches {
Kernels cross_sections(), queens_on_a_board();
}  // namespace searches

namespace sequences {
Kernels edit_distances(), patterns_in_packets(), hidden_states();
}  // namespace sequences

namespace shapes {
Kernels points_in_polygon(), lines_of_picture(), parts_of_graph();
}  // namespace shapes

namespace signals {
Kernels recursive_filter(), later_selves(), wavelets();
}  // namespace signals

namespace small_matrices {
Kernels factors(), small_products();
}  // namespace small_matrices

namespace sparse {
Kernels sparse();
}  // namespace sparse

namespace stencils {
Kernels stencil_2d(), stencil_3d();
}  // namespace stencils

namespace storage {
Kernels erasure_codes(), compressed_blocks(), sum_of_chosen_orders();
}  // namespace storage

namespace sums {
Kernels dot_product(), sums_by_key();
}  // namespace sums

namespace systems {
Kernels tridiagonal(), red_and_black(), reflections();
}  // namespace systems

namespace tensors {
Kernels smooth_gates(), bytes_of_rows(), exchanged_axes(), few_blocks_of_matrix();
}  // namespace tensors

namespace transpose {
Kernels transpose();
}  // namespace transpose

namespace trees {
Kernels wide_nodes(), bisection(), merging(), equal_records(), largest_of_rows();
}  // namespace trees

namespace unknowns {
Kernels triangular_systems(), products_at_few_places(), prices_on_grid();
}  // namespace unknowns

namespace volumes {
Kernels surface_of_volume(), nodes_of_elements();
}  // namespace volumes

namespace walks {
Kernels walkers_on_a_graph(), trees_of_prices(), numbers_to_one(), small_recurrence();
}  // namespace walks

namespace words {
Kernels packed_numbers(), order_of_rows(), transforms_below_a_prime(), skin_on_bones();
}  // namespace words

const std::vector<Family>& families() {
  constexpr Half fit = Half::fit, held_out = Half::held_out;
  static const std::vector<Family> all = {
      {"transpose", transpose::transpose, fit},
      {"copies", copies::copies, fit},
      {"strides", copies::strides, fit},
      {"permutations", permutations::permutations, fit},
      {"matrix-vector", matrix_vector::matrix_vector, fit},
      {"long rows", matrix_vector::long_rows, fit},
      {"sparse", sparse::sparse, fit},
      {"stencil 2d", stencils::stencil_2d, fit},
      {"stencil 3d", stencils::stencil_3d, fit},
      {"separable filter", filters::separable, fit},
      {"square filter", filters::square_filter, fit},
      {"median", filters::median, fit},
      {"bilateral filter", filters::bilateral_filter, fit},
      {"turned picture", pictures::turned_picture, fit},
      {"byte histogram", byte_histogram::byte_histogram, fit},
      {"compaction", compaction::compaction, fit},
      {"runs", compaction::runs, fit},
      {"black-scholes", finance::black_scholes, fit},
      {"monte carlo", finance::monte_carlo, fit},
      {"mandelbrot", mandelbrot::mandelbrot, fit},
      {"bitonic sort", networks::bitonic_sort, fit},
      {"fourier", networks::fourier, fit},
      {"dot product", sums::dot_product, fit},
      {"sums by key", sums::sums_by_key, fit},
      {"softmax", row_norms::softmax, fit},
      {"layer norm", row_norms::layer_norm, fit},
      {"row sums", row_sums::row_sums, fit},
      {"word search", lookups::word_search, fit},
      {"hash table", lookups::hash_table, fit},
      {"check sum", lookups::check_sum, fit},
      {"one address", lookups::one_address, fit},
      {"graph level", graph_level::graph_level, fit},
      {"factors", small_matrices::factors, fit},
      {"small products", small_matrices::small_products, fit},
      {"product", products::product, fit},
      {"half product", products::half_product, fit},
      {"polynomials", arithmetic::polynomials, fit},
      {"whole numbers", arithmetic::whole_numbers, fit},
      {"nearest centres", clusters::nearest_centres, fit},
      {"sums of clusters", clusters::sums_of_clusters, fit},
      {"records", clusters::records, fit},
      {"alignment", chains::alignment, fit},
      {"lu steps", chains::lu_steps, fit},
      {"shortest paths", chains::shortest_paths, fit},
      {"cheapest ways", chains::cheapest_ways, fit},
      {"thin solid", fields::thin_solid, fit},
      {"speckle", fields::speckle, fit},
      {"light waves", fields::light_waves, fit},
      {"living cells", fields::living_cells, fit},
      {"particles in boxes", fields::particles_in_boxes, fit},
      {"wide nodes", trees::wide_nodes, fit},
      {"bisection", trees::bisection, fit},
      {"merging", trees::merging, fit},
      {"equal records", trees::equal_records, fit},
      {"largest of rows", trees::largest_of_rows, fit},
      {"embeddings", learning::embeddings, fit},
      {"batch norm", learning::batch_norm, fit},
      {"pooling", learning::pooling, fit},
      {"losses of classes", learning::losses_of_classes, fit},
      {"attention", learning::attention, fit},
      {"lstm gates", learning::lstm_gates, fit},
      {"generators", draws::generators, fit},
      {"rays and spheres", draws::rays_and_spheres, fit},
      {"cosine transforms", draws::cosine_transforms, fit},
      {"page ranks", draws::page_ranks, fit},
      {"elements of a matrix", draws::elements_of_matrix, fit},
      {"edges", pixels::edges, fit},
      {"colours", pixels::colours, fit},
      {"recursive filter", signals::recursive_filter, fit},
      {"later selves", signals::later_selves, fit},
      {"wavelets", signals::wavelets, fit},
      {"tridiagonal", systems::tridiagonal, fit},
      {"red and black", systems::red_and_black, fit},
      {"reflections", systems::reflections, fit},
      {"eigenvalues", roots::eigenvalues, fit},
      {"orbits of planets", roots::orbits_of_planets, fit},
      {"lattice of boltzmann", flows::lattice_of_boltzmann, fit},
      {"spins of a magnet", flows::spins_of_a_magnet, fit},
      {"marching rays", flows::marching_rays, fit},
      {"walkers on a graph", walks::walkers_on_a_graph, fit},
      {"trees of prices", walks::trees_of_prices, fit},
      {"numbers to one", walks::numbers_to_one, fit},
      {"small recurrence", walks::small_recurrence, fit},
      {"smooth gates", tensors::smooth_gates, fit},
      {"bytes of rows", tensors::bytes_of_rows, fit},
      {"exchanged axes", tensors::exchanged_axes, fit},
      {"few blocks of a matrix", tensors::few_blocks_of_matrix, fit},
      {"triangles", relations::triangles, fit},
      {"points within reach", relations::points_within_reach, fit},
      {"members of a set", relations::members_of_a_set, fit},
      {"springs of a net", relations::springs_of_a_net, fit},
      {"packed numbers", words::packed_numbers, fit},
      {"order of rows", words::order_of_rows, fit},
      {"transforms below a prime", words::transforms_below_a_prime, fit},
      {"skin on bones", words::skin_on_bones, fit},
      {"table cipher", ciphers::table_cipher, fit},
      {"stream cipher", ciphers::stream_cipher, fit},
      {"base 64", ciphers::base_64, fit},
      {"different bits", ciphers::different_bits, fit},
      {"integral picture", frames::integral_picture, fit},
      {"dilation", frames::dilation, fit},
      {"colours of a sensor", frames::colours_of_sensor, fit},
      {"moved blocks", frames::moved_blocks, fit},
      {"rotary embedding", layers::rotary_embedding, fit},
      {"depthwise filter", layers::depthwise_filter, fit},
      {"softmax backward", layers::softmax_backward, fit},
      {"step of adam", layers::step_of_adam, fit},
      {"potential of charges", energies::potential_of_charges, fit},
      {"gas in cells", energies::gas_in_cells, fit},
      {"cross sections", searches::cross_sections, fit},
      {"queens on a board", searches::queens_on_a_board, fit},
      {"edit distances", sequences::edit_distances, fit},
      {"patterns in packets", sequences::patterns_in_packets, fit},
      {"hidden states", sequences::hidden_states, fit},
      {"prefix codes", codes::prefix_codes, fit},
      {"different values", codes::different_values, fit},
      {"walsh transforms", codes::walsh_transforms, fit},
      {"points in a polygon", shapes::points_in_polygon, fit},
      {"lines of a picture", shapes::lines_of_picture, fit},
      {"parts of a graph", shapes::parts_of_graph, fit},
      {"atoms and neighbours", particles::atoms_and_neighbours, fit},
      {"photons in a slab", particles::photons_in_slab, fit},
      {"triangular systems", unknowns::triangular_systems, fit},
      {"products at few places", unknowns::products_at_few_places, fit},
      {"prices on a grid", unknowns::prices_on_grid, fit},
      {"waves of a scanner", scanners::waves_of_scanner, fit},
      {"slice of projections", scanners::slice_of_projections, fit},
      {"samples on a grid", scanners::samples_on_grid, fit},
      {"squares of a texture", drawings::squares_of_texture, fit},
      {"picture of triangles", drawings::picture_of_triangles, fit},
      {"surface of a volume", volumes::surface_of_volume, fit},
      {"nodes of elements", volumes::nodes_of_elements, fit},
      {"tree of hashes", messages::tree_of_hashes, fit},
      {"parity checks", messages::parity_checks, fit},
      {"pairs of genes", pairs::pairs_of_genes, fit},
      {"angles of galaxies", pairs::angles_of_galaxies, fit},
      {"neurons that fire", neurons::neurons_that_fire, fit},
      {"weights of four bits", neurons::weights_of_four_bits, fit},
      {"features of neighbours", neurons::features_of_neighbours, fit},
      {"convolution layer", inference::convolution_layer, held_out},
      {"decision forest", inference::decision_forest, held_out},
      {"overlapping boxes", inference::overlapping_boxes, held_out},
      {"erasure codes", storage::erasure_codes, held_out},
      {"compressed blocks", storage::compressed_blocks, held_out},
      {"sum of chosen orders", storage::sum_of_chosen_orders, held_out},
      {"quarks on a lattice", matter::quarks_on_a_lattice, held_out},
      {"reacting molecules", matter::reacting_molecules, held_out},
      {"dispersed pulses", matter::dispersed_pulses, held_out},
      {"long products", integers::long_products, held_out},
      {"sieve of primes", integers::sieve_of_primes, held_out},
      {"prefix sums", integers::prefix_sums, held_out},
      {"kalman filters", estimates::kalman_filters, held_out},
      {"conjugate gradients", estimates::conjugate_gradients, held_out},
      {"yields of bonds", estimates::yields_of_bonds, held_out},
      {"words of a genome", samples::words_of_a_genome, held_out},
      {"filter and decimation", samples::filter_and_decimation, held_out},
  };
  return all;
}

}  // namespace ladder
