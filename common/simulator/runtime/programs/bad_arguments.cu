// Null pointers, handles that are none, sizes that cannot be: every call says so and none crashes.
#include <cstdint>

#include "check.h"

__global__ void one(int* out) { *out = 1; }

template <class Handle>
static Handle no_handle() {
  return reinterpret_cast<Handle>(std::uintptr_t{0xdead0});
}

#define FAILS(call)                                                               \
  do {                                                                            \
    const cudaError_t error = (call);                                             \
    if (error == cudaSuccess || error == cudaErrorNotSupported) {                 \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (false)

static void memory() {
  constexpr std::size_t huge = ~std::size_t{0};
  void* pointer;
  std::size_t pitch;
  cudaPitchedPtr pitched{};
  FAILS(cudaMalloc(static_cast<void**>(nullptr), 4));
  FAILS(cudaMalloc(&pointer, huge));
  FAILS(cudaMallocPitch(&pointer, &pitch, huge, huge));
  FAILS(cudaMallocPitch(&pointer, nullptr, 4, 4));
  FAILS(cudaMalloc3D(&pitched, make_cudaExtent(huge, huge, huge)));
  FAILS(cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)));
  FAILS(cudaMallocHost(&pointer, huge));
  FAILS(cudaMallocManaged(&pointer, huge));
  FAILS(cudaMallocManaged(&pointer, 0));
  FAILS(cudaMallocAsync(&pointer, huge, nullptr));
  FAILS(cudaMallocAsync(&pointer, 4, no_handle<cudaStream_t>()));
  FAILS(cudaFree(&pointer));
  FAILS(cudaFreeHost(&pointer));
  FAILS(cudaFreeAsync(nullptr, nullptr));
  FAILS(cudaFreeArray(no_handle<cudaArray_t>()));
  FAILS(cudaHostRegister(nullptr, 4, 0));
  FAILS(cudaHostUnregister(&pointer));
  FAILS(cudaHostGetDevicePointer(&pointer, &pitch, 0));
  FAILS(cudaMemGetInfo(nullptr, nullptr));
  FAILS(cudaPointerGetAttributes(nullptr, &pitch));
  FAILS(cudaMemcpy(nullptr, nullptr, 16, cudaMemcpyHostToDevice));
  FAILS(cudaMemcpyAsync(&pointer, no_handle<void*>(), huge, cudaMemcpyDeviceToHost));
  FAILS(cudaMemcpy2D(&pointer, 1, &pitch, 1, huge, huge, cudaMemcpyHostToHost));
  FAILS(cudaMemcpy3D(nullptr));
  const cudaMemcpy3DParms nothing{};
  FAILS(cudaMemcpy3D(&nothing));
  FAILS(cudaMemset(nullptr, 0, 16));
  FAILS(cudaMemset2D(nullptr, 1, 0, huge, huge));
  FAILS(cudaMemset3D(pitched, 0, make_cudaExtent(huge, huge, huge)));
  FAILS(cudaMemcpyToSymbol(pitch, &pitch, sizeof pitch));
  FAILS(cudaGetSymbolAddress(&pointer, pitch));
  FAILS(cudaMemAdvise(&pointer, 8, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}));
  FAILS(cudaMemPrefetchAsync(nullptr, huge, {cudaMemLocationTypeDevice, 0}, 0, nullptr));
}

static void pools() {
  cudaMemPool_t pool;
  std::uint64_t value = 0;
  void* pointer;
  FAILS(cudaMemPoolCreate(&pool, nullptr));
  FAILS(cudaMemPoolDestroy(no_handle<cudaMemPool_t>()));
  FAILS(cudaMemPoolTrimTo(nullptr, 0));
  FAILS(cudaMallocFromPoolAsync(&pointer, 4, no_handle<cudaMemPool_t>(), nullptr));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  FAILS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, nullptr));
  FAILS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, nullptr));
  FAILS(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(99), &value));
  FAILS(cudaMemPoolSetAccess(pool, nullptr, 1));
}

static void streams_and_events() {
  const auto stream = no_handle<cudaStream_t>();
  const auto event = no_handle<cudaEvent_t>();
  float milliseconds;
  cudaStream_t created;
  FAILS(cudaStreamCreate(nullptr));
  FAILS(cudaStreamCreateWithFlags(&created, 77));
  FAILS(cudaStreamDestroy(stream));
  FAILS(cudaStreamDestroy(nullptr));
  FAILS(cudaStreamSynchronize(stream));
  FAILS(cudaStreamQuery(stream));
  FAILS(cudaStreamWaitEvent(nullptr, event, 0));
  FAILS(cudaStreamGetPriority(nullptr, nullptr));
  FAILS(cudaStreamAddCallback(nullptr, nullptr, nullptr, 0));
  FAILS(cudaLaunchHostFunc(nullptr, nullptr, nullptr));
  FAILS(cudaEventCreate(nullptr));
  FAILS(cudaEventRecord(event, nullptr));
  FAILS(cudaEventRecord(nullptr, nullptr));
  FAILS(cudaEventDestroy(event));
  FAILS(cudaEventQuery(event));
  FAILS(cudaEventElapsedTime(&milliseconds, event, event));
}

