// The simulated GPU: a launch, and what the kernel launches in turn (dynamic parallelism).
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/check/transfer_accesses.h"
#include "common/simulator/device/launch_limits.h"
#include "common/simulator/device/launch_tree.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/trace_file.h"
#include "common/simulator/exec/device_runtime.h"
#include "common/simulator/findings/finding_log.h"
#include "common/simulator/findings/launched_grids.h"
#include "common/simulator/findings/place_names.h"
#include "common/simulator/model/occupancy.h"

namespace gridstride::sim {
namespace {

/// What a launch is charged beside its instructions, so that launches without end come to an end.
constexpr std::uint64_t launch_charge = 2000;
constexpr std::uint64_t charged_argument_bytes = 64;  // for which it is charged once more
/// What a copy or fill is charged: a row, and so many bytes of it for one instruction.
constexpr std::uint64_t charged_per_row = 20, charged_bytes = 256;
/// Pieces of memory for what lies before grids (GridClock::pieces), about 160 MB.
constexpr std::size_t most_pieces = std::size_t{1} << 19;

std::string index_text(const Dim3& index) {
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

}  // namespace

/// The device runtime's end in the device: answers what kernels ask, runs what they launch.
class LocalDevice::Children final : public DeviceRuntimeHost, public LaunchTree::Runner {
 public:
  Children(LocalDevice& device, const Kernel& root, KernelId id)
      : device_(device),
        root_(root),
        first_(id - root.index),
        budget_(smaller_limit(device.options_.instruction_budget,
                              instructions_in(device.options_.time_limit,
                                              device.options_.profile.throughput.issue))) {}

  void run_all(const LaunchRequest& request, std::uint32_t resident) {
    Ran ran = device_.run(root_, request, resident, *this, {.budget = left(), .launched = &grids_});
    charge(ran.result, request);
    const double seconds = ran.time.seconds;
    GridOutcome outcome = outcome_of(request, ran);
    const Timeline::Interval alone =
        device_.timeline_.place_launch(request.stream, seconds, launch_cost(), outcome.share);
    outcome.start = device_.options_.profile.launch_seconds;
    const std::size_t record = device_.log(root_, request, ran, alone.start, alone.seconds, {});
    if (outcome.failed || outcome.work.empty()) return;
    outcome.order = add_grid(root_, request, {}, 0);
    begin_ = alone.start;
    records_.push_back({record, seconds, &root_, 0});
    const DeviceProfile& profile = device_.options_.profile;
    LaunchTree tree(*this,
                    {.call = profile.latency.device_launch / profile.clock_hz,
                     .start = profile.device_launch_start,
                     .follow = profile.launch_seconds,
                     .interval = profile.device_launch_interval},
                    device_.options_.schedule_seed);
    const double end = tree.run(std::move(outcome), 0);
    device_.timeline_.place(request.stream, Engine::compute, end - seconds);
  }

  // What kernels ask.

  int check_launch(std::size_t index, const Dim3& grid, const Dim3& block,
                   std::uint64_t dynamic_shared) override {
    const LaunchRequest request = request_of(index, grid, block, dynamic_shared);
    const Kernel& used = device_.kernel(request.kernel);
    try {
      device_.check_shape(used, request);
      device_.fitting_blocks(used, request);
    } catch (const DeviceError& error) {
      // What the host is told is an invalid value.
      return error.code() == error_invalid_value ? error_invalid_configuration : error.code();
    }
    return 0;
  }

  std::uint32_t resident_blocks(std::size_t index, std::uint32_t threads,
                                std::uint64_t dynamic_shared) override {
    return device_.resident_blocks(first_ + index, threads, dynamic_shared);
  }

  KernelInfo kernel_info(std::size_t index) override { return device_.kernel(first_ + index).info; }

  DeviceProperties properties() override { return device_.properties(); }

  std::uint64_t pending_launches() override { return device_.pending_launches_; }
  std::uint64_t printed_bytes() override { return device_.printed_.capacity(); }

  // What they launch.

  const LaunchOrder& order() const override { return grids_.order; }

