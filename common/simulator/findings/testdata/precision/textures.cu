// Arrays that are read through textures and surfaces. Each kernel has an array of 64 x 64 ints that
// nobody has written, as a texture and as a surface.
#include "precision.h"

#undef KERNEL
#define KERNEL(name)                                                                           \
  extern "C" __global__ void name(int* data, int* flag, int* raw, cudaTextureObject_t texture, \
                                  cudaSurfaceObject_t surface)

KERNEL(wrong_uninitialized_read_through_a_texture) {
  data[gid] = tex2D<int>(texture, float(tid), float(bid));  // here
}
KERNEL(wrong_uninitialized_read_through_a_surface) {
  data[gid] = surf2Dread<int>(surface, tid * 4, bid);  // here
}
KERNEL(right_surface_written_and_read) {
  surf2Dwrite(gid, surface, tid * 4, bid);
  data[gid] = surf2Dread<int>(surface, tid * 4, bid);
}
KERNEL(wrong_uninitialized_read_of_the_next_row) {
  surf2Dwrite(gid, surface, tid * 4, bid);
  data[gid] = surf2Dread<int>(surface, tid * 4, bid + 4);  // here
}
KERNEL(right_surface_outside_reads_zero) {
  data[gid] = surf2Dread<int>(surface, (tid + 64) * 4, bid, cudaBoundaryModeZero);
}
KERNEL(wrong_global_race_surface_read_by_another_thread) {
  surf2Dwrite(gid, surface, tid * 4, bid);                    // here
  data[gid] = surf2Dread<int>(surface, (63 - tid) * 4, bid);  // here
}
KERNEL(right_surface_read_behind_a_barrier) {
  surf2Dwrite(gid, surface, tid * 4, bid);
  __syncthreads();
  data[gid] = surf2Dread<int>(surface, (63 - tid) * 4, bid);
}
KERNEL(wrong_global_race_texture_of_what_a_surface_wrote) {
  surf2Dwrite(gid, surface, tid * 4, bid);  // here
  __syncthreads();
  data[gid] = tex2D<int>(texture, float(63 - tid), float(bid));  // here
}
KERNEL(right_surface_where_all_store_one_value) {
  surf2Dwrite(7, surface, 0, 0);
  data[gid] = 1;
}
// A texture may not even find what its own thread has stored.
KERNEL(wrong_global_race_texture_of_what_its_own_thread_wrote) {
  surf2Dwrite(gid, surface, tid * 4, bid);                  // here
  data[gid] = tex2D<int>(texture, float(tid), float(bid));  // here
}
KERNEL(wrong_global_race_surface_rows_of_all_blocks) {
  surf2Dwrite(gid, surface, tid * 4, 0);  // here
}
KERNEL(wrong_global_race_surface_lanes_store_to_one_texel) {
  surf2Dwrite(tid, surface, tid / 2 * 4, bid);  // here
}
KERNEL(wrong_global_race_surface_stores_of_two_widths) {
  if (tid < 16) surf2Dwrite(make_int4(1, 2, 3, tid), surface, tid * 16, bid);  // here
  surf2Dwrite(tid, surface, tid * 4, bid);                                     // here
}
KERNEL(right_surface_stores_of_two_widths_and_one_value) {
  if (tid < 16) surf2Dwrite(make_int4(1, 1, 1, 1), surface, tid * 16, bid);
  surf2Dwrite(1, surface, tid * 4, bid);
}
KERNEL(right_surface_stored_to_again_behind_a_barrier) {
  surf2Dwrite(tid, surface, tid * 4, bid);
  __syncthreads();
  surf2Dwrite(gid + 1, surface, (63 - tid) * 4, bid);
}
KERNEL(wrong_global_race_surface_stencil_in_place) {
  surf2Dwrite(gid, surface, tid * 4, bid);
  __syncthreads();
  const int next = surf2Dread<int>(surface, (tid + 1) % 64 * 4, bid);  // here
  surf2Dwrite(next + 1, surface, tid * 4, bid);                        // here
}
KERNEL(right_surface_stencil_with_two_barriers) {
  surf2Dwrite(gid, surface, tid * 4, bid);
  __syncthreads();
  const int next = surf2Dread<int>(surface, (tid + 1) % 64 * 4, bid);
  __syncthreads();
  surf2Dwrite(next + 1, surface, tid * 4, bid);
}
