// Loops are the strongly connected components of the control flow; R. Tarjan, "Depth-first search and
// linear graph algorithms", 1972, without recursion.
#include "common/simulator/analysis/loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

class Components {
 public:
  explicit Components(const std::vector<std::vector<std::int32_t>>& successors)
      : successors_(successors),
        found_{std::vector<std::int32_t>(successors.size(), -1)},
        state_(successors.size()) {
    for (std::int32_t block = 0; block < static_cast<std::int32_t>(state_.size()); ++block) {
      if (state_[index(block)].number < 0) visit(block);
    }
  }

  Loops take() { return std::move(found_); }

 private:
  struct State {
    std::int32_t number = -1, lowest = -1;
    bool on_stack = false;
    std::size_t next = 0;  ///< successor to go to
  };

  static std::size_t index(std::int32_t block) { return static_cast<std::size_t>(block); }

  void enter(std::int32_t block) {
    state_[index(block)] = {numbered_, numbered_, true, 0};
    ++numbered_;
    stack_.push_back(block);
    path_.push_back(block);
  }

  void visit(std::int32_t root) {
    enter(root);
    while (!path_.empty()) {
      const std::int32_t block = path_.back();
      State& state = state_[index(block)];
      const auto& to = successors_[index(block)];
      if (state.next < to.size()) {
        const std::int32_t successor = to[state.next++];
        const State& other = state_[index(successor)];
        if (other.number < 0)
          enter(successor);
        else if (other.on_stack)
          state.lowest = std::min(state.lowest, other.number);
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        State& caller = state_[index(path_.back())];
        caller.lowest = std::min(caller.lowest, state.lowest);
      }
      if (state.lowest == state.number) close(block);
    }
  }

  void close(std::int32_t block) {
    const auto& to = successors_[index(block)];
    const bool alone = stack_.back() == block;
    const bool loops = !alone || std::ranges::find(to, block) != to.end();
    for (bool last = false; !last;) {
      const std::int32_t member = stack_.back();
      stack_.pop_back();
      state_[index(member)].on_stack = false;
      if (loops) found_.of[index(member)] = found_.count;
      last = member == block;
    }
    if (loops) ++found_.count;
  }

  const std::vector<std::vector<std::int32_t>>& successors_;
  Loops found_;
  std::vector<State> state_;
  std::vector<std::int32_t> stack_, path_;
  std::int32_t numbered_ = 0;
};

}  // namespace

Loops loops_of(const std::vector<std::vector<std::int32_t>>& successors) {
  return Components(successors).take();
}

}  // namespace gridstride::sim