  GridOutcome run(const DeviceWork& work, const GridClock& before, double start,
                  std::uint64_t parent, std::uint64_t& token) override {
    LaunchRequest request = request_of(work.kernel, work.grid, work.shape, work.dynamic_shared);
    request.arguments = work.arguments;
    const Kernel& used = device_.kernel(request.kernel);
    const std::string& launched_by = records_.at(parent).kernel->demangled;
    const auto order = add_grid(used, request, work, records_.at(parent).order);
    Ran ran = device_.run(used, request, device_.fitting_blocks(used, request), *this,
                          {.budget = left(),
                           .launched = order ? &grids_ : nullptr,
                           .launched_as = order.value_or(0),
                           .before = order ? before : GridClock()});
    charge(ran.result, request);
    for (Finding& finding : ran.result.findings) {
      finding.message +=
          fmt::format(" The grid was launched by thread {} of block {} of {}{}.",
                      index_text(work.by_thread), index_text(work.by_block), launched_by,
                      work.line != 0 ? fmt::format(" in line {}", work.line) : "");
    }
    GridOutcome outcome = outcome_of(request, ran);
    outcome.order = order;
    const std::size_t record =
        device_.log(used, request, ran, begin_ + start, outcome.seconds, launched_by);
    token = records_.size();
    records_.push_back({record, outcome.seconds, &used, order.value_or(0)});
    return outcome;
  }

  TransferOutcome transfer(const DeviceWork& work, const GridClock& before,
                           std::uint64_t parent) override {
    const Record& record = records_.at(parent);
    const auto order = add_transfer(work, record);
    if (order) check_transfer(work, *order, before, record);
    return {.seconds = transfer(work), .order = order};
  }

  /// Seconds that it takes; negative when it failed.
  double transfer(const DeviceWork& work) {
    const bool copies = work.kind == DeviceWork::Kind::copy;
    GlobalMemory& memory = device_.memory_;
    if (budget_ != 0 && used_ >= budget_) {
      device_.stick(error_launch_timeout,
                    "the copies and fills that kernels asked for take more than the limit of " +
                        std::to_string(budget_) + " warp instructions");
      return -1;
    }
    for (std::uint64_t z = 0; z < work.depth; ++z) {
      for (std::uint64_t y = 0; y < work.height; ++y) {
        const DeviceAddress to = work.to + z * work.to_slice + y * work.to_pitch;
        const DeviceAddress from = work.from + z * work.from_slice + y * work.from_pitch;
        if (!memory.contains(to, work.width) || (copies && !memory.contains(from, work.width))) {
          // It was there when the kernel asked for the copy.
          device_.stick(error_illegal_address,
                        "a kernel released memory that a copy of its own still had to use");
          return -1;
        }
        if (copies) {
          std::memmove(memory.host(to), memory.host(from), work.width);
          memory.initialised().copy(to - GlobalMemory::base, from - GlobalMemory::base, work.width);
          device_.touch(from, work.width, false);
        } else {
          std::memset(memory.host(to), work.value, work.width);
          memory.initialised().set(to - GlobalMemory::base, work.width);
        }
        device_.touch(to, work.width, true);
      }
    }
    const Throughputs& rate = device_.options_.profile.throughput;
    const auto bytes = work.width * work.height * work.depth;
    if (copies) device_.log_.activity().device_to_device_bytes += bytes;
    return static_cast<double>(bytes) * (1 / rate.dram_write + (copies ? 1 / rate.dram_read : 0.0));
  }

  void finish(std::uint64_t token, double seconds) override {
    const Record& record = records_.at(token);
    device_.log_.extend(record.number, std::max(0.0, seconds - record.seconds));
  }

 private:
  struct Record {
    std::size_t number = 0;  ///< in the log
    double seconds = 0;      ///< of the grid alone
    const Kernel* kernel = nullptr;
    LaunchOrder::Grid order = 0;
  };

  /// The number of a grid that runs next, so that races with other grids are looked for. Nothing where
  /// they are not, and from then on.
  std::optional<LaunchOrder::Grid> add_grid(const Kernel& used, const LaunchRequest& request,
                                            const DeviceWork& work, LaunchOrder::Grid parent) {
    return add_grid({used.program.get(), used.index, request.grid, request.block, work.by_thread,
                     work.by_block, work.line},
                    work, parent);
  }
  std::optional<LaunchOrder::Grid> add_grid(const LaunchedGrid& launched, const DeviceWork& work,
                                            LaunchOrder::Grid parent) {
    if (!grids_.races) return std::nullopt;
    const std::uint64_t blocks =
        launched.what == LaunchedGrid::What::grid ? launched.grid.count() : 1;
    const auto grid = grids_.order.add(blocks, parent, work.stream == tail_stream);
    if (!grid || GridClock::pieces() >= most_pieces) {
      grids_.races.reset();
      return std::nullopt;
    }
    grids_.grids.push_back(launched);
    return grid;
  }

