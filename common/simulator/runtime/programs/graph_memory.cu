// Memory that belongs to graphs, and nodes that run or repeat what a kernel decides.
#include <cstdint>

#include "check.h"

__global__ void write(int* to, int value) { to[threadIdx.x] = value; }
__global__ void sum(int* out, const int* in) { atomicAdd(out, in[threadIdx.x]); }
__global__ void decide(cudaGraphConditionalHandle handle, int value) {
  cudaGraphSetConditional(handle, value);
}
__global__ void count_down(cudaGraphConditionalHandle handle, int* left, int* rounds) {
  ++*rounds;
  cudaGraphSetConditional(handle, --*left > 0);
}

static std::uint64_t used() {
  std::uint64_t bytes = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
  return bytes;
}

static int value_at(const int* device) {
  int value;
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

/// Allocated, used and freed within the graph; captured.
static void within(int* out) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* memory;
  CHECK(cudaMallocAsync(&memory, 64 * sizeof(int), stream));
  write<<<1, 64, 0, stream>>>(memory, 2);
  sum<<<1, 64, 0, stream>>>(out, memory);
  CHECK(cudaFreeAsync(memory, stream));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaMemset(out, 0, sizeof(int)));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(value_at(out) == 3 * 128);
  EXPECT(used() == 0);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaDeviceGraphMemTrim(0));
  CHECK(cudaStreamDestroy(stream));
}

/// Lives on after the graph, until somebody frees it.
static void beyond() {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = 64 * sizeof(int);
  cudaGraph_t graph;
  cudaGraphNode_t allocation, kernel;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &params));
  int* memory = static_cast<int*>(params.dptr);
  int nine = 9;
  void* arguments[] = {&memory, &nine};
  cudaKernelNodeParams writing{};
  writing.func = reinterpret_cast<void*>(write);
  writing.gridDim = dim3(1);
  writing.blockDim = dim3(64);
  writing.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &allocation, 1, &writing));
  cudaGraphExec_t exec, freeing;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphInstantiate(&freeing, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  CHECK(cudaGraphLaunch(exec, nullptr));
  EXPECT(used() == params.bytesize);
  EXPECT(value_at(memory) == 9);
  EXPECT(cudaGraphLaunch(exec, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGraphLaunch(freeing, nullptr));
  CHECK(cudaFree(memory));
  EXPECT(cudaFree(memory) == cudaErrorInvalidValue);
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaFreeAsync(memory, nullptr));
  EXPECT(used() == 0);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphExecDestroy(freeing));
  CHECK(cudaGraphDestroy(graph));
}

static cudaGraph_t add_choice(cudaGraph_t graph, cudaGraphNode_t before,
                              cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                              unsigned size, unsigned which) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, &before, nullptr, before != nullptr ? 1 : 0, &params));
  return params.conditional.phGraph_out[which];
}

static void choices(int* data) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int chosen : {0, 1, 2, 3}) {
    cudaGraph_t each;
    CHECK(cudaGraphCreate(&each, 0));
    cudaGraphConditionalHandle number;
    CHECK(cudaGraphConditionalHandleCreate(&number, each, 0, 0));
    cudaGraphNodeParams first{};
    first.type = cudaGraphNodeTypeKernel;
    void* arguments[] = {&number, &chosen};
    first.kernel.func = reinterpret_cast<void*>(decide);
    first.kernel.gridDim = dim3(1);
    first.kernel.blockDim = dim3(1);
    first.kernel.kernelParams = arguments;
    cudaGraphNode_t deciding;
    CHECK(cudaGraphAddNode(&deciding, each, nullptr, nullptr, 0, &first));
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = number;
    params.conditional.type = cudaGraphCondTypeSwitch;
    params.conditional.size = 3;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, each, &deciding, nullptr, 1, &params));
    for (int i = 0; i < 3; ++i) {
      cudaGraph_t body = params.conditional.phGraph_out[i];
      CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                          cudaStreamCaptureModeGlobal));
      write<<<1, 1, 0, stream>>>(data, 10 + i);
      CHECK(cudaStreamEndCapture(stream, nullptr));
    }
    CHECK(cudaMemset(data, 0, 4));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, each, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(value_at(data) == (chosen < 3 ? 10 + chosen : 0));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(each));
  }

  // While: five rounds, whatever the graph's last launch left; then an if that says no.
  cudaGraphConditionalHandle again, never;
  CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  CHECK(cudaGraphConditionalHandleCreate(&never, graph, 0, cudaGraphCondAssignDefault));
  cudaGraph_t body = add_choice(graph, nullptr, again, cudaGraphCondTypeWhile, 1, 0);
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(again, data, data + 1);
  CHECK(cudaStreamEndCapture(stream, &body));
  cudaGraphExec_t exec;
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue);  // a handle is unused
  body = add_choice(graph, nullptr, never, cudaGraphCondTypeIf, 1, 0);
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
  write<<<1, 1, 0, stream>>>(data + 1, -1);
  CHECK(cudaStreamEndCapture(stream, &body));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  const int start[] = {5, 0};
  for (int launch = 0; launch < 2; ++launch) {
    CHECK(cudaMemcpy(data, start, sizeof start, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(value_at(data) == 0 && value_at(data + 1) == 5);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  within(data);
  beyond();
  choices(data);
  CHECK(cudaFree(data));
  std::printf("right\n");
}
