// Builds graphs: nodes, edges, clones, and the order in which nodes can run.
#include "common/simulator/runtime/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "common/simulator/runtime/graph_exec.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

struct TypeOf {
  cudaGraphNodeType operator()(const EmptyWork&) const { return cudaGraphNodeTypeEmpty; }
  cudaGraphNodeType operator()(const KernelWork&) const { return cudaGraphNodeTypeKernel; }
  cudaGraphNodeType operator()(const CopyWork&) const { return cudaGraphNodeTypeMemcpy; }
  cudaGraphNodeType operator()(const FillWork&) const { return cudaGraphNodeTypeMemset; }
  cudaGraphNodeType operator()(const HostWork&) const { return cudaGraphNodeTypeHost; }
  cudaGraphNodeType operator()(const RecordWork&) const { return cudaGraphNodeTypeEventRecord; }
  cudaGraphNodeType operator()(const WaitWork&) const { return cudaGraphNodeTypeWaitEvent; }
  cudaGraphNodeType operator()(const AllocWork&) const { return cudaGraphNodeTypeMemAlloc; }
  cudaGraphNodeType operator()(const FreeWork&) const { return cudaGraphNodeTypeMemFree; }
  cudaGraphNodeType operator()(const ChildWork&) const { return cudaGraphNodeTypeGraph; }
  cudaGraphNodeType operator()(const ConditionWork&) const { return cudaGraphNodeTypeConditional; }
};

/// A copy of its own of the graphs in it.
Work copied(const Work& work) {
  Work copy = work;
  if (auto* child = std::get_if<ChildWork>(&copy)) child->graph = child->graph->clone();
  if (auto* choice = std::get_if<ConditionWork>(&copy)) {
    for (std::size_t i = 0; i < choice->bodies.size(); ++i) {
      choice->bodies[i] = choice->bodies[i]->clone();
      choice->handles[i] = GraphRegistry::handle_of(*choice->bodies[i]);
    }
  }
  return copy;
}

std::span<const std::shared_ptr<Graph>> graphs_in(const Work& work) {
  if (const auto* child = std::get_if<ChildWork>(&work)) return {&child->graph, 1};
  if (const auto* choice = std::get_if<ConditionWork>(&work)) return choice->bodies;
  return {};
}

}  // namespace

cudaGraphNodeType type_of(const Work& work) { return std::visit(TypeOf{}, work); }

Condition::~Condition() {
  try {
    device_.release_async(handle);
  } catch (const DeviceError&) {
    // After an error that sticks: the word goes with the device.
  }
}

Graph::Graph(GraphRegistry& registry) : registry_(registry) { registry_.graphs_.insert(this); }

Graph::~Graph() {
  registry_.graphs_.erase(this);
  for (const auto& node : nodes_) registry_.nodes_.erase(node.get());
}

GraphNode& Graph::add(Work work, std::span<GraphNode* const> dependencies) {
  for (GraphNode* dependency : dependencies) {
    if (dependency->graph != this) invalid("a dependency is a node of another graph");
    if (std::count(dependencies.begin(), dependencies.end(), dependency) > 1) {
      invalid("a dependency is named twice");
    }
  }
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->id = registry_.next_id_++;
  node->work = std::move(work);
  node->from.assign(dependencies.begin(), dependencies.end());
  for (GraphNode* dependency : dependencies) dependency->to.push_back(node.get());
  registry_.nodes_.insert(node.get());
  return *nodes_.emplace_back(std::move(node));
}

void Graph::remove(GraphNode& node) {
  for (GraphNode* other : node.from) std::erase(other->to, &node);
  for (GraphNode* other : node.to) std::erase(other->from, &node);
  registry_.nodes_.erase(&node);
  std::erase_if(nodes_, [&](const auto& each) { return each.get() == &node; });
}

void Graph::connect(GraphNode& from, GraphNode& to) {
  if (from.graph != this || to.graph != this) invalid("an edge between nodes of other graphs");
  if (&from == &to) invalid("a node cannot wait for itself");
  if (contains(to.from, &from)) invalid("this dependency exists already");
  from.to.push_back(&to);
  to.from.push_back(&from);
}