  /// A copy or fill is a grid of one block, whose one instruction is the call in the kernel that asked for it.
  std::optional<LaunchOrder::Grid> add_transfer(const DeviceWork& work, const Record& asker) {
    if (!grids_.races) return std::nullopt;
    LaunchedGrid launched = grids_.grids.at(asker.order);
    launched.by_thread = work.by_thread;
    launched.by_block = work.by_block;
    launched.line = work.line;
    launched.what =
        work.kind == DeviceWork::Kind::copy ? LaunchedGrid::What::copy : LaunchedGrid::What::fill;
    return add_grid(launched, work, asker.order);
  }

  /// Holds what it is about to read and write against what other grids of the tree did.
  void check_transfer(const DeviceWork& work, LaunchOrder::Grid order, const GridClock& before,
                      const Record& asker) {
    const LaunchedGrid& launched = grids_.grids.at(order);
    const KernelCode& kernel = launched.program->kernels[launched.kernel];
    const GlobalMemory& memory = device_.memory_;
    const PlaceNames names(*launched.program, kernel, memory, launched.grid, launched.block, 0);
    FindingLog findings(kernel, memory, device_.options_.checks, names, 0);
    findings.set_launched(grids_);
    grids_.races->begin_grid(grids_.order, order, before, kernel.code.size(), findings,
                             kernel.different_atomics());
    TransferAccesses accesses(*grids_.races, work.instruction);
    const bool copies = work.kind == DeviceWork::Kind::copy;
    for_each_row(work, [&](DeviceAddress, DeviceAddress from) {
      if (copies && memory.contains(from, work.width)) accesses.read(from, work.width);
    });
    accesses.begin_to_write();
    for_each_row(work, [&](DeviceAddress to, DeviceAddress from) {
      if (!memory.contains(to, work.width)) return;
      if (copies && !memory.contains(from, work.width)) return;
      accesses.write(to, work.width, [&](std::uint64_t offset, std::uint32_t bytes) {
        const std::byte* const there = memory.host(to + offset);
        if (copies) return std::memcmp(there, memory.host(from + offset), bytes) == 0;
        return std::all_of(there, there + bytes,
                           [&](std::byte byte) { return byte == std::byte{work.value}; });
      });
    });
    for (Finding& finding : findings.take().findings) {
      if (device_.options_.on_late_finding) device_.options_.on_late_finding(finding);
      device_.log_.add_late(asker.number, std::move(finding));
    }
  }

  /// Calls use(target, source) with where each row begins.
  template <class Use>
  static void for_each_row(const DeviceWork& work, Use use) {
    for (std::uint64_t z = 0; z < work.depth; ++z) {
      for (std::uint64_t y = 0; y < work.height; ++y) {
        use(work.to + z * work.to_slice + y * work.to_pitch,
            work.from + z * work.from_slice + y * work.from_pitch);
      }
    }
  }

  LaunchRequest request_of(std::size_t index, const Dim3& grid, const Dim3& block,
                           std::uint64_t dynamic_shared) const {
    LaunchRequest request;
    request.kernel = first_ + index;
    request.grid = grid;
    request.block = block;
    request.dynamic_shared = dynamic_shared;
    return request;
  }

  GridOutcome outcome_of(const LaunchRequest& request, Ran& ran) const {
    const DeviceProfile& profile = device_.options_.profile;
    GridOutcome outcome;
    outcome.seconds = std::max(0.0, ran.time.seconds - profile.launch_seconds);
    outcome.blocks = request.grid.count();
    outcome.block_cycles = ran.result.block_latency_cycles;
    outcome.round_blocks =
        static_cast<double>(std::uint64_t{ran.resident} * profile.properties.multiprocessors);
    // As many of the places for blocks as it has blocks for, or more of what it uses most.
    outcome.share = static_cast<double>(outcome.blocks) / outcome.round_blocks;
    outcome.share = std::min(std::max(outcome.share, ran.time.share), 1.0);
    outcome.failed = ran.result.error != 0;
    outcome.work = std::move(ran.result.work);
    return outcome;
  }

