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
