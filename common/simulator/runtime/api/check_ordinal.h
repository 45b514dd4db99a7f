// Which devices there are: one.
#pragma once

namespace gridstride::sim {

/// Throws cudaErrorInvalidDevice, in words, for any but the simulated GPU.
void check_ordinal(int device);

}  // namespace gridstride::sim
