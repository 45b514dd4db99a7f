// A grid and everything it launches: in which order its children run, and when, in modelled time.
//
// Launches form a tree of work that waits for other work: what came before in the same stream, an
// event, for tail launches all else that the grid launched. A grid is over when its children are.
// Work that waits for nothing runs in the order of modelled time; with a seed in an order drawn
// from it. Children run side by side as far as they leave room for each other: each occupies its
// share of the device for as long as it takes, and a child starts when the shares of those before
// it are worked off. The costs of launches are those measured on an H200, see profiles/h200.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simulator/check/clocks.h"
#include "common/simulator/check/launch_order.h"
#include "common/simulator/exec/device_work.h"

namespace gridstride::sim {

/// In seconds.
struct DeviceLaunchCosts {
  double call = 0;      ///< a launch keeps its thread busy
  double start = 0;     ///< from the launch until the child runs, at the earliest
  double follow = 0;    ///< from the end of a grid until the next one in its stream runs
  double interval = 0;  ///< between two launches, whoever makes them
};

/// A grid that has run.
struct GridOutcome {
  double start = 0;         ///< when its first block ran
  double seconds = 0;       ///< from then on, its children aside
  double share = 1;         ///< of the device that it occupies meanwhile
  double round_blocks = 0;  ///< blocks that run at once; later ones launch later
  double block_cycles = 0;  ///< that a block takes, as DeviceWork::cycle counts them
  std::uint64_t blocks = 1;
  bool failed = false;                     ///< nothing after it runs
  std::optional<LaunchOrder::Grid> order;  ///< its number there; nothing: it is not looked at
  std::vector<DeviceWork> work;            ///< what it launched
};

/// A copy or fill that has been made.
struct TransferOutcome {
  double seconds = 0;                      ///< negative when it failed and nothing may follow
  std::optional<LaunchOrder::Grid> order;  ///< as a grid's
};

class LaunchTree {
 public:
  /// Who runs things. `parent` is what the launching grid's run() returned as its token.
  class Runner {
   public:
    virtual ~Runner() = default;
    /// Runs the grid of `work`; sets everything but `start`. `token`: a number for the record of
    /// this grid, passed to its children and to finish(). `before`: what lies before it, numbered as
    /// order() says.
    virtual GridOutcome run(const DeviceWork& work, const GridClock& before, double start,
                            std::uint64_t parent, std::uint64_t& token) = 0;
    /// Copies or fills. `before` and `parent` are as for run(), and so is what it throws.
    virtual TransferOutcome transfer(const DeviceWork& work, const GridClock& before,
                                     std::uint64_t parent) = 0;
    /// Which grids run before which others, of those that have begun.
    virtual const LaunchOrder& order() const = 0;
    /// The grid and its children are over: `seconds` after the grid's start.
    virtual void finish(std::uint64_t token, double seconds) = 0;
  };

  LaunchTree(Runner& runner, const DeviceLaunchCosts& costs, std::uint64_t seed)
      : runner_(runner), costs_(costs), random_(seed) {}

  /// Runs all that `root` launched. When the last of it is over, on the time axis of root.start.
  double run(GridOutcome root, std::uint64_t token);

 private:
  using Id = std::uint64_t;

  /// Work, or the grid that came of it.
  struct Node {
    DeviceWork work;
    Id parent = 0;
    std::uint64_t token = 0;
    std::uint32_t waits_for = 0;  ///< other nodes
    double asked = 0;             ///< earliest moment: when it was launched
    double ready = 0;             ///< … and when what it waits for was over
    double start = 0, done = 0;
    std::uint64_t open = 0;  ///< children that are not over
    std::vector<Id> next;    ///< nodes that wait for this one
    std::vector<Id> tails;   ///< tail launches that have not begun
    bool ran = false;
    /// What lies before it. At first of the work that it waited for, from its begin on all.
    GridClock before;
    std::optional<LaunchOrder::Grid> order;
  };

  Id add(DeviceWork work, Id parent, double asked);
  void enqueue(Id id);
  Id take_ready();
  double asked_after(const GridOutcome& outcome, const DeviceWork& work, double usual) const;
  void ran(Id id, GridOutcome outcome);
  void start(Id id);
  void gather(Node& node);
  void complete(Id id);

  Runner& runner_;
  DeviceLaunchCosts costs_;
  std::uint64_t random_;
  Id last_ = 0;
  std::unordered_map<Id, Node> nodes_;
  std::set<std::pair<double, Id>> ready_;
  double launcher_free_ = 0;  ///< when the next launch can be taken up
  double busy_ = 0;           ///< when the shares of all grids so far are worked off
  double end_ = 0;
  bool failed_ = false;
};

}  // namespace gridstride::sim