  void charge(const GridResult& result, const LaunchRequest& request) {
    used_ += result.counters.warp_instructions + request.grid.count();
    for (const DeviceWork& work : result.work) {
      const std::uint64_t rows = work.height * work.depth;
      used_ += launch_charge * (1 + work.arguments.size() / charged_argument_bytes);
      if (work.kind == DeviceWork::Kind::copy || work.kind == DeviceWork::Kind::fill) {
        used_ += rows * (charged_per_row + work.width / charged_bytes);
      }
    }
  }

  /// Of the instruction budget; 0: there is none.
  std::uint64_t left() const {
    if (budget_ == 0) return 0;
    return used_ < budget_ ? budget_ - used_ : 1;
  }

  Timeline::LaunchCost launch_cost() const {
    const DeviceProfile& profile = device_.options_.profile;
    return {.host_seconds = profile.host_launch_seconds,
            .prepared_seconds = profile.launch_seconds - profile.following_launch_seconds};
  }

  LocalDevice& device_;
  const Kernel& root_;
  KernelId first_;  ///< of the program's kernels
  std::uint64_t budget_, used_ = 0;
  double begin_ = 0;  ///< of the root, on the device's timeline
  std::vector<Record> records_;
  LaunchedGrids grids_;
};

LocalDevice::Ran LocalDevice::run(const Kernel& used, const LaunchRequest& request,
                                  std::uint32_t resident, Children& children, const InTree& tree) {
  GridRequest grid;
  grid.program = used.program.get();
  grid.kernel = used.index;
  grid.grid = request.grid;
  grid.block = request.block;
  grid.dynamic_shared = request.dynamic_shared;
  grid.cooperative = request.cooperative;
  grid.arguments = request.arguments;
  grid.resident_blocks = resident * options_.profile.properties.multiprocessors;
  grid.multiprocessors = options_.profile.properties.multiprocessors;
  grid.schedule_seed = options_.schedule_seed;
  grid.issue_rate = issue_rate(options_.profile, request.grid, request.block);
  grid.instruction_budget =
      smaller_limit(tree.budget, instructions_in(options_.time_limit, grid.issue_rate));
  grid.limit_advice = options_.limit_advice;
  const MultiprocessorLimits& limits = options_.profile.limits;
  const std::uint64_t shared = used.info.static_shared + request.dynamic_shared;
  grid.l1_bytes =
      l1_share(limits, resident, shared,
               (request.grid.count() + grid.multiprocessors - 1) / grid.multiprocessors);
  grid.latencies = options_.profile.latency;
  grid.clock_hz = options_.profile.clock_hz;
  grid.start_seconds = timeline_.idle();
  grid.checks = options_.checks;
  grid.race_pages = &race_pages_;
  grid.cache = &used.cache;
  grid.heap = &heap_;
  grid.printed = &printed_;
  grid.device_runtime = &children;
  grid.launched = tree.launched;
  grid.launched_as = tree.launched_as;
  grid.before = tree.before;
  grid.textures = &textures_;
  if (options_.trace) grid.recorder = &options_.trace->recorder();
  Ran ran;
  ran.resident = resident;
  try {
    ran.result = run_grid(grid, memory_, l2_);
  } catch (const Unsupported& error) {
    // Half of the kernel's work is done: nothing that follows can be right.
    refuse(error.what(), true);
  }
  if (options_.trace) options_.trace->end_launch(used.demangled, request);
  const LaunchShape shape{.blocks = request.grid.count(),
                          .block_threads = static_cast<std::uint32_t>(request.block.count()),
                          .resident_blocks = resident};
  ran.time = estimate(options_.profile, shape, ran.result);
  return ran;
}

void LocalDevice::launch_with_children(const Kernel& used, const LaunchRequest& request,
                                       std::uint32_t resident) {
  Children(*this, used, request.kernel).run_all(request, resident);
}

}  // namespace gridstride::sim
