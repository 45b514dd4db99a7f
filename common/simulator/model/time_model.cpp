// Joins the bounds that the parts of the GPU set.
#include "common/simulator/model/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr double sector_bytes = 32;

/// Scaled by the largest, so that no power overflows.
double norm(std::span<const double> values, double exponent) {
  const double largest = *std::max_element(values.begin(), values.end());
  if (largest <= 0) return 0;
  double sum = 0;
  for (const double value : values) sum += std::pow(value / largest, exponent);
  return largest * std::pow(sum, 1 / exponent);
}

double at(std::uint64_t work, double rate) { return static_cast<double>(work) / rate; }

/// How much more the busiest multiprocessor has to do than its share: a grid whose blocks are all
/// resident at once is dealt out block by block, and what one multiprocessor has none of helps
/// nobody. Blocks that come later go where there is room.
double imbalance(const DeviceProfile& profile, const LaunchShape& shape) {
  const std::uint64_t count = profile.properties.multiprocessors;
  if (shape.blocks == 0 || shape.blocks > count * std::max(shape.resident_blocks, 1u)) return 1;
  const std::uint64_t busiest = (shape.blocks + count - 1) / count;
  return static_cast<double>(busiest * count) / static_cast<double>(shape.blocks);
}

/// Warps that a multiprocessor has at a time, at least one.
std::uint64_t warps_at_a_time(const DeviceProfile& profile, const LaunchShape& shape) {
  const std::uint64_t count = profile.properties.multiprocessors;
  const std::uint64_t blocks = std::min<std::uint64_t>((shape.blocks + count - 1) / count,
                                                       std::max(shape.resident_blocks, 1u));
  return std::max<std::uint64_t>(blocks * ((shape.block_threads + 31) / 32), 1);
}

/// How much more the busiest quarter of a multiprocessor has to do than its share. Each has a scheduler
/// and units of its own, which only the warps that are dealt to it use (NVIDIA H100 Tensor Core GPU
/// Architecture, the streaming multiprocessor): one warp alone has a quarter of what there is.
double quarter_imbalance(const DeviceProfile& profile, const LaunchShape& shape) {
  constexpr std::uint64_t quarters = 4;
  const std::uint64_t warps = warps_at_a_time(profile, shape);
  return at((warps + quarters - 1) / quarters * quarters, static_cast<double>(warps));
}

/// Operations that queue in the L2: the seconds of the longest queue.
double queue_seconds(const Throughputs& rate, const AtomicQueueLengths& queues) {
  return std::max({at(queues.sector, rate.l2_atomics_sector),
                   at(queues.float_sector, rate.l2_atomics_float_sector),
                   at(queues.piece, rate.l2_atomics_piece)});
}

/// Of the atomics, the share that would find no queue, but get stuck behind those that wait in the
/// longest one: none where all places are equally busy. Measured on an H200
/// (measure/queued_atomics.csv): a million minima anywhere take 17 us, 32,768 additions to one
/// address 31, both 42, of which the launch is a part each time.
double stuck_share(const AtomicQueueLengths& queues) {
  const std::uint64_t longest = std::max(queues.piece, queues.hottest());
  if (longest == 0 || queues.pieces == 0) return 0;
  return std::max(1 - at(queues.all, static_cast<double>(longest * queues.pieces)), 0.0);
}

/// A line written costs the DRAM as much as all of its sectors. A row of it is opened for so few bytes
/// only that the next has to wait.
double dram_seconds(const Throughputs& rate, const Counters& c) {
  return at(c.dram_read_sectors, rate.dram_read / sector_bytes) +
         at(c.dram_lone_reads, rate.dram_lone_reads) +
         at(std::max(c.dram_write_sectors, 4 * c.dram_write_lines), rate.dram_write / sector_bytes);
}

/// The share of the busiest over the mean.
struct Uneven {
  double multiprocessors = 1, quarters = 1;
};

/// How much of what a line of constants may cost it does. A few warps go through a table in step, and a line
/// that one of them asks for is for all; those of a full multiprocessor drift apart, and each asks anew, also
/// in a table that the cache holds (measure/constant_loops.csv). What they wait for in a queue, the `others`,
/// keeps them in step; the schedulers, which `issue` first what is ready, do not.
double share_of_constant_lines(const DeviceProfile& profile, const LaunchShape& shape, double issue,
                               std::initializer_list<double> others) {
  constexpr double in_step = 24, apart = 42;  // warps
  const auto warps = static_cast<double>(warps_at_a_time(profile, shape));
  const double queue = std::max(others);
  return std::clamp((warps - in_step) / (apart - in_step), 0.0, 1.0) *
         (queue > issue ? issue / queue : 1);
}

