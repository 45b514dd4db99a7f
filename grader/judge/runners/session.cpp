// Device memory around a call: sentinels, guard bands, inputs that must not change.
#include "grader/judge/runners/session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gridstride {
namespace {

/// On a real device a kernel that writes past an output hits these. The simulated device sees every
/// access, so there the allocations are exact.
constexpr std::uint64_t guard_band = 4096;

/// For the library's constructors.
constexpr Session::Seconds load_limit{20};

/// Beside inputs, which are NaN as floating point: what reads past the end does not get away with
/// it.
constexpr std::byte poison{0xff};

/// A byte that fills an output with wrong elements only. Not the poison, if that can be helped:
/// what was read past an input's end and written would look as if nothing had been written.
std::byte sentinel_for(const CallArgument& argument) {
  if (!argument.check || argument.count == 0) return poison;
  std::byte best = poison;
  std::uint64_t most = 0;
  for (const std::byte candidate : {std::byte{0xa5}, std::byte{0x5b}, std::byte{0xc6}, poison}) {
    const std::vector<std::byte> filled(argument.bytes(), candidate);
    const std::uint64_t wrong = argument.check->compare(filled).count;
    if (wrong == argument.count) return candidate;
    if (wrong > most) most = wrong, best = candidate;
  }
  return best;
}

/// How many of the bytes are not `filler`.
std::uint64_t changed(std::span<const std::byte> bytes, std::byte filler) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(bytes, [filler](std::byte byte) { return byte != filler; }));
}

bool is_untouched(const CallArgument& output, std::span<const std::byte> data, std::byte filler) {
  return output.data().empty() ? changed(data, filler) == 0
                               : std::ranges::equal(data, output.data());
}

bool has_memory(const CallArgument& argument) {
  return argument.info.kind != ArgumentKind::scalar && argument.info.kind != ArgumentKind::stream;
}

}  // namespace

Session::Session(const SessionOptions& options) : guard_bytes_(options.gpu ? guard_band : 0) {
  RunnerOptions runner;
  runner.installation = options.installation;
  runner.gpu = options.gpu;
  runner.libraries = {options.library};
  runner.clock = options.clock;
  if (!options.gpu) {
    sim::DeviceProcessOptions device;
    device.program = need(options.installation->device, "gridstride-device");
    device.profile = options.installation->profile;
    device.schedule_seed = options.schedule_seed;
    device.instruction_budget = options.instruction_budget;
    try {
      device_.emplace(device);
    } catch (const sim::DeviceProcessError& error) {
      throw CannotGrade(
          std::string("The simulated GPU does not start: ") + error.what() +
          ". Repair: `./lab doctor` looks at the machine; then run the command again.");
    }
    runner.device_socket = device_->client_fd();
  }
  runner_ = std::make_unique<RunnerClient>(runner);
  if (device_) device_->close_client();
  const auto arguments = runner_->load(options.library, options.function, load_limit);
  const bool same = std::ranges::equal(
      arguments, options.arguments, [](const ArgumentInfo& a, const ArgumentInfo& b) {
        return a.kind == b.kind && a.element_bytes == b.element_bytes;
      });
  if (!same)
    throw RunnerError(RunnerError::Kind::not_loaded,
                      options.function +
                          "() in the library has other parameters than the "
                          "contract: build the stage again");
}

protocol::Allocation allocation_for(const CallArgument& argument, std::uint64_t guard_bytes) {
  protocol::Allocation allocation;
  allocation.kind = argument.info.kind;
  allocation.name = argument.name;
  if (argument.info.kind == ArgumentKind::scalar) {
    const auto value = argument.data();
    allocation.value.assign(value.begin(), value.end());
  } else if (has_memory(argument)) {
    allocation.bytes = argument.bytes();
    allocation.offset_bytes = argument.offset * argument.element_bytes();
    allocation.guard_bytes = guard_bytes;
  }
  return allocation;
}

void Session::prepare(const Call& call) {
  allocations_.clear();
  sentinels_.clear();
  for (const CallArgument& argument : call.arguments) {
    allocations_.push_back(allocation_for(argument, guard_bytes_));
    sentinels_.push_back(argument.info.kind == ArgumentKind::output ? sentinel_for(argument)
                                                                    : poison);
  }
  runner_->allocate(allocations_);
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].info.kind != ArgumentKind::input) continue;
    if (allocations_[i].total() != 0) runner_->fill(i, static_cast<std::uint8_t>(poison));
    runner_->write(i, allocations_[i].data_begin(), call.arguments[i].data());
  }
}

void Session::refill(const Call& call) {
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    const bool output = argument.info.kind == ArgumentKind::output;
    if (!output && argument.info.kind != ArgumentKind::scratch) continue;
    if (allocations_[i].total() != 0) runner_->fill(i, static_cast<std::uint8_t>(sentinels_[i]));
    if (output) runner_->write(i, allocations_[i].data_begin(), argument.data());
  }
}

