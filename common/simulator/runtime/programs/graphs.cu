// Graphs made node by node: every kind of node, dependencies, clones, parameters and updates.
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "check.h"

__device__ int scale_by = 1;

__global__ void add(int* out, const int* in, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + value;
}
__global__ void scale(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= scale_by;
}

constexpr int n = 1000;
constexpr std::size_t bytes = n * sizeof(int);

static void count(void* counter) { ++*static_cast<int*>(counter); }

struct Kernel {
  int *out, *in, value = 0, size = n;
  void* arguments[4] = {&out, &in, &value, &size};
  cudaKernelNodeParams params{};
  Kernel(int* to, int* from, int by) : out(to), in(from), value(by) {
    params.func = reinterpret_cast<void*>(add);
    params.gridDim = dim3(4);
    params.blockDim = dim3(256);
    params.kernelParams = arguments;
  }
};

static int first(const int* device) {
  int value;
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static cudaGraphNodeType type_of(cudaGraphNode_t node) {
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(node, &type));
  return type;
}

/// a and b are filled side by side; a + 10 goes to b when both are done, then out.
static void nodes_and_edges(int* a, int* b) {
  int out[n], called = 0;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill{};
  fill.dst = a;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  cudaGraphNode_t fill_a, fill_b, join, kernel, copy, host, scaling;
  CHECK(cudaGraphAddMemsetNode(&fill_a, graph, nullptr, 0, &fill));
  fill.dst = b;
  CHECK(cudaGraphAddMemsetNode(&fill_b, graph, nullptr, 0, &fill));
  CHECK(cudaGraphAddEmptyNode(&join, graph, &fill_a, 1));
  CHECK(cudaGraphAddDependencies(graph, &fill_b, &join, nullptr, 1));
  EXPECT(cudaGraphAddDependencies(graph, &fill_b, &join, nullptr, 1) == cudaErrorInvalidValue);
  Kernel ten(b, a, 10);
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &join, 1, &ten.params));
  int size = n;
  void* arguments[] = {&b, &size};
  cudaKernelNodeParams scale_params{};
  scale_params.func = reinterpret_cast<void*>(scale);
  scale_params.gridDim = dim3(4);
  scale_params.blockDim = dim3(256);
  scale_params.kernelParams = arguments;
  const int three = 3;
  cudaGraphNode_t to_symbol;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, nullptr, 0, scale_by, &three,
                                       sizeof three, 0, cudaMemcpyHostToDevice));
  const cudaGraphNode_t before[] = {kernel, to_symbol};
  CHECK(cudaGraphAddKernelNode(&scaling, graph, before, 2, &scale_params));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &scaling, 1, out, b, bytes, cudaMemcpyDeviceToHost));
  const cudaHostNodeParams call{count, &called};
  CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));

  std::size_t found = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &found));
  EXPECT(found == 8);
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &found));
  EXPECT(found == 3);
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &found));
  EXPECT(found == 7);
  cudaGraphNode_t two[2];
  found = 2;
  CHECK(cudaGraphNodeGetDependencies(join, two, nullptr, &found));
  EXPECT(found == 2 && two[0] == fill_a && two[1] == fill_b);
  found = 2;
  CHECK(cudaGraphNodeGetDependentNodes(kernel, two, nullptr, &found));
  EXPECT(found == 1 && two[0] == scaling && two[1] == nullptr);
  EXPECT(type_of(kernel) == cudaGraphNodeTypeKernel && type_of(join) == cudaGraphNodeTypeEmpty);
  cudaKernelNodeParams asked;
  CHECK(cudaGraphKernelNodeGetParams(kernel, &asked));
  EXPECT(asked.func == reinterpret_cast<void*>(add) && asked.blockDim.x == 256);
  EXPECT(*static_cast<int*>(asked.kernelParams[2]) == 10);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphUpload(exec, nullptr));
  for (int launch = 1; launch <= 3; ++launch) {
    std::memset(out, 0, sizeof out);
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaStreamSynchronize(nullptr));
    EXPECT(called == launch && out[0] == 51 && out[n - 1] == 51);
  }

  Kernel twenty(b, a, 20);
  CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &twenty.params));
  CHECK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first(b) == 81);
  CHECK(cudaGraphNodeSetEnabled(exec, kernel, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first(b) == 21);
  unsigned enabled = 7;
  CHECK(cudaGraphNodeGetEnabled(exec, kernel, &enabled));
  EXPECT(enabled == 0);
  CHECK(cudaGraphNodeSetEnabled(exec, kernel, 1));
  fill.dst = a;
  fill.value = 1;
  CHECK(cudaGraphExecMemsetNodeSetParams(exec, fill_a, &fill));
  CHECK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first(b) == 63);
  EXPECT(cudaGraphExecMemsetNodeSetParams(exec, kernel, &fill) == cudaErrorInvalidValue);

  // The graph itself still says 7 and 10.
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(exec, graph, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first(b) == 51);

  cudaGraph_t clone;
  cudaGraphNode_t twin;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&twin, host, clone));
  EXPECT(twin != host && type_of(twin) == cudaGraphNodeTypeHost);
  CHECK(cudaGraphDestroyNode(twin));
  EXPECT(cudaGraphExecUpdate(exec, clone, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CHECK(cudaGraphDestroy(clone));
  EXPECT(cudaGraphDestroy(clone) == cudaErrorInvalidValue);

  const std::string file = P_tmpdir "/graphs_" + std::to_string(getpid()) + ".dot";
  CHECK(cudaGraphDebugDotPrint(graph, file.c_str(), cudaGraphDebugDotFlagsVerbose));
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::remove(file.c_str());
  EXPECT(text.str().find("digraph") == 0);
  EXPECT(text.str().find("_Z3addPiPKiii") != std::string::npos);

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void circles_and_wrong_launches(int* a, int* b) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t one, two, three;
  CHECK(cudaGraphAddEmptyNode(&one, graph, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&two, graph, &one, 1));
  Kernel wide(a, b, 1);
  wide.params.blockDim = dim3(2048);
  EXPECT(cudaGraphAddKernelNode(&three, graph, &one, 1, &wide.params) == cudaErrorInvalidValue);
  CHECK(cudaGraphAddDependencies(graph, &two, &one, nullptr, 1));
  cudaGraphExec_t exec;
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphRemoveDependencies(graph, &two, &one, nullptr, 1));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphExecDestroy(exec));
  EXPECT(cudaGraphLaunch(exec, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(graph));
}