static void launches() {
  const auto function = reinterpret_cast<const void*>(one);
  cudaFuncAttributes attributes;
  int blocks;
  FAILS(cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr));
  FAILS(cudaLaunchKernel(function, dim3(1), dim3(1), nullptr, 0, nullptr));
  void* null_argument[] = {nullptr};
  FAILS(cudaLaunchKernel(function, dim3(1), dim3(1), null_argument, 0, nullptr));
  FAILS(cudaLaunchKernelExC(nullptr, function, nullptr));
  FAILS(cudaLaunchCooperativeKernel(function, dim3(0), dim3(0), nullptr, 0, nullptr));
  FAILS(cudaFuncGetAttributes(nullptr, function));
  FAILS(cudaFuncGetAttributes(&attributes, nullptr));
  FAILS(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, function, 1, 0));
  FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0));
  FAILS(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  FAILS(cudaGetDeviceProperties(nullptr, 0));
  FAILS(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1));
  EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4) == cudaErrorUnsupportedLimit);
  std::size_t usual = 0, now = 0;
  CHECK(cudaDeviceGetLimit(&usual, cudaLimitMallocHeapSize));
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{1} << 60) ==
         cudaErrorMemoryAllocation);
  EXPECT(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, std::size_t{1} << 60) ==
         cudaErrorMemoryAllocation);
  EXPECT(cudaDeviceSetLimit(cudaLimitStackSize, 523'713) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1025));
  CHECK(cudaDeviceGetLimit(&now, cudaLimitStackSize));
  EXPECT(now == 1040);
  CHECK(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize));
  EXPECT(now == usual);
  cudaGetLastError();
}

static void graphs() {
  const auto no_node = no_handle<cudaGraphNode_t>();
  const auto no_graph = no_handle<cudaGraph_t>();
  const auto no_exec = no_handle<cudaGraphExec_t>();
  cudaGraph_t graph;
  cudaGraphNode_t node, other;
  cudaGraphExec_t exec;
  cudaGraphExecUpdateResultInfo info;
  std::size_t count = 1;
  CHECK(cudaGraphCreate(&graph, 0));
  FAILS(cudaGraphCreate(nullptr, 0));
  FAILS(cudaGraphDestroy(no_graph));
  FAILS(cudaGraphClone(&graph, no_graph));
  FAILS(cudaGraphInstantiate(&exec, no_graph, 0));
  FAILS(cudaGraphInstantiate(&exec, graph, 1024));
  FAILS(cudaGraphLaunch(no_exec, nullptr));
  FAILS(cudaGraphUpload(no_exec, nullptr));
  FAILS(cudaGraphExecDestroy(no_exec));
  FAILS(cudaGraphExecUpdate(no_exec, graph, &info));
  FAILS(cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
  FAILS(cudaGraphAddEmptyNode(&node, graph, nullptr, 3));
  FAILS(cudaGraphAddEmptyNode(&node, graph, &no_node, 1));
  FAILS(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr));
  FAILS(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr));
  FAILS(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr));
  FAILS(cudaGraphAddHostNode(&node, graph, nullptr, 0, nullptr));
  FAILS(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, no_graph));
  FAILS(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, no_handle<cudaEvent_t>()));
  FAILS(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, nullptr));
  FAILS(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, nullptr));
  FAILS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, nullptr));
  FAILS(cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = graph;
  params.graph.ownership = cudaGraphChildGraphOwnershipMove;
  FAILS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params.type = cudaGraphNodeTypeConditional;
  params.conditional = {};
  FAILS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));

  CHECK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&other, graph, nullptr, 0));
  const cudaGraphNode_t twice[] = {node, node};
  FAILS(cudaGraphAddEmptyNode(&other, graph, twice, 2));
  FAILS(cudaGraphAddDependencies(graph, &node, nullptr, nullptr, 1));
  FAILS(cudaGraphAddDependencies(graph, &node, &node, nullptr, 1));
  FAILS(cudaGraphRemoveDependencies(graph, &node, &other, nullptr, 1));
  FAILS(cudaGraphGetNodes(graph, &other, nullptr));
  FAILS(cudaGraphGetEdges(graph, &other, nullptr, nullptr, &count));
  FAILS(cudaGraphNodeGetType(no_node, nullptr));
  FAILS(cudaGraphKernelNodeGetParams(node, nullptr));
  cudaKernelNodeParams kernel;
  FAILS(cudaGraphKernelNodeGetParams(node, &kernel));
  FAILS(cudaGraphDestroyNode(no_node));
  FAILS(cudaGraphDebugDotPrint(graph, nullptr, 0));
  FAILS(cudaGraphDebugDotPrint(graph, "/nowhere/at/all.dot", 0));
  FAILS(cudaUserObjectRelease(no_handle<cudaUserObject_t>(), 1));
  FAILS(cudaGraphRetainUserObject(graph, nullptr, 1, 0));
  FAILS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, nullptr));
  FAILS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  FAILS(cudaStreamEndCapture(nullptr, &graph));
  FAILS(cudaStreamIsCapturing(nullptr, nullptr));
  FAILS(cudaThreadExchangeStreamCaptureMode(nullptr));
}

int main() {
  memory();
  pools();
  streams_and_events();
  launches();
  graphs();
  int *out, value = 0;
  CHECK(cudaMalloc(&out, sizeof(int)));
  cudaGetLastError();
  one<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 1);
  CHECK(cudaFree(out));
  std::printf("right\n");
}
