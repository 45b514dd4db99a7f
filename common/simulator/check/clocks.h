// Sets of what has been done, as fences and flags hand them over: vector clocks of a whole grid.
//
// A BlockClock says of one block up to when its warps and threads are known, a GridClock of many
// blocks. Both share what they have in common, so that a copy costs a pointer, and a step of a chain
// (a counter at which one block after the other arrives) little more than what it adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gridstride::sim {

class BlockClock {
 public:
  // Whom an entry is about: a thread, by its linear index in the block; what its asynchronous copies
  // have written; all lanes of a warp; the same, but their reads alone.
  static constexpr std::uint32_t copies_of = 1024;   ///< + thread
  static constexpr std::uint32_t whole_warp = 2048;  ///< + warp
  static constexpr std::uint32_t reads_of = 2080;    ///< + warp: what its lanes have read

  bool empty() const { return !body_; }
  void clear() { body_.reset(); }
  /// Accesses of the whole block with an earlier timestamp than `epoch`.
  void add_epoch(std::uint32_t epoch);
  /// What `who` did up to `timestamp`.
  void add(std::uint32_t who, std::uint32_t timestamp);
  void join(const BlockClock& other);
  /// Whether this holds all that `other` does.
  bool includes(const BlockClock& other) const;
  /// Whether it holds what a thread, or a thread + copies_of, did at `timestamp`.
  bool covers(std::uint32_t thread, std::uint32_t timestamp) const;
  bool is_same(const BlockClock& other) const { return body_ == other.body_; }

 private:
  struct Entry {
    std::uint32_t who = 0, timestamp = 0;
  };
  struct Body {
    std::uint32_t epoch = 0;
    std::vector<Entry> entries;  ///< by `who`, none that the epoch covers
  };
  Body& own();
  /// Up to when `who` alone is known; 0: not at all.
  std::uint32_t known_of(std::uint32_t who) const;

  std::shared_ptr<Body> body_;  ///< shared: not to be changed
};

class GridClock {
 public:
  bool empty() const { return !root_; }
  void clear() { *this = {}; }
  void add(std::uint64_t block, const BlockClock& clock);
  void join(const GridClock& other);
  bool includes(const GridClock& other) const;
  bool covers(std::uint64_t block, std::uint32_t thread, std::uint32_t timestamp) const;
  /// This is step number `step` of a chain, each of which includes those before it. Makes joins of
  /// steps of one chain cheap.
  void name(std::uint32_t chain, std::uint32_t step) {
    chain_ = chain;
    step_ = step;
  }
  std::uint32_t chain() const { return chain_; }
  std::uint32_t step() const { return step_; }
  bool is_same(const GridClock& other) const { return root_ == other.root_; }
  /// Of all clocks of this thread of the host: pieces of memory that they hold, about 300 bytes each.
  static std::size_t pieces();

 private:
  /// Sixteen blocks, or sixteen nodes of the height below.
  struct Node;
  using Link = std::shared_ptr<Node>;
  static Link joined(const Link& a, const Link& b);
  static bool includes(const Link& a, const Link& b);
  static Link lifted(Link node, std::uint32_t from, std::uint32_t to);
  static Link with(const Link& node, std::uint32_t height, std::uint64_t block,
                   const BlockClock& clock);

  Link root_;
  std::uint32_t height_ = 0;            ///< of the root: 0 for blocks 0 to 15
  std::uint32_t chain_ = 0, step_ = 0;  ///< 0: of no chain
};

/// What a thread knows to have been done before: in its own block, and in all.
struct Knowledge {
  BlockClock own;
  GridClock grid;

  bool empty() const { return own.empty() && grid.empty(); }
  void join(const Knowledge& other) {
    own.join(other.own);
    grid.join(other.grid);
  }
  bool includes(const Knowledge& other) const {
    return own.includes(other.own) && grid.includes(other.grid);
  }
  bool is_same(const Knowledge& other) const {
    return own.is_same(other.own) && grid.is_same(other.grid);
  }
};

}  // namespace gridstride::sim
