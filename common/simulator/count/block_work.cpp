// See block_work.h.
#include "common/simulator/count/block_work.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

template <class T>
using Least = std::priority_queue<T, std::vector<T>, std::greater<T>>;

/// A multiprocessor: its blocks end in the order of how much each of them has been given when they do.
struct Multiprocessor {
  double now = 0;    ///< up to which it was looked at
  double given = 0;  ///< to each block that was there all the time
  Least<double> ends;

  void go_on_to(double time) {
    if (!ends.empty()) given += (time - now) / static_cast<double>(ends.size());
    now = time;
  }
  void end_blocks() {
    const double least = ends.top();  // rounding must not leave it for ever
    while (!ends.empty() && ends.top() <= std::max(given, least)) ends.pop();
  }
  double next_end() const {
    if (ends.empty()) return std::numeric_limits<double>::infinity();
    return now + std::max(ends.top() - given, 0.0) * static_cast<double>(ends.size());
  }
};

}  // namespace

double time_of_blocks(std::span<const std::uint64_t> work, std::uint32_t multiprocessors,
                      std::uint32_t resident) {
  std::vector<Multiprocessor> all(std::max(multiprocessors, 1u));
  std::size_t next = 0;
  for (std::uint32_t round = 0; round < std::max(resident, 1u); ++round) {
    for (Multiprocessor& one : all) {
      if (next < work.size()) one.ends.push(static_cast<double>(work[next++]));
    }
  }
  Least<std::pair<double, std::size_t>> events;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].ends.empty()) events.push({all[i].next_end(), i});
  }
  double last = 0;
  while (!events.empty()) {
    last = events.top().first;
    // All that end now, before any that comes: that goes where most room is.
    std::vector<std::size_t> with_room;
    while (!events.empty() && events.top().first <= last) {
      const std::size_t i = events.top().second;
      events.pop();
      all[i].go_on_to(last);
      all[i].end_blocks();
      with_room.push_back(i);
    }
    const auto blocks = [&](std::size_t i) { return all[i].ends.size(); };
    const auto emptier = [&](std::size_t i, std::size_t k) { return blocks(i) < blocks(k); };
    while (next < work.size()) {
      const std::size_t i = *std::min_element(with_room.begin(), with_room.end(), emptier);
      if (blocks(i) >= std::max(resident, 1u)) break;
      all[i].ends.push(all[i].given + static_cast<double>(work[next++]));
    }
    for (const std::size_t i : with_room) {
      if (!all[i].ends.empty()) events.push({all[i].next_end(), i});
    }
  }
  return last;
}

bool differ(std::span<const std::uint64_t> work) {
  if (work.empty()) return false;
  const auto [least, most] = std::minmax_element(work.begin(), work.end());
  return *most > *least + *least / 4;
}

double longest_behind_queue(std::span<const Draw> draws, int in_vain,
                            std::span<const double> ends) {
  std::size_t first = draws.size();
  for (int lanes = 0; first > 0 && lanes < in_vain; lanes += draws[first].lanes) --first;
  struct Rest {
    double begin = -1, end = -1;
    bool at_barrier = false;
  };
  std::vector<Rest> rests(ends.size());
  for (const Draw& draw : draws.subspan(first)) {
    Rest& rest = rests[draw.warp];
    if (rest.begin < 0 && draw.lanes != 0) rest.begin = draw.time;
    rest.at_barrier = rest.at_barrier || (rest.begin >= 0 && draw.lanes == 0);
    if (!rest.at_barrier) rest.end = draw.time;
  }
  double longest = 0;
  for (std::size_t i = 0; i < rests.size(); ++i) {
    if (rests[i].begin < 0) continue;
    longest = std::max(longest, (rests[i].at_barrier ? rests[i].end : ends[i]) - rests[i].begin);
  }
  return longest;
}

double imbalance_of_blocks(std::span<const std::uint64_t> work, std::uint32_t multiprocessors,
                           std::uint32_t resident) {
  const double sum =
      static_cast<double>(std::accumulate(work.begin(), work.end(), std::uint64_t{0}));
  const double mean = sum / static_cast<double>(work.size());
  const double alike =
      std::ceil(static_cast<double>(work.size()) / static_cast<double>(multiprocessors)) * mean;
  return std::max(time_of_blocks(work, multiprocessors, resident) / alike, 1.0);
}

}  // namespace gridstride::sim