static void children_and_events(int* a, int* b) {
  cudaGraph_t child, graph, held;
  cudaGraphNode_t adding, inner, start, stop;
  CHECK(cudaGraphCreate(&child, 0));
  Kernel step(a, a, 1);
  CHECK(cudaGraphAddKernelNode(&adding, child, nullptr, 0, &step.params));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddEventRecordNode(&start, graph, nullptr, 0, begin));
  cudaGraphNode_t last = start;
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaGraphAddChildGraphNode(&inner, graph, &last, 1, child));
    last = inner;
  }
  CHECK(cudaGraphAddEventRecordNode(&stop, graph, &last, 1, end));
  CHECK(cudaGraphChildGraphNodeGetGraph(inner, &held));
  EXPECT(held != child);
  CHECK(cudaGraphDestroy(child));

  CHECK(cudaMemset(a, 0, bytes));
  cudaGraphExec_t exec;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(first(a) == 3);
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds > 0);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

static void objects() {
  int ended = 0;
  cudaUserObject_t object;
  CHECK(cudaUserObjectCreate(&object, &ended, count, 1, cudaUserObjectNoDestructorSync));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  EXPECT(ended == 0);
  CHECK(cudaGraphExecDestroy(exec));
  EXPECT(ended == 1);
}

int main() {
  int *a, *b;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  nodes_and_edges(a, b);
  circles_and_wrong_launches(a, b);
  children_and_events(a, b);
  objects();
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  std::printf("right\n");
}
