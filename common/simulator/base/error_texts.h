// Names and texts of cudaError_t values, as programs and kernels expect to read them.
#pragma once

namespace gridstride::sim {

/// "cudaErrorInvalidValue"; "unrecognized error code" for a number that is none.
const char* error_name(int code);
/// "invalid argument".
const char* error_description(int code);

}  // namespace gridstride::sim
