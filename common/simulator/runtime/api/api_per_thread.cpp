// What programs call that were compiled with --default-stream per-thread: the same calls under
// other names, for which stream 0 is the thread's own.
#include <cstddef>

#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

// Some of them are deprecated, and programs call them all the same.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

GRIDSTRIDE_CUDART cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                 void** arguments, std::size_t shared,
                                                 cudaStream_t stream);

namespace {

template <auto function>
struct PerThread;

template <class... Arguments, cudaError_t (*function)(Arguments...)>
struct PerThread<function> {
  static cudaError_t call(Arguments... arguments) {
    const DefaultStreamPerThread scope;
    return function(arguments...);
  }
};

}  // namespace

// A second name with the signature of the first, which the dynamic linker resolves to
// PerThread<name>::call; nothing is initialised yet when it asks.
#define PER_THREAD(name, suffix)                                                                 \
  extern "C" {                                                                                   \
  __attribute__((used,                                                                           \
                 no_sanitize("address", "undefined"))) static decltype(&name) resolve_##name() { \
    return &PerThread<name>::call;                                                               \
  }                                                                                              \
  }                                                                                              \
  GRIDSTRIDE_CUDART decltype(name) name##suffix __attribute__((ifunc("resolve_" #name)));

// clang-format off
PER_THREAD(__cudaLaunchKernel, _ptsz)
PER_THREAD(cudaEventRecordWithFlags, _ptsz)
PER_THREAD(cudaEventRecord, _ptsz)
PER_THREAD(cudaFreeAsync, _ptsz)
PER_THREAD(cudaGraphInstantiateWithParams, _ptsz)
PER_THREAD(cudaGraphLaunch, _ptsz)
PER_THREAD(cudaGraphUpload, _ptsz)
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz)
PER_THREAD(cudaLaunchHostFunc, _ptsz)
PER_THREAD(cudaLaunchKernelExC, _ptsz)
PER_THREAD(cudaLaunchKernel, _ptsz)
PER_THREAD(cudaMallocAsync, _ptsz)
PER_THREAD(cudaMallocFromPoolAsync, _ptsz)
PER_THREAD(cudaMemPrefetchAsync, _ptsz)
PER_THREAD(cudaMemcpy2DArrayToArray, _ptds)
PER_THREAD(cudaMemcpy2DAsync, _ptsz)
PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz)
PER_THREAD(cudaMemcpy2DFromArray, _ptds)
PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz)
PER_THREAD(cudaMemcpy2DToArray, _ptds)
PER_THREAD(cudaMemcpy2D, _ptds)
PER_THREAD(cudaMemcpy3DAsync, _ptsz)
PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz)
PER_THREAD(cudaMemcpy3DPeer, _ptds)
PER_THREAD(cudaMemcpy3D, _ptds)
PER_THREAD(cudaMemcpyAsync, _ptsz)
PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz)
PER_THREAD(cudaMemcpyFromArray, _ptds)
PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz)
PER_THREAD(cudaMemcpyFromSymbol, _ptds)
PER_THREAD(cudaMemcpyToArrayAsync, _ptsz)
PER_THREAD(cudaMemcpyToArray, _ptds)
PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz)
PER_THREAD(cudaMemcpyToSymbol, _ptds)
PER_THREAD(cudaMemcpy, _ptds)
PER_THREAD(cudaMemset2DAsync, _ptsz)
PER_THREAD(cudaMemset2D, _ptds)
PER_THREAD(cudaMemset3DAsync, _ptsz)
PER_THREAD(cudaMemset3D, _ptds)
PER_THREAD(cudaMemsetAsync, _ptsz)
PER_THREAD(cudaMemset, _ptds)
PER_THREAD(cudaStreamAddCallback, _ptsz)
PER_THREAD(cudaStreamAttachMemAsync, _ptsz)
PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz)
PER_THREAD(cudaStreamBeginCapture, _ptsz)
PER_THREAD(cudaStreamCopyAttributes, _ptsz)
PER_THREAD(cudaStreamEndCapture, _ptsz)
PER_THREAD(cudaStreamGetAttribute, _ptsz)
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)
PER_THREAD(cudaStreamGetDevice, _ptsz)
PER_THREAD(cudaStreamGetFlags, _ptsz)
PER_THREAD(cudaStreamGetId, _ptsz)
PER_THREAD(cudaStreamGetPriority, _ptsz)
PER_THREAD(cudaStreamIsCapturing, _ptsz)
PER_THREAD(cudaStreamQuery, _ptsz)
PER_THREAD(cudaStreamSetAttribute, _ptsz)
PER_THREAD(cudaStreamSynchronize, _ptsz)
PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz)
PER_THREAD(cudaStreamWaitEvent, _ptsz)
// clang-format on
