// Runs a graph: nodes in order, on lanes that wait for each other by events.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "common/simulator/runtime/graph_exec.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

/// More nodes side by side share lanes: there are three engines to run on.
constexpr std::size_t most_lanes = 16;

}  // namespace

GraphPlan::GraphPlan(Device& device, const Graph& graph) : device_(device) {
  const std::vector<GraphNode*> order = graph.order();
  if (order.size() != graph.nodes().size()) invalid("nodes of the graph wait for each other");
  std::map<const GraphNode*, std::size_t> step_of;
  std::vector<std::size_t> last;  // step of each lane
  for (const GraphNode* node : order) {
    Step step;
    step.node = node;
    const auto follows = [&](const GraphNode* before) {
      const std::size_t index = step_of.at(before);
      return last[steps_[index].lane] == index;
    };
    const auto before = std::find_if(node->from.begin(), node->from.end(), follows);
    if (before != node->from.end()) {
      step.lane = steps_[step_of.at(*before)].lane;
    } else {
      step.lane = last.size() < most_lanes ? last.size() : steps_.size() % most_lanes;
    }
    if (step.lane == last.size()) last.push_back(0);
    last[step.lane] = steps_.size();
    for (const GraphNode* other : node->from) {
      Step& waited_for = steps_[step_of.at(other)];
      if (waited_for.lane == step.lane) continue;
      if (waited_for.done == 0) waited_for.done = new_event();
      step.waits.push_back(waited_for.done);
    }
    if (const auto* child = std::get_if<ChildWork>(&node->work)) {
      step.inner.push_back(std::make_unique<GraphPlan>(device, *child->graph));
    } else if (const auto* choice = std::get_if<ConditionWork>(&node->work)) {
      for (const auto& body : choice->bodies) {
        step.inner.push_back(std::make_unique<GraphPlan>(device, *body));
      }
    }
    step_of[node] = steps_.size();
    steps_.push_back(std::move(step));
  }
  if (last.size() > 1) begin_ = new_event();
  for (std::size_t lane = 1; lane < last.size(); ++lane) {
    lanes_.push_back(device_.create_stream(true));
    lane_ends_.push_back(new_event());
  }
}

GraphPlan::~GraphPlan() {
  try {
    for (const StreamId lane : lanes_) device_.destroy_stream(lane);
    for (const EventId event : events_) device_.destroy_event(event);
  } catch (const DeviceError&) {
    // After an error that sticks: they go with the device.
  }
}

EventId GraphPlan::new_event() { return events_.emplace_back(device_.create_event()); }

void GraphPlan::run(Runtime& runtime, StreamId stream) {
  if (begin_ != 0) device_.record(begin_, stream);
  for (const StreamId lane : lanes_) device_.wait(lane, begin_);
  for (const Step& step : steps_) {
    const StreamId lane = step.lane == 0 ? stream : lanes_[step.lane - 1];
    for (const EventId event : step.waits) device_.wait(lane, event);
    if (step.node->enabled) {
      if (std::holds_alternative<ConditionWork>(step.node->work)) {
        choose(runtime, step, lane);
      } else if (std::holds_alternative<ChildWork>(step.node->work)) {
        step.inner.front()->run(runtime, lane);
      } else {
        execute(runtime, step.node->work, lane);
      }
    }
    if (step.done != 0) device_.record(step.done, lane);
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    device_.record(lane_ends_[i], lanes_[i]);
    device_.wait(stream, lane_ends_[i]);
  }
}

void GraphPlan::choose(Runtime& runtime, const Step& step, StreamId stream) {
  const auto& work = std::get<ConditionWork>(step.node->work);
  const DeviceAddress handle = work.condition->handle;
  const std::uint32_t value = device_.condition(handle, stream);
  switch (work.type) {
    case cudaGraphCondTypeIf:
      if (value != 0) {
        step.inner[0]->run(runtime, stream);
      } else if (step.inner.size() > 1) {
        step.inner[1]->run(runtime, stream);
      }
      return;
    case cudaGraphCondTypeWhile:
      for (std::uint32_t again = value; again != 0; again = device_.condition(handle, stream)) {
        step.inner[0]->run(runtime, stream);
      }
      return;
    case cudaGraphCondTypeSwitch:
      if (value < step.inner.size()) step.inner[value]->run(runtime, stream);
      return;
  }
}

}  // namespace gridstride::sim
