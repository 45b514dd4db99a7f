// See launch_tree.h.
#include "common/simulator/device/launch_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {
namespace {

/// How far a block is, of its whole time, when it launches something; on average over those that
/// have it noted, negative when none has.
double usual_share(const GridOutcome& outcome) {
  double sum = 0;
  std::size_t number = 0;
  for (const DeviceWork& work : outcome.work) {
    if (work.cycle < 0 || outcome.block_cycles <= 0) continue;
    sum += std::min(work.cycle / outcome.block_cycles, 1.0);
    ++number;
  }
  return number == 0 ? -1 : sum / static_cast<double>(number);
}

}  // namespace

LaunchTree::Id LaunchTree::add(DeviceWork work, Id parent, double asked) {
  Node& node = nodes_[++last_];
  node.work = std::move(work);
  node.parent = parent;
  node.asked = node.ready = asked;
  return last_;
}

void LaunchTree::enqueue(Id id) { ready_.insert({nodes_.at(id).ready, id}); }

LaunchTree::Id LaunchTree::take_ready() {
  auto chosen = ready_.begin();
  if (random_ != 0) {
    constexpr std::size_t looked_at = 64;  // a set has no random access
    std::advance(chosen, draw(random_) % std::min(ready_.size(), looked_at));
  }
  const Id id = chosen->second;
  ready_.erase(chosen);
  return id;
}

/// Seconds from the start of a grid until it asks for `work`.
double LaunchTree::asked_after(const GridOutcome& outcome, const DeviceWork& work,
                               double usual) const {
  const double rounds =
      outcome.round_blocks > 0 ? static_cast<double>(outcome.blocks) / outcome.round_blocks : 1;
  double seconds = 0;
  double round_seconds = outcome.seconds;
  if (rounds > 1) {
    const auto round =
        static_cast<std::uint64_t>(static_cast<double>(work.block) / outcome.round_blocks);
    round_seconds /= rounds;
    seconds = static_cast<double>(round) * round_seconds;
  }
  if (usual < 0) return seconds + costs_.call * work.turn;
  const double share = work.cycle < 0 ? usual : std::min(work.cycle / outcome.block_cycles, 1.0);
  return seconds + share * round_seconds;
}

/// Hangs what the grid launched into the tree.
void LaunchTree::ran(Id id, GridOutcome outcome) {
  if (outcome.failed) {
    failed_ = true;
    return;
  }
  using Stream = std::pair<std::uint64_t, std::uint64_t>;  // block, stream
  std::map<Stream, Id> last_in_stream;
  std::map<std::uint64_t, Id> recorded;  // by event
  std::vector<Id> children, tails;
  const double usual = usual_share(outcome);
  for (DeviceWork& work : outcome.work) {
    const double asked = outcome.start + asked_after(outcome, work, usual);
    const std::uint64_t stream =
        work.stream <= device_thread_stream ? device_null_stream : work.stream;
    const std::uint64_t block = work.block, event = work.event;
    const DeviceWork::Kind kind = work.kind;
    const Id child = add(std::move(work), id, asked);
    if (stream == tail_stream) {
      tails.push_back(child);
      continue;
    }
    children.push_back(child);
    const auto wait_for = [&](Id earlier) {
      nodes_.at(earlier).next.push_back(child);
      ++nodes_.at(child).waits_for;
    };
    if (stream != fire_and_forget_stream) {
      // Each block has a null stream of its own; others belong to the grid.
      const std::uint64_t owner = stream == device_null_stream ? block : 0;
      const auto [last, is_first] = last_in_stream.try_emplace({owner, stream}, child);
      if (!is_first) wait_for(std::exchange(last->second, child));
    }
    if (kind == DeviceWork::Kind::record) recorded[event] = child;
    if (kind == DeviceWork::Kind::wait && recorded.contains(event)) wait_for(recorded.at(event));
  }
  Node& node = nodes_.at(id);
  node.ran = true;
  node.order = outcome.order;
  node.start = outcome.start;
  node.done = outcome.start + outcome.seconds;
  node.open = children.size();
  node.tails = std::move(tails);
  end_ = std::max(end_, node.done);
  for (const Id child : children) {
    if (nodes_.at(child).waits_for == 0) enqueue(child);
  }
  if (children.empty()) complete(id);
}

/// What lay before the parent, and before the call in it that the work comes of, lies before the work.
void LaunchTree::gather(Node& node) {
  const Node& parent = nodes_.at(node.parent);
  node.before.join(parent.before);
  node.before.join(node.work.known.grid);
  if (parent.order)
    node.before.add(runner_.order().first_block(*parent.order) + node.work.block,
                    node.work.known.own);
  node.work.known = {};
}

void LaunchTree::start(Id id) {
  Node& node = nodes_.at(id);
  gather(node);
  if (node.work.kind == DeviceWork::Kind::record || node.work.kind == DeviceWork::Kind::wait) {
    node.done = node.ready;
    complete(id);
    return;
  }
  const double taken_up = std::max(node.ready, launcher_free_);
  launcher_free_ = taken_up + costs_.interval;
  const double delay = node.ready > node.asked ? costs_.follow : costs_.start;
  const double begin = std::max(taken_up + delay, busy_);
  const std::uint64_t parent = nodes_.at(node.parent).token;
  if (node.work.kind != DeviceWork::Kind::launch) {
    const TransferOutcome outcome = runner_.transfer(node.work, node.before, parent);
    if (outcome.seconds < 0) {
      failed_ = true;
      return;
    }
    node.order = outcome.order;
    busy_ = node.done = begin + outcome.seconds;
    complete(id);
    return;
  }
  GridOutcome outcome = runner_.run(node.work, node.before, begin, parent, node.token);
  node.work.arguments = {};
  outcome.start = begin;
  busy_ = begin + outcome.seconds * outcome.share;
  ran(id, std::move(outcome));
}

/// All that a node launched is over, tail launches aside: these come now, one after the other.
void LaunchTree::complete(Id id) {
  for (;;) {
    Node& node = nodes_.at(id);
    end_ = std::max(end_, node.done);
    if (!node.tails.empty()) {
      const Id tail = node.tails.front();
      node.tails.erase(node.tails.begin());
      Node& next = nodes_.at(tail);
      next.ready = next.asked = std::max(next.asked, node.done);
      if (node.order) runner_.order().add_ended(next.before, *node.order);
      node.open = 1;
      enqueue(tail);
      return;
    }
    if (node.ran) runner_.finish(node.token, node.done - node.start);
    const Node over = std::move(node);
    nodes_.erase(id);
    for (const Id successor : over.next) {
      Node& waiting = nodes_.at(successor);
      waiting.ready = std::max(waiting.ready, over.done);
      waiting.before.join(over.before);
      if (over.order) runner_.order().add_whole(waiting.before, *over.order);
      if (--waiting.waits_for == 0) enqueue(successor);
    }
    if (over.parent == 0) return;
    Node& parent = nodes_.at(over.parent);
    parent.done = std::max(parent.done, over.done);
    // Tail launches run one after the other.
    if (over.work.stream == tail_stream && over.order)
      runner_.order().add_whole(parent.before, *over.order);
    if (--parent.open != 0) return;
    id = over.parent;
  }
}

double LaunchTree::run(GridOutcome root, std::uint64_t token) {
  const Id id = add({}, 0, 0);
  nodes_.at(id).token = token;
  busy_ = root.start + root.seconds * root.share;
  ran(id, std::move(root));
  while (!failed_ && !ready_.empty()) start(take_ready());
  return end_;
}

}  // namespace gridstride::sim
