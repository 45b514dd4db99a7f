// A runner that is told to fill, to call, to measure and to read.
#include "grader/judge/runners/claimed_session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "grader/judge/runners/argument_memory.h"
#include "grader/runner/arguments.h"

namespace gridstride {
namespace {

/// A kernel that writes past an output hits these.
constexpr std::uint64_t guard_band = 4096;

}  // namespace

ClaimedSession::ClaimedSession(const SessionOptions& options) {
  RunnerOptions runner;
  runner.installation = options.installation;
  runner.gpu = true;
  runner.libraries = {options.library};
  runner.clock = options.clock;
  runner_ = std::make_unique<RunnerClient>(runner);
  runner_->load_stage(options.library, options.function, options.arguments);
}

void ClaimedSession::prepare(const Call& call) {
  allocations_.clear();
  fillers_.clear();
  for (const CallArgument& argument : call.arguments) {
    allocations_.push_back(allocation_for(argument, guard_band));
    fillers_.push_back(filler_of(argument));
  }
  runner_->allocate(allocations_);
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].info.kind != ArgumentKind::input) continue;
    if (allocations_[i].total() != 0) runner_->fill(i, static_cast<std::uint8_t>(poison));
    runner_->write(i, allocations_[i].data_begin(), call.arguments[i].data());
  }
}

void ClaimedSession::refill(const Call& call) {
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    const bool output = argument.info.kind == ArgumentKind::output;
    if (!output && argument.info.kind != ArgumentKind::scratch) continue;
    if (allocations_[i].total() != 0) runner_->fill(i, static_cast<std::uint8_t>(fillers_[i]));
    if (output) runner_->write(i, allocations_[i].data_begin(), argument.data());
  }
}

CallResult ClaimedSession::run(const Call& call, Seconds limit) {
  CallResult result;
  try {
    refill(call);
    runner_->call(limit);
    verify(call, result);
    return result;
  } catch (const RunnerError& error) {
    CallResult failed;
    failed.said = runner_->stop();
    failed.error = error;
    return failed;
  }
}

void ClaimedSession::verify(const Call& call, CallResult& result) {
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

void ClaimedSession::verify_output(const CallArgument& argument, std::size_t index,
                                   CallResult& result) {
  const protocol::Allocation& allocation = allocations_[index];
  const auto all = runner_->read(static_cast<std::uint32_t>(index), 0, allocation.total());
  const std::span bytes(all);
  const auto before = bytes.first(allocation.data_begin());
  const auto data = bytes.subspan(allocation.data_begin(), allocation.bytes);
  const auto after = bytes.subspan(allocation.data_begin() + allocation.bytes);
  const std::byte filler = fillers_[index];
  const GuardDamage damage{index, changed(before, filler), changed(after, filler)};
  if (damage.before != 0 || damage.after != 0) result.damage.push_back(damage);
  result.untouched &= is_untouched(argument, data, filler);
  result.outputs[index].assign(data.begin(), data.end());
}

void ClaimedSession::verify_input(const CallArgument& argument, std::size_t index,
                                  CallResult& result) {
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

void ClaimedSession::apply(const Call& call, const Redraw& redraw) {
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

protocol::Timing ClaimedSession::time(std::uint64_t flush_bytes, std::uint32_t launches,
                                      Seconds limit) {
  return runner_->time(flush_bytes, launches, limit);
}

CallResult ClaimedSession::outputs(const Call& call) {
  CallResult result;
  result.outputs.resize(call.arguments.size());
  result.untouched = true;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    if (argument.info.kind != ArgumentKind::output) continue;
    result.outputs[i] = runner_->read(static_cast<std::uint32_t>(i), allocations_[i].data_begin(),
                                      allocations_[i].bytes);
    result.untouched &= is_untouched(argument, result.outputs[i], fillers_[i]);
  }
  return result;
}

CallResult ClaimedSession::inspect(const Call& call) {
  CallResult result;
  verify(call, result);
  return result;
}

}  // namespace gridstride
