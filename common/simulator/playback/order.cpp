// The order in which steps are shown, and which of them a finding accuses.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/playback/playback.h"
#include "common/simulator/trace/named_threads.h"

namespace gridstride::sim {
namespace {

using Word = std::tuple<TraceSpace, std::uint32_t, std::uint64_t>;

constexpr std::uint64_t word_bytes = 4;

/// Those that `lanes` of it touch.
template <class Each>
void for_words(const TraceAccess& access, std::uint32_t block, Each each,
               std::uint32_t lanes = ~0u) {
  std::uint32_t rest = access.lanes;
  for (const std::uint64_t place : access.places) {
    const bool wanted = lanes >> std::countr_zero(rest) & 1;
    rest &= rest - 1;
    if (!wanted) continue;
    const std::uint64_t last = place + std::uint64_t{access.bytes} * access.count - 1;
    for (std::uint64_t word = place / word_bytes; word <= last / word_bytes; ++word)
      each(Word{access.space, access.space == TraceSpace::shared ? block : 0, word});
  }
}

/// Whether an access of that kind is what a race's message says first of (findings/access_findings.cpp).
bool is_earlier_deed(const std::string& message, TraceKind kind) {
  const std::size_t reads = message.find(" reads it"), writes = message.find(" writes it"),
                    changes = message.find(" changes it");
  const std::size_t first = std::min({reads, writes, changes});
  if (first == std::string::npos) return true;
  if (first == writes) return kind == TraceKind::store;
  const bool strong = message.compare(first, 20, " reads it atomically") == 0;
  return kind == TraceKind::atomic ? first == changes || strong
                                   : kind == TraceKind::load && first == reads;
}

}  // namespace

/// Of the warps' next steps the one with the smallest cycle comes first, unless it must wait: for an
/// access to the same word that the simulated GPU made before, one of the two a write, or at a barrier.
void Playback::order_steps() {
  const std::size_t count = trace_.steps.size();
  const std::size_t rows = trace_.blocks.size() * trace_.warps_in_block();
  std::vector<std::vector<std::size_t>> of_row(rows), before(count);
  struct Users {
    std::int64_t writer = -1;
    std::vector<std::size_t> readers;
  };
  std::map<Word, Users> users;
  for (std::size_t i = 0; i < count; ++i) {
    const TraceStep& step = trace_.steps[i];
    of_row[step.warp].push_back(i);
    std::set<std::size_t> earlier;
    for (const TraceAccess& access : step.accesses) {
      if (access.space == TraceSpace::local) continue;
      for_words(access, block_of(step), [&](const Word& word) {
        Users& known = users[word];
        if (known.writer >= 0) earlier.insert(static_cast<std::size_t>(known.writer));
        if (access.kind == TraceKind::load) {
          if (known.readers.empty() || known.readers.back() != i) known.readers.push_back(i);
        } else {
          earlier.insert(known.readers.begin(), known.readers.end());
          known = {static_cast<std::int64_t>(i), {}};
        }
      });
    }
    for (const std::size_t one : earlier) {
      if (trace_.steps[one].warp != step.warp) before[i].push_back(one);
    }
  }
  // The first step of each warp behind a barrier waits for all that came to it.
  for (const TraceOpening& opening : trace_.openings) {
    const std::size_t first_row = std::size_t{opening.block} * trace_.warps_in_block();
    std::vector<std::size_t> arrivals, next;
    for (std::uint32_t warp = 0; warp < trace_.warps_in_block(); ++warp) {
      if (!(opening.warps >> warp & 1)) continue;
      const auto& steps = of_row[first_row + warp];
      const auto behind = std::ranges::lower_bound(steps, std::size_t{opening.before});
      if (behind != steps.begin()) arrivals.push_back(*(behind - 1));
      if (behind != steps.end()) next.push_back(*behind);
    }
    for (const std::size_t step : next)
      before[step].insert(before[step].end(), arrivals.begin(), arrivals.end());
  }
  std::vector<std::size_t> heads(rows, 0);
  std::vector<bool> shown(count, false);
  place_.assign(count, 0);
  while (order_.size() < count) {
    std::size_t best = count;
    for (std::size_t row = 0; row < rows; ++row) {
      if (heads[row] == of_row[row].size()) continue;
      const std::size_t step = of_row[row][heads[row]];
      const bool waits =
          std::ranges::any_of(before[step], [&](std::size_t one) { return !shown[one]; });
      if (!waits && (best == count || trace_.steps[step].cycle < trace_.steps[best].cycle))
        best = step;
    }
    shown[best] = true;  // the first that is not shown, as the machine ran, never waits
    place_[best] = order_.size();
    order_.push_back(best);
    ++heads[trace_.steps[best].warp];
  }
}

Playback::Accused Playback::accused(const TraceFinding& finding) const {
  Accused accused;
  if (finding.step < 0) return accused;
  const auto recorded = static_cast<std::size_t>(finding.step);
  accused.step = static_cast<std::int64_t>(place_[recorded]);
  const TraceStep& late = trace_.steps[recorded];
  const auto lane_of = [&](const NamedThread& one, const TraceStep& step) -> std::int64_t {
    if (one.block != trace_.blocks[block_of(step)]) return -1;
    const std::uint64_t thread =
        one.thread.x + std::uint64_t{trace_.block.x} *
                           (one.thread.y + std::uint64_t{trace_.block.y} * one.thread.z);
    return thread / 32 == step.warp % trace_.warps_in_block()
               ? static_cast<std::int64_t>(thread % 32)
               : -1;
  };
  const std::vector<NamedThread> named = named_threads(finding.message);
  for (auto one = named.rbegin(); one != named.rend() && accused.lanes.empty(); ++one) {
    if (const std::int64_t lane = lane_of(*one, late); lane >= 0)
      accused.lanes.push_back(static_cast<std::uint32_t>(lane));
  }
  if (finding.other_line == 0 || named.size() < 2) return accused;
  std::set<Word> words;
  const std::uint32_t late_lanes = accused.lanes.empty() ? ~0u : 1u << accused.lanes.front();
  for (const TraceAccess& access : late.accesses)
    for_words(
        access, block_of(late), [&](const Word& word) { words.insert(word); }, late_lanes);
  for (std::size_t i = recorded + 1; i-- > 0;) {
    const TraceStep& early = trace_.steps[i];
    if (trace_.ops[early.op].line != finding.other_line) continue;
    if (!is_earlier_deed(finding.message, trace_.ops[early.op].kind)) continue;
    const std::int64_t lane = lane_of(named.front(), early);
    if (lane < 0 || !(early.lanes >> lane & 1)) continue;
    bool meets = false;
    for (const TraceAccess& access : early.accesses)
      for_words(
          access, block_of(early), [&](const Word& word) { meets = meets || words.contains(word); },
          1u << lane);
    if (!meets) continue;
    accused.other = static_cast<std::int64_t>(place_[i]);
    accused.other_lanes.push_back(static_cast<std::uint32_t>(lane));
    break;
  }
  return accused;
}

}  // namespace gridstride::sim
