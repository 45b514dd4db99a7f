// Launches with attributes, attributes of streams, occupancy, parameters of kernels, peers.
#include <cuda_profiler_api.h>

#include "check.h"

struct Pair {
  double a;
  char b;
};

__global__ void add(int* data, int value, Pair pair) {
  data[threadIdx.x] += value + static_cast<int>(pair.a) + pair.b;
}
__global__ void block_of_shared(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

static cudaError_t launch(const cudaLaunchConfig_t& config, int* data, int value) {
  return cudaLaunchKernelEx(&config, add, data, value, Pair{1.0, 2});
}

static void launches(int* data, cudaStream_t stream) {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = attributes;
  CHECK(cudaMemset(data, 0, 32 * sizeof(int)));
  config.numAttrs = 2;
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  CHECK(launch(config, data, 1));
  config.gridDim = dim3(1 << 20);
  EXPECT(launch(config, data, 1) == cudaErrorCooperativeLaunchTooLarge);
  config.gridDim = dim3(1);
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  CHECK(launch(config, data, 1));
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {1, 1, 1};
  CHECK(launch(config, data, 1));
  attributes[0].val.clusterDim = {2, 1, 1};
  config.gridDim = dim3(2);
  EXPECT(launch(config, data, 1) == cudaErrorNotSupported);
  int host[32];
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[31] == 12);
  cudaGetLastError();
}

static void streams() {
  int least = 1, greatest = 1, priority = 1;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest < 0);
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 7));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaStreamGetPriority(stream, &priority));
  EXPECT(priority == greatest);
  unsigned flags = 0;
  CHECK(cudaStreamGetFlags(stream, &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  cudaLaunchAttributeValue value{};
  value.syncPolicy = cudaSyncPolicyYield;
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
  CHECK(cudaStreamCopyAttributes(other, stream));
  value = {};
  CHECK(cudaStreamGetAttribute(other, cudaLaunchAttributeSynchronizationPolicy, &value));
  EXPECT(value.syncPolicy == cudaSyncPolicyYield);
  CHECK(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &value));
  EXPECT(value.priority == greatest);
  EXPECT(cudaStreamSetAttribute(stream, cudaLaunchAttributeClusterDimension, &value) ==
         cudaErrorInvalidValue);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
}

static void CUDART_CB called(cudaStream_t, cudaError_t status, void* user) {
  *static_cast<cudaError_t*>(user) = status;
}

struct SharedOfBlock {
  __host__ __device__ std::size_t operator()(int threads) const { return threads * sizeof(int); }
};

static void kernels(int* data) {
  std::size_t offset = 99, size = 99, bytes = 0;
  CHECK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(add), 2, &offset, &size));
  EXPECT(offset == 16 && size == sizeof(Pair));
  EXPECT(cudaFuncGetParamInfo(reinterpret_cast<const void*>(add), 3, &offset, &size) ==
         cudaErrorInvalidValue);
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, block_of_shared, 2, 256));
  int blocks = 0, grid = 0, block = 0;
  CHECK(cudaFuncSetAttribute(block_of_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, block_of_shared, 256, bytes));
  EXPECT(blocks == 2);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, block_of_shared, 256, bytes + 1));
  EXPECT(blocks == 1);
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, block_of_shared,
                                                       SharedOfBlock{}));
  EXPECT(grid > 0 && block == 1024);
  block_of_shared<<<1, 256, bytes>>>(data);
  CHECK(cudaDeviceSynchronize());

  cudaError_t status = cudaErrorUnknown;
  CHECK(cudaStreamAddCallback(nullptr, called, &status, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(status == cudaSuccess);
}

static void peers() {
  int can = 7;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(can == 0);
  EXPECT(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
  EXPECT(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
  char id[16];
  int device = -1;
  CHECK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  CHECK(cudaDeviceGetByPCIBusId(&device, id));
  EXPECT(device == 0);
  CHECK(cudaProfilerStart());
  CHECK(cudaProfilerStop());
}

/// After a reset nothing of before is there, and the device works.
static void reset() {
  cudaStream_t stream;
  cudaGraph_t graph;
  int* data;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(cudaMallocAsync(&data, 256, stream));
  CHECK(cudaMemsetAsync(data, 0, 256, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaMallocAsync(&data, 256, cudaStreamPerThread));
  CHECK(cudaDeviceReset());
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
  EXPECT(cudaFree(data) == cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaMallocAsync(&data, 32 * sizeof(int), cudaStreamPerThread));
  CHECK(cudaMemsetAsync(data, 0, 32 * sizeof(int), cudaStreamPerThread));
  add<<<1, 32, 0, cudaStreamPerThread>>>(data, 4, Pair{});
  CHECK(cudaFreeAsync(data, cudaStreamPerThread));
  CHECK(cudaDeviceSynchronize());
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 256 * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  launches(data, stream);
  streams();
  kernels(data);
  peers();
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  reset();
  std::printf("right\n");
}
