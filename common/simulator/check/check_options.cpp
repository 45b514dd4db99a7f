// See the header.
#include "common/simulator/check/check_options.h"

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/text.h"

namespace gridstride::sim {
namespace {

struct Group {
  const char* name;
  std::vector<FindingKind> kinds;
};

const std::vector<Group>& groups() {
  using enum FindingKind;
  static const std::vector<Group> all = {
      {"memory", {out_of_bounds, misaligned, use_after_free, double_free, host_pointer}},
      {"races", {shared_race, global_race}},
      {"streams", {stream_race}},
      {"indices", {narrow_index}},
      {"init", {uninitialized_read}},
      {"barriers", {barrier_divergence, skipped_barrier, wrong_mask, inactive_lane}}};
  return all;
}

constexpr const char* leaks_name = "leaks";

void set_all(CheckOptions& checks, bool on) {
  for (const Group& group : groups()) {
    for (const FindingKind kind : group.kinds) checks.look_for(kind, on);
  }
  checks.leaks = on;
}

[[noreturn]] void refuse(const std::string& name) {
  for (const FindingKind kind : {FindingKind::invalid_instruction, FindingKind::timeout}) {
    if (name == name_of(kind)) {
      throw std::invalid_argument("'" + name + "' cannot be switched: it is always looked for");
    }
  }
  std::vector<std::string> known = {"all", "none", leaks_name};
  for (const Group& group : groups()) {
    known.push_back(group.name);
    for (const FindingKind kind : group.kinds) known.push_back(name_of(kind));
  }
  const std::string meant = nearest_name(name, known);
  throw std::invalid_argument("there is no check '" + clean_text(name) + "'" +
                              (meant.empty() ? "" : ", did you mean '" + meant + "'?") +
                              " There are " + check_names());
}

void set(CheckOptions& checks, const std::string& name, bool on) {
  if (name == "all" || name == "none") return set_all(checks, on == (name == "all"));
  if (name == leaks_name) {
    checks.leaks = on;
    return;
  }
  for (const Group& group : groups()) {
    for (const FindingKind kind : group.kinds) {
      if (name == name_of(kind)) return checks.look_for(kind, on);
    }
    if (name != group.name) continue;
    for (const FindingKind kind : group.kinds) checks.look_for(kind, on);
    return;
  }
  refuse(name);
}

}  // namespace

void CheckOptions::look_for(FindingKind kind, bool on) {
  const std::uint32_t bit = 1u << static_cast<unsigned>(kind);
  kinds_ = on ? kinds_ | bit : kinds_ & ~bit;
}

CheckOptions checks_named(const std::string& list) {
  CheckOptions checks;
  if (!list.starts_with('-')) set_all(checks, false);
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const bool on = !name.starts_with('-');
    set(checks, on ? name : name.substr(1), on);
  }
  return checks;
}

std::string check_names() {
  std::vector<std::string> names;
  for (const Group& group : groups()) {
    std::string kinds;
    for (const FindingKind kind : group.kinds) {
      kinds += (kinds.empty() ? "" : ", ") + std::string(name_of(kind));
    }
    names.push_back(std::string(group.name) + " (" + kinds + ")");
  }
  for (const char* name : {leaks_name, "all", "none"}) names.push_back(name);
  return listed(names);
}

}  // namespace gridstride::sim
