// See clocks.h.
#include "common/simulator/check/clocks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t fan_out_bits = 4;
constexpr std::size_t fan_out = std::size_t{1} << fan_out_bits;

thread_local std::size_t pieces_held = 0;

std::size_t place_in(std::uint64_t block, std::uint32_t height) {
  return block >> (fan_out_bits * height) & (fan_out - 1);
}

}  // namespace

BlockClock::Body& BlockClock::own() {
  if (!body_) {
    body_ = std::make_shared<Body>();
  } else if (body_.use_count() > 1) {
    body_ = std::make_shared<Body>(*body_);
  }
  return *body_;
}

void BlockClock::add_epoch(std::uint32_t epoch) {
  if (body_ && epoch <= body_->epoch) return;
  Body& body = own();
  body.epoch = epoch;
  std::erase_if(body.entries, [&](const Entry& entry) { return entry.timestamp < epoch; });
}

void BlockClock::add(std::uint32_t who, std::uint32_t timestamp) {
  if (body_ && (timestamp < body_->epoch || known_of(who) >= timestamp)) return;
  Body& body = own();
  const auto at = std::ranges::lower_bound(body.entries, who, {}, &Entry::who);
  if (at != body.entries.end() && at->who == who) {
    at->timestamp = timestamp;
  } else {
    body.entries.insert(at, {who, timestamp});
  }
}

std::uint32_t BlockClock::known_of(std::uint32_t who) const {
  const auto at = std::ranges::lower_bound(body_->entries, who, {}, &Entry::who);
  return at != body_->entries.end() && at->who == who ? at->timestamp : 0;
}

bool BlockClock::covers(std::uint32_t thread, std::uint32_t timestamp) const {
  if (!body_) return false;
  if (timestamp < body_->epoch || timestamp <= known_of(thread)) return true;
  return thread < copies_of && timestamp <= known_of(whole_warp + thread / 32);
}

bool BlockClock::includes(const BlockClock& other) const {
  if (!other.body_ || body_ == other.body_) return true;
  if (!body_ || body_->epoch < other.body_->epoch) return false;
  auto mine = body_->entries.begin();
  for (const Entry& theirs : other.body_->entries) {
    if (theirs.timestamp < body_->epoch) continue;
    while (mine != body_->entries.end() && mine->who < theirs.who) ++mine;
    const bool known = mine != body_->entries.end() && mine->who == theirs.who &&
                       mine->timestamp >= theirs.timestamp;
    if (!known) return false;
  }
  return true;
}

void BlockClock::join(const BlockClock& other) {
  if (includes(other)) return;
  if (other.includes(*this)) {
    body_ = other.body_;
    return;
  }
  auto body = std::make_shared<Body>();
  body->epoch = std::max(body_->epoch, other.body_->epoch);
  auto a = body_->entries.begin(), b = other.body_->entries.begin();
  while (a != body_->entries.end() || b != other.body_->entries.end()) {
    Entry next;
    if (b == other.body_->entries.end() || (a != body_->entries.end() && a->who < b->who)) {
      next = *a++;
    } else if (a == body_->entries.end() || b->who < a->who) {
      next = *b++;
    } else {
      next = {a->who, std::max(a->timestamp, b->timestamp)};
      ++a, ++b;
    }
    if (next.timestamp >= body->epoch) body->entries.push_back(next);
  }
  body_ = std::move(body);
}

struct GridClock::Node {
  Node() { ++pieces_held; }
  Node(const Node& other) : blocks(other.blocks), below(other.below) { ++pieces_held; }
  Node& operator=(const Node&) = delete;
  ~Node() { --pieces_held; }

  std::vector<BlockClock> blocks;  ///< at the lowest height
  std::vector<Link> below;         ///< at the others
};

std::size_t GridClock::pieces() { return pieces_held; }

GridClock::Link GridClock::lifted(Link node, std::uint32_t from, std::uint32_t to) {
  for (; from < to; ++from) {
    auto above = std::make_shared<Node>();
    above->below.resize(fan_out);
    above->below[0] = std::move(node);
    node = std::move(above);
  }
  return node;
}