void Graph::disconnect(GraphNode& from, GraphNode& to) {
  if (from.graph != this || to.graph != this) invalid("an edge between nodes of other graphs");
  if (!contains(to.from, &from)) invalid("this dependency does not exist");
  std::erase(from.to, &to);
  std::erase(to.from, &from);
}

std::vector<GraphNode*> Graph::order() const {
  std::map<const GraphNode*, std::size_t> position, open;
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    position[nodes_[i].get()] = i;
    open[nodes_[i].get()] = nodes_[i]->from.size();
    if (nodes_[i]->from.empty()) ready.insert(i);
  }
  std::vector<GraphNode*> ordered;
  while (!ready.empty()) {
    GraphNode* node = nodes_[*ready.begin()].get();
    ready.erase(ready.begin());
    ordered.push_back(node);
    for (const GraphNode* next : node->to) {
      if (--open[next] == 0) ready.insert(position[next]);
    }
  }
  return ordered;
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>(registry_);
  std::map<const GraphNode*, GraphNode*> twins;
  for (const auto& node : nodes_) {
    GraphNode& twin = copy->add(copied(node->work), {});
    twin.id = node->id;
    twins[node.get()] = &twin;
  }
  for (const auto& node : nodes_) {
    GraphNode& twin = *twins.at(node.get());
    for (const GraphNode* other : node->from) twin.from.push_back(twins.at(other));
    for (const GraphNode* other : node->to) twin.to.push_back(twins.at(other));
  }
  copy->conditions = conditions;
  copy->objects = objects;
  return copy;
}

GraphNode* Graph::find(std::uint64_t id) {
  for (const auto& node : nodes_) {
    if (node->id == id) return node.get();
    for (const auto& inner : graphs_in(node->work)) {
      if (GraphNode* found = inner->find(id)) return found;
    }
  }
  return nullptr;
}

void GraphRegistry::clear() {
  execs.clear();
  owned.clear();
  objects.clear();
  most_used = most_reserved = 0;
}

Graph& GraphRegistry::graph(cudaGraph_t handle) const {
  auto* graph = reinterpret_cast<Graph*>(handle);
  if (!graphs_.contains(graph)) invalid("this graph does not exist, or no longer");
  return *graph;
}

GraphNode& GraphRegistry::node(cudaGraphNode_t handle) const {
  auto* node = reinterpret_cast<GraphNode*>(handle);
  if (!nodes_.contains(node)) invalid("this node of a graph does not exist, or no longer");
  return *node;
}

GraphExec& GraphRegistry::exec(cudaGraphExec_t handle) const {
  auto* exec = reinterpret_cast<GraphExec*>(handle);
  if (!execs.contains(exec)) invalid("this executable graph does not exist, or no longer");
  return *exec;
}

std::vector<GraphNode*> GraphRegistry::nodes(const cudaGraphNode_t* handles,
                                             std::size_t count) const {
  if (handles == nullptr && count > 0) invalid("no nodes");
  std::vector<GraphNode*> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back(&node(handles[i]));
  return found;
}

GraphMemory::GraphMemory(Runtime& runtime, std::size_t size)
    : address(runtime.device().allocate(size)), bytes(size), runtime_(runtime) {
  GraphRegistry& registry = runtime.graphs;
  registry.memory[address] = this;
  std::uint64_t reserved = 0;
  for (const auto& [begin, memory] : registry.memory) reserved += memory->bytes;
  registry.most_reserved = std::max(registry.most_reserved, reserved);
}

GraphMemory::~GraphMemory() {
  runtime_.graphs.memory.erase(address);
  if (in_use) {
    runtime_.allocations.insert(address);
    return;
  }
  try {
    runtime_.device().release_async(address);
  } catch (const DeviceError&) {
    // After an error that sticks: the memory goes with the device.
  }
}

}  // namespace gridstride::sim
