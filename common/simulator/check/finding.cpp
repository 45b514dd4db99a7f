// Names and weight of the mistakes.
#include "common/simulator/check/finding.h"

#include <string>

namespace gridstride::sim {

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::use_after_free:
      return "use_after_free";
    case FindingKind::double_free:
      return "double_free";
    case FindingKind::host_pointer:
      return "host_pointer";
    case FindingKind::shared_race:
      return "shared_race";
    case FindingKind::global_race:
      return "global_race";
    case FindingKind::stream_race:
      return "stream_race";
    case FindingKind::uninitialized_read:
      return "uninitialized_read";
    case FindingKind::barrier_divergence:
      return "barrier_divergence";
    case FindingKind::skipped_barrier:
      return "skipped_barrier";
    case FindingKind::wrong_mask:
      return "wrong_mask";
    case FindingKind::inactive_lane:
      return "inactive_lane";
    case FindingKind::narrow_index:
      return "narrow_index";
    case FindingKind::invalid_instruction:
      return "invalid_instruction";
    case FindingKind::timeout:
      return "timeout";
  }
  return "unknown";
}

bool is_fatal(FindingKind kind) {
  switch (kind) {
    case FindingKind::shared_race:
    case FindingKind::global_race:
    case FindingKind::stream_race:
    case FindingKind::uninitialized_read:
    case FindingKind::skipped_barrier:
    case FindingKind::wrong_mask:
    case FindingKind::inactive_lane:
    case FindingKind::narrow_index:
      return false;
    default:
      return true;
  }
}

std::string title_of(const Finding& finding) {
  std::string title = std::string(name_of(finding.kind)) + " in " + finding.kernel;
  const std::string& file = finding.where.file;
  if (file.empty()) return title;
  return title + " at " + file.substr(file.rfind('/') + 1) + ":" +
         std::to_string(finding.where.line);
}

}  // namespace gridstride::sim