CallResult Session::run(const Call& call, Seconds limit, bool cold) {
  CallResult result;
  try {
    refill(call);
    if (device_) device_->mark(cold);
    runner_->call(limit);
    if (device_) result.activity = device_->activity();
    verify(call, result);
    return result;
  } catch (const RunnerError& error) {
    return failed(error);
  }
}

/// What the simulated device saw is worth more than the error it led to. After a timeout it is
/// still busy with the kernel and would not answer.
CallResult Session::failed(RunnerError error) {
  CallResult result;
  if (device_ && error.kind() != RunnerError::Kind::timed_out) {
    try {
      result.activity = device_->activity();
    } catch (const sim::DeviceProcessError&) {
      // Died with the runner; the error tells enough.
    }
  }
  result.said = runner_->stop();
  result.error = std::move(error);
  if (device_) device_->kill();
  return result;
}

void Session::verify(const Call& call, CallResult& result) {
  result.outputs.resize(call.arguments.size());
  result.untouched = true;
  bool any = false;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    if (argument.info.kind == ArgumentKind::output) {
      verify_output(argument, i, result);
      any |= argument.count != 0;
    } else if (argument.info.kind == ArgumentKind::input) {
      verify_input(argument, i, result);
    }
  }
  result.untouched &= any;
}

void Session::verify_output(const CallArgument& argument, std::size_t index, CallResult& result) {
  const protocol::Allocation& allocation = allocations_[index];
  const auto all = runner_->read(static_cast<std::uint32_t>(index), 0, allocation.total());
  const std::span bytes(all);
  const auto before = bytes.first(allocation.data_begin());
  const auto data = bytes.subspan(allocation.data_begin(), allocation.bytes);
  const auto after = bytes.subspan(allocation.data_begin() + allocation.bytes);
  const std::byte filler = sentinels_[index];
  const GuardDamage damage{index, changed(before, filler), changed(after, filler)};
  if (damage.before != 0 || damage.after != 0) result.damage.push_back(damage);
  result.untouched &= argument.data().empty() ? changed(data, filler) == 0
                                              : std::ranges::equal(data, argument.data());
  result.outputs[index].assign(data.begin(), data.end());
}

void Session::verify_input(const CallArgument& argument, std::size_t index, CallResult& result) {
  const protocol::Allocation& allocation = allocations_[index];
  const std::uint64_t data_end = allocation.data_begin() + allocation.bytes;
  GuardDamage damage{index, 0, 0};
  // In pieces: the inputs of a timed call may take a gigabyte.
  for (std::uint64_t at = 0; at < allocation.total();) {
    std::uint64_t end = std::min<std::uint64_t>(at + protocol::max_bulk_bytes, allocation.total());
    for (const std::uint64_t border : {allocation.data_begin(), data_end}) {
      if (at < border) end = std::min(end, border);
    }
    const auto piece = runner_->read(static_cast<std::uint32_t>(index), at, end - at);
    if (at < allocation.data_begin()) {
      damage.before += changed(piece, poison);
    } else if (at >= data_end) {
      damage.after += changed(piece, poison);
    } else {
      const auto given = argument.data().subspan(at - allocation.data_begin(), piece.size());
      if (std::memcmp(piece.data(), given.data(), piece.size()) != 0) {
        const auto differs = std::ranges::mismatch(piece, given).in1 - piece.begin();
        const std::uint64_t byte =
            at - allocation.data_begin() + static_cast<std::uint64_t>(differs);
        result.changed_inputs.push_back({index, byte / argument.element_bytes()});
        break;
      }
    }
    at = end;
  }
  if (damage.before != 0 || damage.after != 0) result.damage.push_back(damage);
}

void Session::apply(const Call& call, const Redraw& redraw) {
  for (const Redraw::Patch& patch : redraw.patches) {
    const CallArgument& argument = call.arguments.at(patch.parameter);
    const std::uint64_t begin = patch.index * patch.element_bytes;
    if (argument.info.kind != ArgumentKind::input ||
        patch.element_bytes != argument.element_bytes() ||
        begin + patch.bytes.size() > argument.bytes())
      throw std::logic_error("a redraw writes something else than elements of an input");
    runner_->write(static_cast<std::uint32_t>(patch.parameter),
                   allocations_[patch.parameter].data_begin() + begin, patch.bytes);
  }
  refill(call);
}

protocol::Timing Session::time(std::uint64_t flush_bytes, std::uint32_t launches, Seconds limit) {
  return runner_->time(flush_bytes, launches, limit);
}

CallResult Session::outputs(const Call& call) {
  CallResult result;
  result.outputs.resize(call.arguments.size());
  result.untouched = true;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    if (argument.info.kind != ArgumentKind::output) continue;
    result.outputs[i] = runner_->read(static_cast<std::uint32_t>(i), allocations_[i].data_begin(),
                                      allocations_[i].bytes);
    result.untouched &= is_untouched(argument, result.outputs[i], sentinels_[i]);
  }
  return result;
}

CallResult Session::inspect(const Call& call) {
  CallResult result;
  verify(call, result);
  return result;
}

}  // namespace gridstride
