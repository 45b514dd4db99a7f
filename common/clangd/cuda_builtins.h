// What nvcc knows of its own and clang's CUDA mode does not, for clangd alone: nothing is ever compiled
// with it. compile_commands.json includes it before each stage.
//
// Declarations only, as the CUDA Programming Guide has them (13.0: 10.8 store functions with cache
// hints, 10.14 atomic functions `__nv_atomic_*`), and min and max as nvcc has them for the host.
#pragma once

#ifdef __clang__

#ifndef __NV_ATOMIC_RELAXED  // memory orders
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#endif

#ifndef __NV_THREAD_SCOPE_THREAD
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#endif

#define GRIDSTRIDE_HOST_MIN_MAX(type) \
  __host__ type min(type a, type b);  \
  __host__ type max(type a, type b);
GRIDSTRIDE_HOST_MIN_MAX(int)
GRIDSTRIDE_HOST_MIN_MAX(unsigned)
GRIDSTRIDE_HOST_MIN_MAX(long)
GRIDSTRIDE_HOST_MIN_MAX(unsigned long)
GRIDSTRIDE_HOST_MIN_MAX(long long)
GRIDSTRIDE_HOST_MIN_MAX(unsigned long long)
GRIDSTRIDE_HOST_MIN_MAX(float)
GRIDSTRIDE_HOST_MIN_MAX(double)
#undef GRIDSTRIDE_HOST_MIN_MAX

template <class T>
__device__ T __nv_atomic_load_n(const T* place, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ void __nv_atomic_load(const T* place, T* result, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ void __nv_atomic_store_n(T* place, T value, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ void __nv_atomic_store(T* place, T* value, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_exchange_n(T* place, T value, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ bool __nv_atomic_compare_exchange_n(T* place, T* expected, T desired, bool weak,
                                               int success, int failure,
                                               int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_fetch_add(T* place, T value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_fetch_sub(T* place, T value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_fetch_min(T* place, T value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_fetch_max(T* place, T value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_fetch_and(T* place, T value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_fetch_or(T* place, T value, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ T __nv_atomic_fetch_xor(T* place, T value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM);
__device__ void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM);

template <class T>
__device__ void __stwb(T* place, T value);
template <class T>
__device__ void __stcg(T* place, T value);
template <class T>
__device__ void __stcs(T* place, T value);

#endif
