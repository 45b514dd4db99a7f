// What a stream can be given to do, as a value: executed at once, or kept as a node of a graph.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/runtime/memory/cudart.h"

namespace gridstride::sim {

class Graph;
class Runtime;
struct Condition;
struct GraphMemory;

struct EmptyWork {};

struct KernelWork {
  const void* function = nullptr;  ///< host function or handle
  dim3 grid, block;
  std::size_t shared = 0;  ///< dynamic, bytes
  bool cooperative = false;
  std::vector<std::byte> arguments;     ///< as the kernel's parameters lie
  std::vector<std::size_t> parameters;  ///< offset of each in `arguments`
  std::map<int, cudaLaunchAttributeValue> attributes;
};

/// A copy of extent.width bytes from srcPtr.ptr to dstPtr.ptr, or of a region.
struct CopyWork {
  cudaMemcpy3DParms what{};
  bool plain = false;
};

/// `depth` slices of rows that are params.pitch bytes apart, slices `slice_rows` rows.
struct FillWork {
  cudaMemsetParams params{};
  std::size_t depth = 1, slice_rows = 0;
};

struct HostWork {
  cudaHostNodeParams function{};
};

/// `external`: while the stream is captured it makes a node of the graph, not an edge.
struct RecordWork {
  cudaEvent_t event = nullptr;
  bool external = false;
};
struct WaitWork {
  cudaEvent_t event = nullptr;
  bool external = false;
};

struct AllocWork {
  std::shared_ptr<GraphMemory> memory;
  cudaMemAllocNodeParams params{};
};

struct FreeWork {
  void* pointer = nullptr;
};

struct ChildWork {
  std::shared_ptr<Graph> graph;
};

/// Runs bodies[0] if, or while, the condition is not 0 (else bodies[1] if there is one), or the
/// body of that number.
struct ConditionWork {
  std::shared_ptr<Condition> condition;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles;  ///< of the bodies: the program is given this array
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork,
                          AllocWork, FreeWork, ChildWork, ConditionWork>;

/// All of these throw DeviceError.

KernelWork kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                       void** arguments, std::size_t shared);
/// What cudaLaunchKernelExC and kernel nodes can be told. What the simulated GPU cannot heed is
/// refused by name; what changes no result is kept.
void set_attribute(Runtime& runtime, KernelWork& kernel, cudaLaunchAttributeID id,
                   const cudaLaunchAttributeValue& value);
CopyWork plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
CopyWork row_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                  std::size_t width, std::size_t height, cudaMemcpyKind kind);
FillWork plain_fill(void* to, int value, std::size_t bytes);

/// Address of [offset, offset + bytes) in a variable.
void* place_in(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes);

/// What a launch would be refused for is refused now.
void check(Runtime& runtime, const KernelWork& kernel);

/// Does it now. Graphs in it (ChildWork, ConditionWork) are for GraphPlan.
void execute(Runtime& runtime, const Work& work, StreamId stream);

/// What every call that gives work to a stream does: executes it, or adds it to the graph that
/// `stream` is being captured into.
void submit(Runtime& runtime, cudaStream_t stream, const Work& work);

// transfers.cpp
void execute_copy(Runtime& runtime, const CopyWork& copy, StreamId stream);
void execute_fill(Runtime& runtime, const FillWork& fill, StreamId stream);

}  // namespace gridstride::sim
