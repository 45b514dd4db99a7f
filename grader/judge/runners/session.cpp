// Inputs and clock, begun and ended in one step each.
#include "grader/judge/runners/session.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/error_texts.h"
#include "grader/judge/runners/argument_memory.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/runner/arguments.h"

namespace gridstride {
namespace {

using Kind = RunnerError::Kind;

// CUDA's error codes of a machine that has no GPU.
constexpr int cuda_insufficient_driver = 35, cuda_no_device = 100;

/// Around each argument on a real GPU. The simulated one sees every access, so guard bands would
/// show nothing that it does not.
constexpr std::uint64_t guard_band = 4096;

/// For one request. Starting the driver takes seconds on a machine with many GPUs, and gigabytes of
/// inputs take their time.
constexpr std::chrono::seconds gpu_timeout{30};

sim::DeviceProcess started(const SessionOptions& options) {
  if (options.started && options.started->alive()) return std::move(*options.started);
  try {
    return sim::DeviceProcess(device_options(options));
  } catch (const sim::DeviceLinkLost&) {
    throw;
  } catch (const sim::DeviceProcessError& error) {
    throw CannotGrade(std::string(options.gpu ? "The GPU" : "The simulated GPU") +
                      " does not start: " + error.what() +
                      ". Repair: `./lab doctor` looks at the machine; then run the command again.");
  }
}

/// The stage's code runs in the runner: what the runner says of itself may be the stage's words, and
/// what keeps it from its work is the stage's doing.
RunnerError as_the_stages(const RunnerError& error) {
  if (error.kind() == Kind::refused)
    return {Kind::ended,
            std::string("the process in which the stage runs failed: ") + error.what()};
  const bool no_gpu = error.code() == cuda_insufficient_driver || error.code() == cuda_no_device;
  if (error.kind() == Kind::cuda && no_gpu)
    return {
        Kind::forged,
        std::string("the stage claims an error that this device does not have: ") + error.what()};
  return error;
}

RunnerError cuda_error(int code, const std::string& when) {
  return {Kind::cuda,
          std::string(sim::error_name(code)) + " (" + sim::error_description(code) + ") " + when,
          code};
}

RunnerError busy(const std::string& when) {
  return {Kind::timed_out, "the device was still busy with work of the stage " + when};
}

}  // namespace

sim::DeviceProcessOptions device_options(const SessionOptions& options) {
  const Installation& installation = *options.installation;
  sim::DeviceProcessOptions device;
  if (options.gpu) {
    device.program = need(installation.gpu_device, "gridstride-gpu-device");
    device.timeout = gpu_timeout;
  } else {
    device.program = need(installation.device, "gridstride-device");
    device.profile = installation.profile;
  }
  if (installation.host) {
    device.launcher = installation.host->launcher();
    device.host = installation.host->name();
    device.timeout *= link_patience;
  }
  device.schedule_seed = options.schedule_seed;
  device.instruction_budget = options.instruction_budget;
  device.trace = options.trace;
  return device;
}

Session::Session(const SessionOptions& options) : options_(options), device_(started(options)) {}

void Session::load() {
  RunnerOptions runner;
  runner.installation = options_.installation;
  runner.libraries = {options_.library};
  runner.clock = options_.clock;
  runner.device_socket = device_.client_fd();
  runner_ = std::make_unique<RunnerClient>(runner);
  device_.close_client();
  try {
    runner_->load_stage(options_.library, options_.function, options_.arguments);
    runner_->start();
  } catch (const RunnerError& error) {
    device_.check_link();
    throw as_the_stages(error);
  }
  usable_ = true;
}

void Session::prepare(const Call& call) {
  allocations_.clear();
  regions_.clear();
  shared_bytes_ = 0;
  const auto share = [this](std::uint64_t bytes) {
    constexpr std::uint64_t line = 64;
    return std::exchange(shared_bytes_, (shared_bytes_ + bytes + line - 1) / line * line);
  };
  const bool is_absent = std::ranges::any_of(call.arguments, &CallArgument::absent);
  for (const CallArgument& argument : call.arguments) {
    const Allocation allocation = allocation_for(argument, options_.gpu ? guard_band : 0);
    sim::CallRegion region;
    region.before = allocation.data_begin();
    region.bytes = allocation.bytes;
    region.after = allocation.guard_bytes;
    region.filler = static_cast<std::uint8_t>(filler_of(argument));
    region.constant = argument.info.kind == ArgumentKind::input;
    if (allocation.value.empty() && !argument.data().empty()) region.contents = share(region.bytes);
    if (argument.info.kind == ArgumentKind::output && !argument.absent)
      region.result = share(region.bytes);
    region.absent = argument.absent || (is_absent && argument.info.kind == ArgumentKind::scratch);
    region.elements = argument.count;
    region.constant &= !region.absent;
    region.maker = "by the grader";
    if (!argument.name.empty()) region.maker += " for the argument " + argument.name;
    allocations_.push_back(allocation);
    regions_.push_back(std::move(region));
  }
  const auto shared = device_.share(shared_bytes_);
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (!regions_[i].contents) continue;
    std::ranges::copy(call.arguments[i].data(), shared.subspan(*regions_[i].contents).begin());
  }
}

