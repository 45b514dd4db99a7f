// Lets CUDA toolkits before 13.2 compile on glibc 2.42 and later: the system's header of the same name,
// without `rsqrt`.
//
// glibc declares rsqrt and rsqrtf as noexcept since 2.42 (Ubuntu 26.04, Fedora 43, Debian after 13).
// The toolkit's math_functions.h declares its own, and before 13.2 without noexcept, so that nvcc
// refuses every source. CUDA code means the toolkit's. This folder stands before the system's when
// nvcc is started; for any other compiler, and with an older glibc, nothing changes.
#if defined(__CUDACC__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 42)
// glibc builds each declaration from the name, its variants for other types and a macro that says
// whether there is a vector form; <math.h> includes this file once for each type.
#pragma push_macro("rsqrt")
#define rsqrt gridstride_glibc_rsqrt
#define __DECL_SIMD_gridstride_glibc_rsqrt
#define __DECL_SIMD_gridstride_glibc_rsqrtf
#define __DECL_SIMD_gridstride_glibc_rsqrtl
#define __DECL_SIMD_gridstride_glibc_rsqrtf16
#define __DECL_SIMD_gridstride_glibc_rsqrtf32
#define __DECL_SIMD_gridstride_glibc_rsqrtf64
#define __DECL_SIMD_gridstride_glibc_rsqrtf128
#define __DECL_SIMD_gridstride_glibc_rsqrtf32x
#define __DECL_SIMD_gridstride_glibc_rsqrtf64x
#define __DECL_SIMD_gridstride_glibc_rsqrtf128x
#include_next <bits/mathcalls.h>
#pragma pop_macro("rsqrt")
#else
#include_next <bits/mathcalls.h>
#endif
