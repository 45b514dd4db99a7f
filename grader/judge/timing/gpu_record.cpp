// Clocks, reasons and processes, from looks to sentences.
#include "grader/judge/timing/gpu_record.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/text.h"
#include "grader/sandbox/process_tree.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

// nvmlClocksEventReasons…, bits of one number.
constexpr std::uint64_t power_cap = 0x4, hardware_slowdown = 0x8, software_thermal = 0x20,
                        hardware_thermal = 0x40, power_brake = 0x80;
/// Whatever the calls did, the GPU was not itself.
constexpr std::uint64_t disturbing =
    hardware_slowdown | software_thermal | hardware_thermal | power_brake;

/// How often of all looks a reason has to be seen: one look may meet a moment that is over.
constexpr double often = 0.1;

int median_clock(std::vector<int> values) {
  std::erase(values, 0);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<std::string> words_of(std::uint64_t reasons) {
  const std::pair<std::uint64_t, const char*> names[] = {
      {power_cap, "its power limit"},
      {hardware_slowdown, "a slowdown of the hardware"},
      {software_thermal | hardware_thermal, "heat"},
      {power_brake, "the power brake of its host"}};
  std::vector<std::string> words;
  for (const auto& [bits, name] : names)
    if ((reasons & bits) != 0) words.emplace_back(name);
  return words;
}

}  // namespace

int own_processes(const std::string& program) {
  return static_cast<int>(
      std::ranges::count_if(descendants(list_processes(), getpid()), [&](const ProcessInfo& one) {
        std::error_code unreadable;
        const fs::path link = fs::path("/proc") / std::to_string(one.id) / "exe";
        // One that has been replaced on disk since it was started ends in " (deleted)".
        return fs::read_symlink(link, unreadable).filename().string().starts_with(program);
      }));
}

void GpuRecord::look(std::vector<int>& clocks) {
  if (watch_ == nullptr) return;
  const GpuSample& sample = samples_.emplace_back(watch_->sample());
  clocks.push_back(sample.clock);
  // One that has just ended may still be listed, so what counts is the fewest.
  if (others_ != 0) {
    const int own =
        sample.own_processes ? *sample.own_processes : own_processes("gridstride-gpu-device");
    const int others = std::max(0, sample.processes - own);
    others_ = std::min(others_.value_or(others), others);
  }
}

void GpuRecord::after_stage() { look(stage_clocks_); }
void GpuRecord::after_baseline() { look(baseline_clocks_); }

std::optional<GpuConditions> GpuRecord::conditions() const {
  if (samples_.empty()) return std::nullopt;
  GpuConditions out;
  std::uint64_t seen = 0;
  for (std::uint64_t bit = 1; bit <= power_brake; bit <<= 1) {
    const auto times = std::ranges::count_if(
        samples_, [bit](const GpuSample& sample) { return (sample.reasons & bit) != 0; });
    if (static_cast<double>(times) >= often * static_cast<double>(samples_.size())) seen |= bit;
  }
  out.throttled = words_of(seen);
  for (const GpuSample& sample : samples_) {
    if (sample.clock != 0 && (out.lowest_clock == 0 || sample.clock < out.lowest_clock))
      out.lowest_clock = sample.clock;
    out.highest_clock = std::max(out.highest_clock, sample.clock);
    out.memory_clock = std::max(out.memory_clock, sample.memory_clock);
    out.temperature = std::max(out.temperature, sample.temperature);
  }
  out.ecc = watch_->ecc();
  out.mig = watch_->mig();
  // A part of a divided GPU shares it with others by design.
  out.other_processes = out.mig ? 0 : others_.value_or(0);
  return out;
}

std::string GpuRecord::why_not_slow(double measured, double required) const {
  const auto seen = conditions();
  if (!seen) return {};
  if (seen->other_processes > 0) {
    const bool one = seen->other_processes == 1;
    return fmt::format("{} other {} this GPU during the timed calls. Grade again when {} ended.",
                       seen->other_processes, one ? "process used" : "processes used",
                       one ? "it has" : "they have");
  }
  std::uint64_t disturbed = 0;
  for (const GpuSample& sample : samples_) disturbed |= sample.reasons & disturbing;
  std::vector<std::string> reasons;
  for (const std::string& word : words_of(disturbed))
    if (std::ranges::find(seen->throttled, word) != seen->throttled.end()) reasons.push_back(word);
  if (!reasons.empty())
    return fmt::format(
        "The GPU's clock was held down by {} during the timed calls ({} to {} MHz, {} degrees "
        "Celsius). Grade again when it has recovered.",
        listed(reasons), seen->lowest_clock, seen->highest_clock, seen->temperature);
  // A limit on power holds down what works hardest. Where the difference between the two clocks could
  // be all that is missing, it is not the code that was slow.
  const int stage = median_clock(stage_clocks_), baseline = median_clock(baseline_clocks_);
  if (stage > 0 && baseline > stage && measured * baseline / stage >= required)
    return fmt::format(
        "The GPU's clock was at {} MHz during the stage's calls and at {} MHz during the "
        "baseline's: "
        "at the same clock it could be fast enough. Grade again when the GPU is cooler or its "
        "power "
        "limit higher.",
        stage, baseline);
  return {};
}

}  // namespace gridstride