GridClock::Link GridClock::with(const Link& node, std::uint32_t height, std::uint64_t block,
                                const BlockClock& clock) {
  const std::size_t place = place_in(block, height);
  if (height == 0) {
    if (node && node->blocks[place].includes(clock)) return node;
    auto changed = node ? std::make_shared<Node>(*node) : std::make_shared<Node>();
    changed->blocks.resize(fan_out);
    changed->blocks[place].join(clock);
    return changed;
  }
  const Link before = node ? node->below[place] : nullptr;
  Link after = with(before, height - 1, block, clock);
  if (node && before == after) return node;
  auto changed = node ? std::make_shared<Node>(*node) : std::make_shared<Node>();
  changed->below.resize(fan_out);
  changed->below[place] = std::move(after);
  return changed;
}

void GridClock::add(std::uint64_t block, const BlockClock& clock) {
  if (clock.empty()) return;
  std::uint32_t height = root_ ? height_ : 0;
  while (block >> (fan_out_bits * (height + 1)) != 0) ++height;
  if (root_) root_ = lifted(std::move(root_), height_, height);
  height_ = height;
  Link after = with(root_, height_, block, clock);
  if (after == root_) return;
  root_ = std::move(after);
  name(0, 0);
}

GridClock::Link GridClock::joined(const Link& a, const Link& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  bool is_a = true, is_b = true;
  auto both = std::make_shared<Node>(*a);
  for (std::size_t i = 0; i < both->blocks.size(); ++i) {
    both->blocks[i].join(b->blocks[i]);
    is_a = is_a && both->blocks[i].is_same(a->blocks[i]);
    is_b = is_b && both->blocks[i].is_same(b->blocks[i]);
  }
  for (std::size_t i = 0; i < both->below.size(); ++i) {
    both->below[i] = joined(a->below[i], b->below[i]);
    is_a = is_a && both->below[i] == a->below[i];
    is_b = is_b && both->below[i] == b->below[i];
  }
  return is_a ? a : is_b ? b : both;
}

void GridClock::join(const GridClock& other) {
  if (other.empty() || root_ == other.root_) return;
  const bool one_chain = chain_ != 0 && chain_ == other.chain_;
  if (empty() || (one_chain && step_ <= other.step_)) {
    *this = other;
    return;
  }
  if (one_chain) return;
  const std::uint32_t height = std::max(height_, other.height_);
  const Link mine = lifted(root_, height_, height);
  const Link theirs = lifted(other.root_, other.height_, height);
  if (includes(mine, theirs)) return;  // what who waits learns again and again: allocates nothing
  Link both = joined(mine, theirs);
  if (both == theirs) {
    *this = other;
    return;
  }
  root_ = std::move(both);
  height_ = height;
  name(0, 0);
}

bool GridClock::includes(const Link& a, const Link& b) {
  if (!b || a == b) return true;
  if (!a) return false;
  for (std::size_t i = 0; i < b->blocks.size(); ++i) {
    if (!a->blocks[i].includes(b->blocks[i])) return false;
  }
  for (std::size_t i = 0; i < b->below.size(); ++i) {
    if (!includes(a->below[i], b->below[i])) return false;
  }
  return true;
}

bool GridClock::includes(const GridClock& other) const {
  if (other.empty() || root_ == other.root_) return true;
  if (empty()) return false;
  if (chain_ != 0 && chain_ == other.chain_ && step_ >= other.step_) return true;
  const std::uint32_t height = std::max(height_, other.height_);
  return includes(lifted(root_, height_, height), lifted(other.root_, other.height_, height));
}

bool GridClock::covers(std::uint64_t block, std::uint32_t thread, std::uint32_t timestamp) const {
  if (!root_ || block >> (fan_out_bits * (height_ + 1)) != 0) return false;
  const Node* node = root_.get();
  for (std::uint32_t height = height_; height > 0; --height) {
    node = node->below[place_in(block, height)].get();
    if (!node) return false;
  }
  return node->blocks[place_in(block, 0)].covers(thread, timestamp);
}

}  // namespace gridstride::sim
