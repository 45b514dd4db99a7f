// Streams captured into graphs: forks and joins, what cannot be captured, and in which mode.
#include <thread>
#include <vector>

#include "check.h"

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

static void count(void* counter) { ++*static_cast<int*>(counter); }

static int first(const int* device) {
  int value;
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  return status;
}

static void forks_and_joins(int* data) {
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  CHECK(cudaMemset(data, 0, 256 * sizeof(int)));
  int called = 0;
  std::vector<int> out(128);

  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  EXPECT(status_of(a) == cudaStreamCaptureStatusActive);
  EXPECT(status_of(b) == cudaStreamCaptureStatusNone);
  CHECK(cudaEventRecord(fork, a));
  CHECK(cudaStreamWaitEvent(b, fork, 0));
  add<<<1, 128, 0, a>>>(data, 1);
  add<<<1, 128, 0, b>>>(data + 128, 2);
  CHECK(cudaLaunchHostFunc(b, count, &called));
  CHECK(cudaEventRecord(join, b));
  CHECK(cudaStreamWaitEvent(a, join, 0));
  CHECK(cudaMemcpyAsync(out.data(), data + 128, 128 * sizeof(int), cudaMemcpyDeviceToHost, a));

  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  cudaGraph_t graph, during;
  const cudaGraphNode_t* last;
  std::size_t dependencies = 0, nodes = 0;
  CHECK(cudaStreamGetCaptureInfo(a, &status, &id, &during, &last, nullptr, &dependencies));
  EXPECT(status == cudaStreamCaptureStatusActive && id != 0 && dependencies == 1);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(last[0], &type));
  EXPECT(type == cudaGraphNodeTypeMemcpy);
  CHECK(cudaStreamEndCapture(a, &graph));
  EXPECT(graph == during);
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 4);
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &nodes));
  EXPECT(nodes == 3);
  EXPECT(called == 0 && first(data) == 0);  // nothing has run

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(exec, b));
  CHECK(cudaStreamSynchronize(b));
  EXPECT(called == 5 && first(data) == 5 && out[127] == 10);

  // The same capture anew, with another value.
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
  int* more;
  CHECK(cudaMalloc(&more, 256));  // allowed in this mode
  CHECK(cudaGraphLaunch(exec, a));
  add<<<1, 128, 0, a>>>(data, 100);
  cudaGraph_t outer;
  CHECK(cudaStreamEndCapture(a, &outer));
  CHECK(cudaFree(more));
  cudaGraphExec_t outer_exec;
  CHECK(cudaGraphInstantiateWithFlags(&outer_exec, outer, 0));
  CHECK(cudaGraphLaunch(outer_exec, a));
  CHECK(cudaDeviceSynchronize());
  EXPECT(first(data) == 106);

  cudaGraphExecUpdateResultInfo info;
  EXPECT(cudaGraphExecUpdate(exec, outer, &info) == cudaErrorGraphExecUpdateFailure);
  CHECK(cudaGraphExecDestroy(outer_exec));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(outer));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  CHECK(cudaStreamDestroy(a));
  CHECK(cudaStreamDestroy(b));
}

/// `forbidden` fails with `code`, and the capture with it.
template <class Forbidden>
static void invalidated(cudaError_t code, cudaStream_t stream, Forbidden&& forbidden,
                        cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  CHECK(cudaStreamBeginCapture(stream, mode));
  const cudaError_t got = forbidden();
  if (got != code) std::printf("got %d, not %d\n", got, code);
  EXPECT(got == code);
  EXPECT(cudaGetLastError() == code);
  EXPECT(status_of(stream) == cudaStreamCaptureStatusInvalidated);
  EXPECT(cudaMemsetAsync(nullptr, 0, 4, stream) == cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  EXPECT(status_of(stream) == cudaStreamCaptureStatusNone);
  cudaGetLastError();
}

static void what_cannot_be_captured(int* data) {
  cudaStream_t stream, other, blocking;
  cudaEvent_t event, outside;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaStreamCreate(&blocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventCreate(&outside));
  CHECK(cudaEventRecord(outside, other));
  cudaGraph_t graph;
  EXPECT(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
         cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  invalidated(cudaErrorStreamCaptureUnsupported, stream,
              [&] { return cudaStreamSynchronize(stream); });
  invalidated(cudaErrorStreamCaptureUnsupported, stream, [&] { return cudaStreamQuery(stream); });
  invalidated(cudaErrorStreamCaptureUnsupported, stream, [] { return cudaDeviceSynchronize(); });
  invalidated(cudaErrorStreamCaptureUnsupported, stream, [] {
    void* memory;
    return cudaMalloc(&memory, 16);
  });
  invalidated(
      cudaErrorStreamCaptureUnsupported, stream, [] { return cudaFree(nullptr); },
      cudaStreamCaptureModeThreadLocal);
  invalidated(cudaErrorStreamCaptureImplicit, blocking,
              [&] { return cudaMemsetAsync(data, 0, 4, nullptr); });
  invalidated(cudaErrorStreamCaptureIsolation, stream,
              [&] { return cudaStreamWaitEvent(stream, outside, 0); });
  invalidated(cudaErrorCapturedEvent, stream, [&] {
    CHECK(cudaEventRecord(event, stream));
    return cudaEventSynchronize(event);
  });

  // A stream that is not joined.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  add<<<1, 32, 0, other>>>(data, 1);
  EXPECT(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureUnmatched);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
  EXPECT(status_of(other) == cudaStreamCaptureStatusNone);

  // Two captures have nothing to do with each other.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, other));
  EXPECT(cudaStreamWaitEvent(stream, event, 0) == cudaErrorStreamCaptureMerge);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  EXPECT(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureInvalidated);

  // Threads.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::thread([&] {
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureWrongThread);
    void* memory;
    CHECK(cudaMalloc(&memory, 16));
    CHECK(cudaFree(memory));
  }).join();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal);
  void* memory;
  CHECK(cudaMalloc(&memory, 16));
  CHECK(cudaFree(memory));
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphDestroy(graph));
  cudaGetLastError();
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaStreamDestroy(blocking));
}