/// What has a throughput; `queue` seconds of it in a queue of the L2, behind which `stuck` of the
/// other atomics wait.
std::vector<Bound> throughput_bounds(const DeviceProfile& profile, const LaunchShape& shape,
                                     Uneven uneven, const Counters& c, double queue, double stuck) {
  const Throughputs& rate = profile.throughput;
  const double busiest = uneven.multiprocessors;
  const double units = busiest * uneven.quarters;
  // In one direction what is read, in the other what is written.
  const std::uint64_t read_sectors = sectors_from_l2(c);
  const std::uint64_t sent_sectors = c.global_store_sectors - c.merged_sectors;
  const double l2 = std::max(
      {at(read_sectors, rate.l2 / sector_bytes), at(c.l2_read_lines, rate.l2_lines),
       at(sent_sectors + c.l2_write_lines, rate.l2_lines) +
           at(c.rewritten_sectors, rate.l2_rewrites),
       busiest * at(read_sectors, rate.loads), busiest * at(sent_sectors, rate.store_sectors),
       busiest * at(c.l2_write_lines, rate.store_lines)});
  const double anywhere = at(c.global_atomic_sectors, rate.l2_atomics);
  const double atomics = std::max(anywhere, queue + stuck * anywhere);
  // Shared memory and L1 are one array, and shuffles go the way to it. A shared atomic passes
  // once: additions to a bank each take 0.97 to 1.06 clocks (measure/l1_lines.csv).
  const std::uint64_t wavefronts =
      c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts;
  const std::uint64_t warps = (shape.block_threads + 31) / 32;
  const double shared = at(wavefronts + c.shuffle_instructions + c.l1_passes, rate.wavefronts) +
                        at(c.local_sectors, 4 * rate.wavefronts) +
                        at(c.shared_cas_iterations - c.shared_cas_contended, rate.cas_iterations) +
                        at(c.shared_cas_passes, rate.cas_passes) +
                        at(c.shared_cas_contended, rate.contended_cas_iterations) +
                        at(c.shared_cas_contended * warps, rate.contended_cas_tries);
  const double dram = dram_seconds(rate, c);
  const double texture = busiest * at(c.texture_passes, rate.texture_passes);
  const double issue = units * at(c.sass_instructions, rate.issue);
  const double apart = share_of_constant_lines(profile, shape, issue,
                                               {dram, l2, atomics, busiest * shared, texture});
  return {{"dram", dram},
          {"l2", l2},
          {"atomics", atomics},
          {"shared", busiest * shared},
          {"texture", texture},
          {"constant", busiest * (at(c.constant_passes, rate.constant_passes) +
                                  apart * (at(c.constant_lines, rate.constant_lines) +
                                           at(c.constant_line_loads, rate.constant_line_loads)) +
                                  at(c.constant_misses_apart, rate.constant_misses_apart))},
          {"issue", issue},
          {"float", units * at(c.float_instructions, rate.float_issue)},
          {"integer", units * std::max({at(c.logic_slots, rate.logic_issue),
                                        at(c.product_slots, rate.product_issue),
                                        at(c.logic_slots + c.sum_slots, rate.integer_issue)})},
          {"special", units * at(c.special_slots + c.match_values, rate.special_issue)},
          {"fp64", units * at(c.double_instructions, rate.double_issue)}};
}

/// How often the device takes as many blocks as it holds.
double rounds_of(const DeviceProfile& profile, const LaunchShape& shape) {
  const double slots =
      static_cast<double>(std::max(shape.resident_blocks, 1u)) * profile.properties.multiprocessors;
  return std::ceil(static_cast<double>(shape.blocks) / slots);
}

/// Each round lasts as long as one block alone.
double latency_bound(const DeviceProfile& profile, const LaunchShape& shape,
                     const GridResult& result) {
  return rounds_of(profile, shape) * result.latency_spread * result.block_latency_cycles /
         profile.clock_hz;
}

/// Work, and what blocks wait for. Blocks that start together wait together, and work together when what
/// they have waited for is there: as of phases (lost_by_phases), half of what a norm would save is lost
/// in the first round. They drift apart from wait to wait, by the root of their number, as many delays
/// add up.
double join_waiting(const DeviceProfile& profile, const LaunchShape& shape,
                    const GridResult& result, double work) {
  const double start_blocks = at(shape.blocks, profile.throughput.blocks);
  const double latency = latency_bound(profile, shape, result);
  const double joined = norm(std::array{work, start_blocks, latency}, profile.latency_norm);
  const double apart = norm(std::array{work, start_blocks}, profile.latency_norm) + latency;
  const double waits = std::max(result.block_latency_cycles / profile.latency.global_dram, 1.0);
  const double rounds = std::max(rounds_of(profile, shape), 1.0);
  return joined + (apart - joined) / (2 * rounds * std::sqrt(waits));
}

/// Times parts of one launch.
class LaunchWork {
 public:
  LaunchWork(const DeviceProfile& profile, const LaunchShape& shape, const GridResult& whole)
      : profile_(profile),
        shape_(shape),
        whole_(whole),
        busiest_{imbalance(profile, shape) * std::max(whole.imbalance, 1.0),
                 quarter_imbalance(profile, shape)},
        queue_(queue_seconds(profile.throughput, whole.atomic_queues)) {}

