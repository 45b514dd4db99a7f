// Every way in which bytes can leave the device: each takes `bytes` of them, by its name in WAY.
#include <cstdlib>
#include <cstring>

#include "check.h"

constexpr int count = 100;
constexpr std::size_t bytes = count * sizeof(int);

__device__ int symbol[count];

__global__ void write(int* to) { to[threadIdx.x] = threadIdx.x + 1; }
__global__ void print(const int* from) { printf("%03d", from[threadIdx.x]); }
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) {
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void allocate(void** kept) { *kept = malloc(bytes); }

static void memcpy_node(int* device, int* host) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t node;
  CHECK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, device, bytes,
                                 cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
}

/// A loop of three rounds.
static void condition(int* left) {
  const int three = 3;
  CHECK(cudaMemcpy(left, &three, sizeof three, cudaMemcpyHostToDevice));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphNode_t loop, kernel;
  CHECK(cudaGraphAddNode(&loop, graph, nullptr, nullptr, 0, &params));
  void* arguments[] = {&handle, &left};
  cudaKernelNodeParams counting{};
  counting.func = reinterpret_cast<void*>(count_down);
  counting.gridDim = counting.blockDim = dim3(1);
  counting.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, params.conditional.phGraph_out[0], nullptr, 0, &counting));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
}

static void from_array(int* host) {
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &ints, count, 1));
  CHECK(cudaMemcpy2DFromArray(host, bytes, array, 0, 0, bytes, 1, cudaMemcpyDeviceToHost));
}

/// What a kernel allocates is no business of the host's: it cannot even ask whether it is there.
static void heap(int* host) {
  void **kept, *address;
  CHECK(cudaMallocManaged(&kept, sizeof *kept));
  std::size_t before = 0, after = 0, total = 0;
  CHECK(cudaMemGetInfo(&before, &total));
  allocate<<<1, 1>>>(kept);
  CHECK(cudaDeviceSynchronize());
  address = *kept;  // 8 bytes
  CHECK(cudaMemGetInfo(&after, &total));
  EXPECT(before == after);
  EXPECT(cudaMemcpy(host, address, bytes, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  cudaPointerAttributes attributes{};
  EXPECT(cudaPointerGetAttributes(&attributes, address) == cudaErrorInvalidValue);
  EXPECT(cudaMemset(address, 0, bytes) == cudaErrorInvalidValue);
  EXPECT(cudaFree(address) == cudaErrorInvalidValue);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = address;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc reading{};
  cudaTextureObject_t texture;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
}

int main() {
  const char* way = std::getenv("WAY");
  const auto is = [&](const char* name) { return std::strcmp(way, name) == 0; };
  int *device, host[count];
  CHECK(cudaMalloc(&device, bytes));
  write<<<1, count>>>(device);
  if (is("memcpy")) CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  if (is("memcpy_async")) CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDefault, nullptr));
  if (is("memcpy_2d"))
    CHECK(cudaMemcpy2D(host, bytes / 4, device, bytes / 4, bytes / 4, 4, cudaMemcpyDeviceToHost));
  if (is("symbol")) CHECK(cudaMemcpyFromSymbol(host, symbol, bytes));
  if (is("array")) from_array(host);
  if (is("memcpy_node")) memcpy_node(device, host);
  if (is("mapped")) {
    void *there, *memory;
    CHECK(cudaHostAlloc(&there, bytes, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&memory, there, 0));
    write<<<1, count>>>(static_cast<int*>(memory));
  }
  if (is("registered")) {
    void* memory;
    CHECK(cudaHostRegister(host, bytes, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&memory, host, 0));
    write<<<1, count>>>(static_cast<int*>(memory));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(host));
  }
  if (is("managed")) {
    int* memory;
    CHECK(cudaMallocManaged(&memory, bytes));
    write<<<1, count>>>(memory);
    CHECK(cudaDeviceSynchronize());
    EXPECT(memory[7] == 8);
  }
  if (is("printed")) print<<<1, count>>>(device);
  if (is("condition")) condition(device);
  if (is("heap")) heap(host);
  CHECK(cudaDeviceSynchronize());
}