/// Nodes of one's own between captured ones.
static void into_a_graph(int* data) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemset(data, 0, 256 * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaGraph_t graph, same;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first_node;
  CHECK(cudaGraphAddEmptyNode(&first_node, graph, nullptr, 0));
  CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &first_node, nullptr, 1,
                                      cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>>(data, 5);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* last;
  std::size_t number;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &number));
  cudaGraphNode_t own;
  CHECK(cudaGraphAddEmptyNode(&own, graph, last, number));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &own, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
  add<<<1, 32, 0, stream>>>(data, 6);
  CHECK(cudaStreamEndCapture(stream, &same));
  EXPECT(same == graph);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(first(data) == 11);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

/// A stream that was taken in is destroyed before the capture is over.
static void short_lived_streams(int* data) {
  cudaStream_t stream, helper;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemset(data, 0, 256 * sizeof(int)));
  for (const bool joined : {true, false}) {
    CHECK(cudaStreamCreate(&helper));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(helper, fork, 0));
    add<<<1, 32, 0, helper>>>(data, 1);
    CHECK(cudaEventRecord(join, helper));
    if (joined) CHECK(cudaStreamWaitEvent(stream, join, 0));
    CHECK(cudaStreamDestroy(helper));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    cudaGraph_t graph;
    EXPECT(cudaStreamEndCapture(stream, &graph) ==
           (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
    if (!joined) continue;
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(first(data) == 1);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
  }
  CHECK(cudaStreamDestroy(stream));
}

/// Modelled time of a graph that copies in both directions, side by side or one after the other.
static float copying(int* data, int* host, std::size_t bytes, bool side_by_side) {
  cudaStream_t a, b;
  cudaEvent_t begin, end;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreate(&b));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(begin, a));
  if (side_by_side) CHECK(cudaStreamWaitEvent(b, begin, 0));
  CHECK(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, a));
  CHECK(cudaMemcpyAsync(host + bytes / 4, data + bytes / 4, bytes, cudaMemcpyDeviceToHost,
                        side_by_side ? b : a));
  CHECK(cudaEventRecord(end, side_by_side ? b : a));
  CHECK(cudaStreamWaitEvent(a, end, 0));
  CHECK(cudaStreamEndCapture(a, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaEventRecord(begin, a));
  CHECK(cudaGraphLaunch(exec, a));
  CHECK(cudaEventRecord(end, a));
  CHECK(cudaStreamSynchronize(a));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(a));
  CHECK(cudaStreamDestroy(b));
  return milliseconds;
}

static void overlaps() {
  constexpr std::size_t bytes = 4 << 20;
  int *data, *host;
  CHECK(cudaMalloc(&data, 2 * bytes));
  CHECK(cudaMemset(data, 1, 2 * bytes));
  CHECK(cudaMallocHost(&host, 2 * bytes));
  const float apart = copying(data, host, bytes, false);
  const float together = copying(data, host, bytes, true);
  EXPECT(together > 0.45f * apart && together < 0.6f * apart);
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(data));
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 256 * sizeof(int)));
  forks_and_joins(data);
  what_cannot_be_captured(data);
  into_a_graph(data);
  short_lived_streams(data);
  overlaps();
  CHECK(cudaFree(data));
  std::printf("right\n");
}
