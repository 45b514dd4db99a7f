// Strongly connected components, and within each, again without the edges into its head.
#include "common/simulator/analysis/program_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

using Graph = std::vector<std::vector<std::int32_t>>;
using Nodes = std::vector<std::int32_t>;

/// Orders the nodes of one region. `region[n]` is its number for the nodes that belong to it.
class Orderer {
 public:
  explicit Orderer(const Graph& successors)
      : successors_(successors),
        region_(successors.size(), 0),
        index_(successors.size()),
        low_(successors.size()),
        component_(successors.size()) {}

  /// `head`: edges into it from within the region do not count; -1 for none.
  void order(const Nodes& nodes, std::int32_t head, Nodes& out) {
    const std::int32_t region = ++regions_;
    for (const std::int32_t node : nodes) region_[at(node)] = region;
    const std::vector<Nodes> components = find_components(nodes, head, region);
    for (const std::size_t next : topological(components, head, region)) {
      const Nodes& component = components[next];
      if (component.size() == 1) {
        out.push_back(component.front());
      } else {
        order(component, head_of(component, nodes), out);
      }
    }
  }

 private:
  static std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }

  bool inside(std::int32_t node, std::int32_t head, std::int32_t region) const {
    return node != head && region_[at(node)] == region;
  }

  /// Tarjan's algorithm with a stack of its own: code can be long.
  std::vector<Nodes> find_components(const Nodes& nodes, std::int32_t head, std::int32_t region) {
    std::vector<Nodes> components;
    Nodes stack;
    std::vector<std::pair<std::int32_t, std::size_t>> path;
    std::vector<bool> on_stack(successors_.size(), false);
    std::int32_t counter = 0;
    for (const std::int32_t node : nodes) index_[at(node)] = -1;
    const auto enter = [&](std::int32_t node) {
      index_[at(node)] = low_[at(node)] = counter++;
      stack.push_back(node);
      on_stack[at(node)] = true;
      path.push_back({node, 0});
    };
    for (const std::int32_t root : nodes) {
      if (index_[at(root)] >= 0) continue;
      enter(root);
      while (!path.empty()) {
        const std::int32_t node = path.back().first;
        if (path.back().second < successors_[at(node)].size()) {
          const std::int32_t next = successors_[at(node)][path.back().second++];
          if (!inside(next, head, region)) continue;
          if (index_[at(next)] < 0) {
            enter(next);
          } else if (on_stack[at(next)]) {
            low_[at(node)] = std::min(low_[at(node)], index_[at(next)]);
          }
          continue;
        }
        path.pop_back();
        if (!path.empty()) {
          low_[at(path.back().first)] = std::min(low_[at(path.back().first)], low_[at(node)]);
        }
        if (low_[at(node)] != index_[at(node)]) continue;
        Nodes component;
        std::int32_t member = -1;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack[at(member)] = false;
          component_[at(member)] = static_cast<std::int32_t>(components.size());
          component.push_back(member);
        } while (member != node);
        std::sort(component.begin(), component.end());
        components.push_back(std::move(component));
      }
    }
    return components;
  }

  std::vector<std::size_t> topological(const std::vector<Nodes>& components, std::int32_t head,
                                       std::int32_t region) const {
    std::vector<std::vector<std::size_t>> edges(components.size());
    std::vector<std::size_t> incoming(components.size(), 0);
    for (std::size_t c = 0; c < components.size(); ++c) {
      for (const std::int32_t node : components[c]) {
        for (const std::int32_t next : successors_[at(node)]) {
          if (!inside(next, head, region)) continue;
          const auto to = static_cast<std::size_t>(component_[at(next)]);
          if (to == c) continue;
          edges[c].push_back(to);
          ++incoming[to];
        }
      }
    }
    using Entry = std::pair<std::int32_t, std::size_t>;  // lowest node, component
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (std::size_t c = 0; c < components.size(); ++c) {
      if (incoming[c] == 0) ready.push({components[c].front(), c});
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
      const std::size_t c = ready.top().second;
      ready.pop();
      order.push_back(c);
      for (const std::size_t to : edges[c]) {
        if (--incoming[to] == 0) ready.push({components[to].front(), to});
      }
    }
    return order;
  }

  /// The node of a loop that is entered from outside; the lowest of several.
  std::int32_t head_of(const Nodes& component, const Nodes& nodes) const {
    for (const std::int32_t candidate : component) {
      for (const std::int32_t from : nodes) {
        if (std::binary_search(component.begin(), component.end(), from)) continue;
        const auto& next = successors_[at(from)];
        if (std::find(next.begin(), next.end(), candidate) != next.end()) return candidate;
      }
    }
    return component.front();
  }

  const Graph& successors_;
  std::vector<std::int32_t> region_, index_, low_, component_;
  std::int32_t regions_ = 0;
};

}  // namespace

std::vector<std::int32_t> program_order(const Graph& successors) {
  Nodes reachable, pending{0};
  std::vector<bool> seen(successors.size(), false);
  seen[0] = true;
  while (!pending.empty()) {
    const std::int32_t node = pending.back();
    pending.pop_back();
    reachable.push_back(node);
    for (const std::int32_t next : successors[static_cast<std::size_t>(node)]) {
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      pending.push_back(next);
    }
  }
  std::sort(reachable.begin(), reachable.end());
  Nodes order;
  order.reserve(reachable.size());
  Orderer(successors).order(reachable, -1, order);
  return order;
}

}  // namespace gridstride::sim
