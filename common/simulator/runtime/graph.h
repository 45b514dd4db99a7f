// CUDA graphs as programs build them: nodes of work, and which waits for which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "common/simulator/runtime/work.h"

namespace gridstride::sim {

class GraphExec;

/// The program knows it by its address.
struct GraphNode {
  Graph* graph = nullptr;
  std::uint64_t id = 0;  ///< kept by clones
  Work work;
  std::vector<GraphNode*> from, to;  ///< what it waits for, what waits for it
  bool enabled = true;
  std::vector<void*> pointers;  ///< to the arguments, for a program that asks for them
};

cudaGraphNodeType type_of(const Work& work);

/// A word on the device that kernels set with cudaGraphSetConditional.
struct Condition {
  Condition(Device& device, unsigned initial_value, bool set_at_launch)
      : handle(device.create_condition()),
        initial(initial_value),
        at_launch(set_at_launch),
        device_(device) {}
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  const DeviceAddress handle;
  const unsigned initial;
  const bool at_launch;  ///< gets `initial` whenever its graph is launched

 private:
  Device& device_;
};

/// Something of the program's that graphs hold on to; destroyed with the last reference.
struct UserObject {
  UserObject(void* what, cudaHostFn_t end) : object(what), destroy(end) {}
  ~UserObject() { destroy(object); }
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

  void* object;
  cudaHostFn_t destroy;
};
/// By the handle that the program has: its address.
struct UserReferences {
  std::shared_ptr<UserObject> object;
  std::uint64_t count = 0;
};
using UserObjects = std::map<UserObject*, UserReferences>;

class GraphRegistry;

/// Not thread-safe: under the lock of the Runtime.
class Graph : public std::enable_shared_from_this<Graph> {
 public:
  explicit Graph(GraphRegistry& registry);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Throws DeviceError when a dependency is not a node of this graph, or is named twice.
  GraphNode& add(Work work, std::span<GraphNode* const> dependencies);
  void remove(GraphNode& node);
  /// Throw DeviceError: the edge is there already, or is not.
  void connect(GraphNode& from, GraphNode& to);
  void disconnect(GraphNode& from, GraphNode& to);

  /// In the order in which they were added.
  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  /// What a node waits for comes before it; otherwise as they were added. Fewer nodes than there
  /// are when some wait for themselves.
  std::vector<GraphNode*> order() const;
  /// With nodes of the same ids, child graphs and bodies copied as well; memory and conditions are
  /// shared.
  std::shared_ptr<Graph> clone() const;
  /// The node with this id, here or in a child graph or body; null when there is none.
  GraphNode* find(std::uint64_t id);

  std::vector<std::shared_ptr<Condition>> conditions;  ///< made for this graph
  UserObjects objects;

 private:
  GraphRegistry& registry_;
  std::vector<std::unique_ptr<GraphNode>> nodes_;
};

/// Every graph that the program can name.
class GraphRegistry {
 public:
  /// All throw DeviceError (cudaErrorInvalidValue) for what is not, or no longer.
  Graph& graph(cudaGraph_t handle) const;
  GraphNode& node(cudaGraphNode_t handle) const;
  GraphExec& exec(cudaGraphExec_t handle) const;
  std::vector<GraphNode*> nodes(const cudaGraphNode_t* handles, std::size_t count) const;

  static cudaGraph_t handle_of(const Graph& graph) {
    return reinterpret_cast<cudaGraph_t>(const_cast<Graph*>(&graph));
  }
  static cudaGraphNode_t handle_of(const GraphNode& node) {
    return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(&node));
  }

  /// Ends all of them, as cudaDeviceReset does.
  void clear();

  std::map<const Graph*, std::shared_ptr<Graph>> owned;  ///< until cudaGraphDestroy
  std::map<const GraphExec*, std::shared_ptr<GraphExec>> execs;
  UserObjects objects;  ///< the program's own references
  /// Memory of graphs: see GraphMemory.
  std::map<DeviceAddress, GraphMemory*> memory;
  std::uint64_t most_used = 0, most_reserved = 0;

 private:
  friend class Graph;
  std::set<const Graph*> graphs_;
  std::set<const GraphNode*> nodes_;
  std::uint64_t next_id_ = 1;
};

/// Memory that a graph allocates: its address is settled when the node is made, and belongs to the
/// graph and all that was made of it.
struct GraphMemory {
  /// Throws DeviceError (cudaErrorMemoryAllocation).
  GraphMemory(Runtime& runtime, std::size_t bytes);
  /// What is still in use then is an allocation like any other.
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  const DeviceAddress address;
  const std::size_t bytes;
  bool in_use = false;

 private:
  Runtime& runtime_;
};

}  // namespace gridstride::sim