void Session::apply(const Call& call, const Redraw& redraw) {
  const auto shared = device_.share(shared_bytes_);
  for (const Redraw::Patch& patch : redraw.patches) {
    const CallArgument& argument = call.arguments.at(patch.parameter);
    const std::uint64_t begin = patch.index * patch.element_bytes;
    if (argument.info.kind != ArgumentKind::input ||
        patch.element_bytes != argument.element_bytes() ||
        begin + patch.bytes.size() > argument.bytes())
      throw std::logic_error("a redraw writes something else than elements of an input");
    if (patch.bytes.empty()) continue;
    std::ranges::copy(patch.bytes,
                      shared.subspan(*regions_[patch.parameter].contents + begin).begin());
  }
}

std::vector<protocol::Argument> Session::begin(Look look) {
  std::vector<sim::CallRegion> regions = regions_;
  for (sim::CallRegion& region : regions) {
    region.constant &= look.inputs;
    if (!look.outputs) region.result.reset();
  }
  std::vector<protocol::Argument> arguments;
  const OnTheClock waiting(options_.clock.get(), device_.pid());
  try {
    const auto addresses = device_.begin_call(regions);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const Allocation& allocation = allocations_[i];
      arguments.push_back({allocation.kind, addresses[i], allocation.bytes, allocation.value});
    }
  } catch (const sim::DeviceProcessTimeout&) {
    throw busy("that it began before the call");
  } catch (const sim::DeviceProcessRefused& error) {
    const bool memory = error.code() == sim::error_memory_allocation;
    throw RunnerError(Kind::cuda,
                      memory ? std::string("cudaErrorMemoryAllocation (") + error.what() +
                                   ") while memory was being allocated"
                             : std::string(sim::error_name(error.code())) + " (" + error.what() +
                                   ") before the call",
                      error.code());
  }
  return arguments;
}

sim::CallReport Session::end() {
  const OnTheClock waiting(options_.clock.get(), device_.pid());
  try {
    return device_.end_call();
  } catch (const sim::DeviceProcessTimeout&) {
    throw busy("after the call had returned");
  } catch (const sim::DeviceProcessRefused& error) {
    throw cuda_error(error.code(), "during the call");
  }
}

Session::Called Session::call(Seconds limit, Look look) {
  usable_ = false;
  try {
    const std::vector<protocol::Argument> arguments = begin(look);
    runner_->call(arguments, limit, device_.pid());
    Called called{end(), {}};
    usable_ = true;
    return called;
  } catch (const RunnerError& error) {
    return {{}, failed(as_the_stages(error))};
  }
}

/// What the device saw is worth more than the error it led to. After a timeout it is most likely still
/// busy with the kernel and would not answer.
CallResult Session::failed(const RunnerError& error) {
  CallResult result;
  device_.check_link();  // the stage cannot help what it meets without a device
  if (error.kind() != Kind::timed_out || options_.look_after_timeout) {
    const OnTheClock waiting(options_.clock.get(), device_.pid());
    try {
      result.activity = device_.end_call().activity;
    } catch (const sim::DeviceLinkLost&) {
      throw;
    } catch (const sim::DeviceProcessError&) {
      // Died with the runner; the error tells enough.
    }
  }
  give_up(error, result);
  return result;
}

void Session::give_up(const RunnerError& error, CallResult& result) {
  usable_ = false;
  result.said = runner_->stop();
  result.error = error;
  device_.kill();
}

CallResult Session::result(const Call& call, Called called, Look look) {
  if (called.failure.error) return std::move(called.failure);
  CallResult result;
  result.activity = std::move(called.report.activity);
  // Whatever the runner says, what the device could not do was not done.
  if (result.activity->error != 0) {
    give_up(cuda_error(result.activity->error, "during the call"), result);
    return result;
  }
  result.outputs.resize(call.arguments.size());
  bool any = false, same = true;
  const std::span<const std::byte> shared = device_.share(shared_bytes_);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    const sim::CallRegion& region = regions_[i];
    const sim::RegionState& state = called.report.regions.at(i);
    if (argument.info.kind != ArgumentKind::scratch && (state.before != 0 || state.after != 0))
      result.damage.push_back({i, state.before, state.after});
    if (state.changed)
      result.changed_inputs.push_back({i, *state.changed / argument.element_bytes()});
    if (!region.result || !look.outputs) continue;
    const auto bytes = shared.subspan(*region.result, region.bytes);
    same &= is_untouched(argument, bytes, std::byte{region.filler});
    any |= argument.count != 0;
    result.outputs[i].assign(bytes.begin(), bytes.end());
  }
  result.untouched = any && same;
  return result;
}

}  // namespace gridstride