  /// On all multiprocessors alike, or as blocks are dealt out.
  std::vector<Bound> bounds(bool even) const {
    return throughput_bounds(profile_, shape_, even ? Uneven{} : busiest_, whole_.counters, queue_,
                             stuck_share(whole_.atomic_queues));
  }
  /// Everything side by side.
  double together() const { return joined(whole_.counters, queue_); }
  /// The same, `apart` longer, with what `join` adds to it, to which the queue is a matter of indifference.
  template <class Join>
  double together_with(double apart, Join join) const {
    const double queue = with_queue(whole_.counters, queue_);
    return beside_queue(join(without_queue(whole_.counters) + apart),
                        queue <= 0 ? 0 : queue + apart);
  }
  /// The same of a part, which has its share of the atomics, and so of their longest queue.
  double seconds(const Counters& part) const {
    const std::uint64_t all = whole_.counters.global_atomic_serial;
    return joined(part, all == 0 ? 0 : queue_ * at(part.global_atomic_serial, all));
  }

 private:
  /// Without what queues in the L2.
  double without_queue(const Counters& part) const {
    std::vector<double> seconds;
    double issue = 0;
    for (const Bound& bound : throughput_bounds(profile_, shape_, busiest_, part, 0, 0)) {
      // Additions of floats and the schedulers that issue them do not work side by side.
      const bool issues = bound.part == "issue" || bound.part == "float";
      if (issues) issue = std::max(issue, bound.seconds);
      seconds.push_back(issues ? 0 : bound.seconds);
    }
    seconds.push_back(issue);
    return norm(seconds, profile_.throughput_norm);
  }
  /// A queue in the L2 and what gets stuck behind it: loads that miss, atomics elsewhere. A queue that
  /// is shorter than those take is there for a part of that time only.
  double with_queue(const Counters& part, double queue) const {
    if (queue <= 0) return 0;
    const double others = dram_seconds(profile_.throughput, part) +
                          stuck_share(whole_.atomic_queues) *
                              at(part.global_atomic_sectors, profile_.throughput.l2_atomics);
    if (others <= queue) return queue + others;
    return others + queue * (queue / others);
  }
  /// Multiprocessors do not wait for a queue whose results they do not need, nor it for them.
  double joined(const Counters& part, double queue) const {
    return beside_queue(without_queue(part), with_queue(part, queue));
  }
  double beside_queue(double others, double queue) const {
    return queue <= 0 ? others : norm(std::array{others, queue}, profile_.queue_norm);
  }

  const DeviceProfile& profile_;
  const LaunchShape& shape_;
  const GridResult& whole_;
  Uneven busiest_;
  double queue_;
};

/// What phases take one after the other beyond what they would side by side, as far as blocks do not
/// make up for it.
double lost_by_phases(const LaunchWork& work, const DeviceProfile& profile,
                      const LaunchShape& shape, const GridResult& result) {
  if (result.phases.size() < 2) return 0;
  const double together = work.together();
  double apart = 0, apart_by_barriers = 0;
  Counters between;  // two barriers
  for (const Phase& phase : result.phases) {
    if (phase.behind_barrier) apart_by_barriers += work.seconds(std::exchange(between, {}));
    between += phase.counters;
    apart += work.seconds(phase.counters);
  }
  apart_by_barriers += work.seconds(between);
  const auto count = static_cast<double>(profile.properties.multiprocessors);
  const auto blocks = static_cast<double>(shape.blocks);
  const double resident = std::max(shape.resident_blocks, 1u);
  const double waves = std::max(blocks / (resident * count), 1.0);
  const double side_by_side = std::clamp(std::ceil(blocks / count), 1.0, resident);
  return std::max(
      {(apart_by_barriers - together) / side_by_side, (apart - together) / (2 * waves), 0.0});
}

}  // namespace

std::uint64_t sectors_from_l2(const Counters& c) {
  return c.global_load_sectors - c.l1_hit_sectors + c.local_sectors + c.texture_sectors -
         c.texture_hit_sectors;
}

TimeEstimate estimate(const DeviceProfile& profile, const LaunchShape& shape,
                      const GridResult& result) {
  TimeEstimate estimate;
  const LaunchWork parts(profile, shape, result);
  estimate.bounds = parts.bounds(false);
  estimate.bounds.push_back({"blocks", at(shape.blocks, profile.throughput.blocks)});
  estimate.bounds.push_back({"latency", latency_bound(profile, shape, result)});
  estimate.seconds =
      profile.launch_seconds +
      parts.together_with(lost_by_phases(parts, profile, shape, result),
                          [&](double work) { return join_waiting(profile, shape, result, work); });

  const Bound& largest =
      *std::max_element(estimate.bounds.begin(), estimate.bounds.end(),
                        [](const Bound& x, const Bound& y) { return x.seconds < y.seconds; });
  const double working = estimate.seconds - profile.launch_seconds;
  for (const Bound& bound : parts.bounds(true)) {
    if (working > 0) estimate.share = std::max(estimate.share, bound.seconds / working);
  }
  estimate.limiter = largest.seconds > profile.launch_seconds ? largest.part : "launch";
  return estimate;
}

}  // namespace gridstride::sim
