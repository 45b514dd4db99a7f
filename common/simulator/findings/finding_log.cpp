// What was found, and what of it is told.
#include "common/simulator/findings/finding_log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/simulator/analysis/value_uses.h"
#include "common/simulator/findings/diagnostic_text.h"

namespace gridstride::sim {
namespace {

/// Pairs of racing lines that are told apart; nobody reads more.
constexpr std::size_t most_findings = 100;

bool same_line(const SourcePosition& a, const SourcePosition& b) {
  return a.file == b.file && a.line == b.line;
}

}  // namespace

Finding FindingLog::finding(FindingKind kind, std::uint32_t instruction) const {
  Finding result;
  result.kind = kind;
  result.kernel = kernel_.name;
  result.where = names_.position(instruction);
  return result;
}

void FindingLog::stop(Finding what, int error) {
  end_ = std::move(what);
  error_ = error;
  throw GridStop{};
}

std::optional<Finding> FindingLog::new_finding(FindingKind kind, const Named& earlier,
                                               std::uint32_t now) {
  const bool one_kernel = earlier.kernel == &kernel_;
  const auto key =
      one_kernel ? std::minmax(earlier.instruction, now)
                 : std::pair<const std::uint32_t&, const std::uint32_t&>(earlier.instruction, now);
  const auto [it, is_new] =
      known_.try_emplace({kind, earlier.kernel, key.first, key.second}, findings_.size());
  if (!is_new) {
    ++findings_[it->second].occurrences;
    return std::nullopt;
  }
  // Several instructions of the same two lines are one mistake.
  const SourcePosition first = earlier.names->line_of(earlier.instruction);
  const SourcePosition second = names_.line_of(now);
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    Finding& known = findings_[i];
    const bool equal = known.kind == kind && known.where.line != 0 &&
                       ((same_line(known.where, second) && same_line(known.other, first)) ||
                        (same_line(known.where, first) && same_line(known.other, second)));
    if (!equal) continue;
    ++known.occurrences;
    it->second = i;
    return std::nullopt;
  }
  if (findings_.size() < most_findings) {
    Finding result = finding(kind, now);
    result.other = earlier.names->position(earlier.instruction);
    return result;
  }
  known_.erase(it);
  return std::nullopt;
}

std::uint32_t FindingLog::place_of(const ptx::Instruction* instruction) const {
  const auto origin = std::ranges::find(kernel_.origins, instruction, &Origin::instruction);
  return static_cast<std::uint32_t>(origin - kernel_.origins.begin());
}

NeededBytes FindingLog::needed(std::uint32_t index) {
  const auto [known, is_new] = needed_bytes_.try_emplace(index);
  const Origin& origin = kernel_.origins[index];
  if (is_new && origin.instruction) {
    const ptx::Function& function = *origin.function->function;
    known->second =
        needed_bytes(function, static_cast<std::size_t>(origin.instruction - function.body.data()));
  }
  return known->second;
}

bool FindingLog::uses_result(std::uint32_t index) {
  const auto [known, is_new] = uses_result_.try_emplace(index, true);
  if (is_new) {
    const Origin& origin = kernel_.origins[index];
    const ptx::Function& function = *origin.function->function;
    known->second = is_surely_used(
        function, static_cast<std::size_t>(origin.instruction - function.body.data()));
  }
  return known->second;
}

/// Barriers that not all threads have come to stand first: what they would have ordered is not.
/// Then races: who reads too early may read what is not there yet, and then that is no mistake of
/// its own.
void FindingLog::sort_findings() {
  const auto rank = [](const Finding& finding) {
    return finding.kind == FindingKind::skipped_barrier      ? 0
           : finding.kind == FindingKind::uninitialized_read ? 2
                                                             : 1;
  };
  const auto same = [](const SourcePosition& a, const SourcePosition& b) {
    return a.line == b.line && a.file == b.file;
  };
  std::vector<bool> left_out = blame_barriers();
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    if (rank(findings_[i]) != 2) continue;
    left_out[i] = std::ranges::any_of(findings_, [&](const Finding& race) {
      return rank(race) != 2 &&
             (same(race.where, findings_[i].where) || same(race.other, findings_[i].where));
    });
  }
  std::vector<Finding> kept;
  for (const int wanted : {0, 1, 2}) {
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (!left_out[i] && rank(findings_[i]) == wanted) kept.push_back(std::move(findings_[i]));
    }
  }
  findings_ = std::move(kept);
}

FindingLog::Ending FindingLog::take() {
  sort_findings();
  for (Finding& finding : findings_) finding.message += inlining_of(finding);
  for (UnwrittenCopy& copy : copies_) copy.finding.message += inlining_of(copy.finding);
  Ending ending{std::move(findings_), std::move(copies_), error_, {}};
  if (!end_) return ending;
  end_->message += inlining_of(*end_);
  if (checks_.looks_for(end_->kind)) {
    ending.reason = end_->message;
    // A mask that leaves out who waits is why nobody can go on.
    const bool first = end_->kind == FindingKind::barrier_divergence &&
                       std::ranges::none_of(ending.findings, [](const Finding& finding) {
                         return finding.kind == FindingKind::wrong_mask;
                       });
    ending.findings.insert(first ? ending.findings.begin() : ending.findings.end(),
                           std::move(*end_));
  } else {
    ending.reason = title_of(*end_) + ": " + end_->message;
  }
  return ending;
}

}  // namespace gridstride::sim
