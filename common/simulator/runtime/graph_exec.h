// A graph made ready to run: which node runs when, and beside what.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "common/simulator/runtime/graph.h"

namespace gridstride::sim {

/// Runs the nodes of one graph in an order that their edges allow. Nodes that do not wait for each
/// other lie on streams of their own, so that in modelled time copies and kernels overlap.
class GraphPlan {
 public:
  /// `graph` must outlive this. Throws DeviceError when nodes wait for each other in a circle.
  GraphPlan(Device& device, const Graph& graph);
  ~GraphPlan();
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;

  /// Throws DeviceError as soon as a node does.
  void run(Runtime& runtime, StreamId stream);

 private:
  struct Step {
    const GraphNode* node = nullptr;
    std::size_t lane = 0;
    std::vector<EventId> waits;  ///< for steps on other lanes
    EventId done = 0;            ///< recorded behind it when a step of another lane waits for it
    std::vector<std::unique_ptr<GraphPlan>> inner;  ///< child graph, or bodies
  };
  void choose(Runtime& runtime, const Step& step, StreamId stream);
  EventId new_event();

  Device& device_;
  std::vector<Step> steps_;
  std::vector<StreamId> lanes_;  ///< beside the stream of the launch, which is lane 0
  std::vector<EventId> lane_ends_;
  EventId begin_ = 0;
  std::vector<EventId> events_;  ///< all of them
};

class GraphExec {
 public:
  /// A copy of `graph`. Throws as GraphPlan does.
  GraphExec(Runtime& runtime, const Graph& graph, unsigned long long flags);
  ~GraphExec();
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;

  void launch(Runtime& runtime, StreamId stream);
  /// What `original`, a node of the graph that this was made of, has become here. Throws
  /// DeviceError when it is not one.
  GraphNode& node_for(const GraphNode& original);
  /// Another graph of the same shape: its parameters from now on. What does not fit is said in
  /// `info`, and nothing changes.
  bool update(const Graph& graph, cudaGraphExecUpdateResultInfo& info);

  const Graph& graph() const { return *graph_; }
  unsigned long long flags() const { return flags_; }

 private:
  void check_memory(Runtime& runtime, const Graph& graph) const;
  void prepare(Runtime& runtime, const Graph& graph) const;

  std::shared_ptr<Graph> graph_;
  std::unique_ptr<GraphPlan> plan_;
  unsigned long long flags_;
  EventId over_ = 0;  ///< a launch waits for the one before it
  Device& device_;
};

/// A handle was made for the graph, and none of its conditional nodes has it.
bool has_unused_conditions(const Graph& graph);

/// The same between whole graphs: takes over, or says in `info` why not and changes nothing.
bool update(const Graph& to, const Graph& from, cudaGraphExecUpdateResultInfo& info);

/// `to` may take over the parameters of `from`, which is work of the same kind. Otherwise why not.
cudaGraphExecUpdateResult update_of(const Work& to, const Work& from);

}  // namespace gridstride::sim
