// What the user is told about races between grids of a launch tree: dynamic parallelism.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/findings/finding_log.h"
#include "common/simulator/findings/launched_grids.h"

namespace gridstride::sim {
namespace {

constexpr const char* parent_stores_behind_launch =
    ". The parent does so behind the launch, and from there on nothing orders the two: a grid "
    "finds what "
    "the thread that launched it did before. Store it before the launch, or in a grid that is "
    "launched "
    "into cudaStreamTailLaunch.";
constexpr const char* parent_reads_behind_launch =
    ". The parent does so behind the launch, and from there on nothing orders the two: a kernel "
    "cannot "
    "wait for the grids that it launches. Read their results in a grid that is launched into "
    "cudaStreamTailLaunch, or in the next kernel that the host launches; what is to be read as it "
    "was "
    "before, read before the launch.";
constexpr const char* other_thread_of_the_block =
    ". A grid finds what the thread that launched it did before, and of other threads of the block "
    "what a "
    "barrier lies behind: put __syncthreads() before the launch. What the parent does behind the "
    "launch "
    "is in no order with the grid. Do that in a grid that is launched into cudaStreamTailLaunch, "
    "or in "
    "the next kernel that the host launches.";
constexpr const char* other_block_of_the_parent =
    ". Blocks run in any order, and a grid finds what the thread that launched it did or knew "
    "before. "
    "Launch into cudaStreamTailLaunch, which waits for all blocks, or from the next kernel of the "
    "host, or let a "
    "counter with __threadfence() before it say which block is the last, and launch there.";
constexpr const char* grids_beside_each_other =
    ". Grids run at the same time and in any order when they are launched into different streams, "
    "into "
    "cudaStreamFireAndForget, or by different blocks, each of which has a NULL stream of its own. "
    "Give "
    "each its own place, use atomic operations, launch both into one stream of one block, let an "
    "event "
    "order the streams, or launch the second one into cudaStreamTailLaunch.";

constexpr const char* transfers_are_grids =
    " A copy or fill that a kernel asks for counts as a grid that is launched there.";

}  // namespace

void FindingLog::race_between_grids(const RacingGlobalAccess& earlier,
                                    const RacingGlobalAccess& now, std::uint64_t address) {
  const LaunchOrder& order = launched_->order;
  const LaunchedGrid& other = launched_->grids[earlier.grid];
  const KernelCode& code = other.program->kernels[other.kernel];
  const PlaceNames names(*other.program, code, memory_, other.grid, other.block, 0);
  auto result = new_finding(FindingKind::global_race, {&names, &code, earlier.access.instruction},
                            now.access.instruction);
  if (!result) return;

  // The grid that the earlier one launched and this one came of, where there is one.
  LaunchOrder::Grid child = now.grid;
  while (child != 0 && order.parent(child) != earlier.grid) child = order.parent(child);
  const LaunchedGrid& launch = launched_->grids[child != 0 ? child : earlier.grid];
  std::string who;
  if (child == now.grid) {
    who = "of the parent grid, of " + code.name + ",";
  } else if (child != 0) {
    who = "of the grid of " + code.name + ", which launched this one by way of others,";
  } else {
    who =
        fmt::format("of another grid, of {}, launched by thread {} of block {} of {}{},", code.name,
                    PlaceNames::index(launch.by_thread), PlaceNames::index(launch.by_block),
                    kernel_named(order.parent(earlier.grid)), in_line(launch.line));
  }
  const char* advice = grids_beside_each_other;
  if (child != 0) {
    const bool same_block = index_in(other.grid, earlier.block) == launch.by_block;
    const bool same_thread =
        same_block && index_in(other.block, earlier.access.thread) == launch.by_thread;
    advice = !same_block            ? other_block_of_the_parent
             : !same_thread         ? other_thread_of_the_block
             : earlier.access.store ? parent_stores_behind_launch
                                    : parent_reads_behind_launch;
  }
  const bool other_transfers = is_transfer(earlier.grid), transfers = is_transfer(now.grid);
  const std::string one =
      other_transfers
          ? fmt::format("{} {}", transfer_named(earlier.grid), deed_of(earlier))
          : fmt::format("{} {} {}{}", names.thread({earlier.block, earlier.access.thread}), who,
                        deed_of(earlier), in_line(result->other.line));
  const std::string two =
      transfers ? fmt::format("{} {}", transfer_named(now.grid), deed_of(now))
                : fmt::format("{} of this grid, of {}, {}{}",
                              names_.thread({now.block, now.access.thread}), kernel_.name,
                              deed_of(now), in_line(result->where.line));
  constexpr std::uint32_t word = 4;
  const std::uint32_t width =
      transfers ? (address % word == 0 ? word : 1)
                : std::max<std::uint32_t>(kernel_.code[now.access.instruction].width, 1);
  result->message =
      fmt::format("Race in {}: {} and {}{}{}", names_.global_memory(address, width), one, two,
                  advice, other_transfers || transfers ? transfers_are_grids : "");
  findings_.push_back(std::move(*result));
}

bool FindingLog::is_transfer(LaunchOrder::Grid grid) const {
  return launched_->grids[grid].what != LaunchedGrid::What::grid;
}

std::string FindingLog::transfer_named(LaunchOrder::Grid grid) const {
  const LaunchedGrid& one = launched_->grids[grid];
  return fmt::format("the {} that thread {} of block {} of {} asked for{}",
                     one.what == LaunchedGrid::What::copy ? "copy" : "fill",
                     PlaceNames::index(one.by_thread), PlaceNames::index(one.by_block),
                     one.program->kernels[one.kernel].name, in_line(one.line));
}

std::string FindingLog::kernel_named(LaunchOrder::Grid grid) const {
  const LaunchedGrid& one = launched_->grids[grid];
  return one.program->kernels[one.kernel].name;
}

}  // namespace gridstride::sim
