// Executable graphs: made of a graph, launched, and given other parameters.
#include "common/simulator/runtime/graph_exec.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <variant>

#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

bool is_row(const cudaMemcpy3DParms& what) {
  return what.srcArray == nullptr && what.dstArray == nullptr && what.extent.height <= 1 &&
         what.extent.depth <= 1;
}

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Same nodes with the same edges, in the order of their making.
const GraphNode* first_difference(const Graph& a, const Graph& b) {
  const auto index_in = [](const Graph& graph) {
    std::map<const GraphNode*, std::size_t> index;
    for (const auto& node : graph.nodes()) index.emplace(node.get(), index.size());
    return index;
  };
  const auto in_a = index_in(a), in_b = index_in(b);
  for (std::size_t i = 0; i < a.nodes().size(); ++i) {
    const GraphNode &left = *a.nodes()[i], &right = *b.nodes()[i];
    std::set<std::size_t> left_from, right_from;
    for (const GraphNode* node : left.from) left_from.insert(in_a.at(node));
    for (const GraphNode* node : right.from) right_from.insert(in_b.at(node));
    if (left_from != right_from) return &right;
  }
  return nullptr;
}

/// Whether, and where not, every node of `from` can give its parameters to its twin in `to`.
bool fits(const Graph& to, const Graph& from, cudaGraphExecUpdateResultInfo& info) {
  const auto fail = [&](cudaGraphExecUpdateResult result, const GraphNode* node) {
    info.result = result;
    info.errorNode = node == nullptr ? nullptr : GraphRegistry::handle_of(*node);
    return false;
  };
  if (to.nodes().size() != from.nodes().size()) {
    return fail(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  }
  if (const GraphNode* different = first_difference(to, from)) {
    return fail(cudaGraphExecUpdateErrorTopologyChanged, different);
  }
  for (std::size_t i = 0; i < to.nodes().size(); ++i) {
    const Work &old = to.nodes()[i]->work, &now = from.nodes()[i]->work;
    if (old.index() != now.index()) {
      return fail(cudaGraphExecUpdateErrorNodeTypeChanged, from.nodes()[i].get());
    }
    if (const auto* child = std::get_if<ChildWork>(&old)) {
      if (!fits(*child->graph, *std::get<ChildWork>(now).graph, info)) return false;
      continue;
    }
    const cudaGraphExecUpdateResult result = update_of(old, now);
    if (result != cudaGraphExecUpdateSuccess) return fail(result, from.nodes()[i].get());
  }
  return true;
}

/// Where fits() said yes. Graphs within graphs stay the same objects: plans point to their nodes.
void take_over(const Graph& to, const Graph& from) {
  for (std::size_t i = 0; i < to.nodes().size(); ++i) {
    Work &old = to.nodes()[i]->work, &now = from.nodes()[i]->work;
    if (const auto* child = std::get_if<ChildWork>(&old)) {
      take_over(*child->graph, *std::get<ChildWork>(now).graph);
    } else if (const auto* choice = std::get_if<ConditionWork>(&old)) {
      const auto& bodies = std::get<ConditionWork>(now).bodies;
      for (std::size_t b = 0; b < bodies.size(); ++b) take_over(*choice->bodies[b], *bodies[b]);
    } else {
      old = now;
    }
  }
}

bool uses(const Graph& graph, const Condition& condition) {
  for (const auto& node : graph.nodes()) {
    const auto* choice = std::get_if<ConditionWork>(&node->work);
    if (choice == nullptr) continue;
    if (choice->condition.get() == &condition) return true;
    for (const auto& body : choice->bodies) {
      if (uses(*body, condition)) return true;
    }
  }
  return false;
}

}  // namespace

bool has_unused_conditions(const Graph& graph) {
  return std::any_of(graph.conditions.begin(), graph.conditions.end(),
                     [&](const auto& condition) { return !uses(graph, *condition); });
}

cudaGraphExecUpdateResult update_of(const Work& to, const Work& from) {
  constexpr auto changed = cudaGraphExecUpdateErrorParametersChanged;
  if (const auto* copy = std::get_if<CopyWork>(&to)) {
    const cudaMemcpy3DParms& now = std::get<CopyWork>(from).what;
    const bool rows = is_row(copy->what) && is_row(now);
    return rows || same_bytes(copy->what, now) ? cudaGraphExecUpdateSuccess : changed;
  }
  if (const auto* fill = std::get_if<FillWork>(&to)) {
    const auto& now = std::get<FillWork>(from);
    const bool rows = fill->params.height <= 1 && now.params.height <= 1;
    return rows || same_bytes(fill->params, now.params) ? cudaGraphExecUpdateSuccess : changed;
  }
  if (const auto* kernel = std::get_if<KernelWork>(&to)) {
    const bool same = kernel->cooperative == std::get<KernelWork>(from).cooperative;
    return same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorAttributesChanged;
  }
  if (const auto* alloc = std::get_if<AllocWork>(&to)) {
    return alloc->memory == std::get<AllocWork>(from).memory ? cudaGraphExecUpdateSuccess : changed;
  }
  if (const auto* free = std::get_if<FreeWork>(&to)) {
    return free->pointer == std::get<FreeWork>(from).pointer ? cudaGraphExecUpdateSuccess : changed;
  }
  if (const auto* choice = std::get_if<ConditionWork>(&to)) {
    const auto& now = std::get<ConditionWork>(from);
    cudaGraphExecUpdateResultInfo info{};
    bool same = choice->condition == now.condition && choice->type == now.type &&
                choice->bodies.size() == now.bodies.size();
    for (std::size_t i = 0; same && i < now.bodies.size(); ++i) {
      same = fits(*choice->bodies[i], *now.bodies[i], info);
    }
    return same ? cudaGraphExecUpdateSuccess : changed;
  }
  return cudaGraphExecUpdateSuccess;
}

bool update(const Graph& to, const Graph& from, cudaGraphExecUpdateResultInfo& info) {
  info = {};
  if (!fits(to, from, info)) return false;
  take_over(to, from);
  return true;
}

GraphExec::GraphExec(Runtime& runtime, const Graph& graph, unsigned long long flags)
    : graph_(graph.clone()),
      plan_(std::make_unique<GraphPlan>(runtime.device(), *graph_)),
      flags_(flags),
      over_(runtime.device().create_event()),
      device_(runtime.device()) {}

GraphExec::~GraphExec() {
  try {
    device_.destroy_event(over_);
  } catch (const DeviceError&) {
    // After an error that sticks: it goes with the device.
  }
}

void GraphExec::check_memory(Runtime& runtime, const Graph& graph) const {
  for (const auto& node : graph.nodes()) {
    const auto* alloc = std::get_if<AllocWork>(&node->work);
    if (alloc == nullptr || !alloc->memory->in_use) continue;
    if ((flags_ & cudaGraphInstantiateFlagAutoFreeOnLaunch) == 0) {
      invalid("memory that the graph allocated in an earlier launch has not been freed");
    }
    runtime.free_async(reinterpret_cast<void*>(alloc->memory->address));
  }
}

/// Conditions get what they start from.
void GraphExec::prepare(Runtime& runtime, const Graph& graph) const {
  for (const auto& condition : graph.conditions) {
    if (condition->at_launch) device_.set_condition(condition->handle, condition->initial);
  }
  for (const auto& node : graph.nodes()) {
    if (const auto* child = std::get_if<ChildWork>(&node->work)) prepare(runtime, *child->graph);
    if (const auto* choice = std::get_if<ConditionWork>(&node->work)) {
      for (const auto& body : choice->bodies) prepare(runtime, *body);
    }
  }
}

void GraphExec::launch(Runtime& runtime, StreamId stream) {
  check_memory(runtime, *graph_);
  prepare(runtime, *graph_);
  device_.wait(stream, over_);
  plan_->run(runtime, stream);
  device_.record(over_, stream);
}

GraphNode& GraphExec::node_for(const GraphNode& original) {
  GraphNode* node = graph_->find(original.id);
  if (node == nullptr) invalid("this node is not of the graph that the executable was made of");
  return *node;
}

bool GraphExec::update(const Graph& graph, cudaGraphExecUpdateResultInfo& info) {
  return gridstride::sim::update(*graph_, graph, info);
}

}  // namespace gridstride::sim
