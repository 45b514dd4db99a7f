// Control groups (cgroup v2): the kernel itself counts all that a program holds, whatever it is made
// of and whichever of its processes asked for it, and gives no more.
//
// A group can be made below one that was delegated to this user: by systemd to a user's session or
// service, and by nobody to root. Elsewhere the watch (child.cpp) counts, every few milliseconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "common/unique_fd.h"

namespace gridstride {

/// Whether groups with limits on memory and processes can be made here. Found out once, by trying.
struct ControlGroupStatus {
  std::filesystem::path parent;  ///< where they are made; empty where they cannot be
  std::string reason;            ///< why not, one sentence; empty when they can be
  std::string repair;            ///< what to do about it; empty when they can be
  bool available() const { return !parent.empty(); }
};
const ControlGroupStatus& control_group_status();

/// One group, removed in the end; nothing may run in it then.
class ControlGroup {
 public:
  /// 0 means no limit. Null where there are no groups.
  static std::unique_ptr<ControlGroup> make(std::uint64_t memory_bytes, unsigned processes);
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// A process that writes "0" here enters the group, and so do all that it starts from then on.
  int entrance() const { return entrance_.get(); }
  /// Whether anything was ended because the group held all the memory that it may.
  bool ran_out_of_memory() const;
  /// Whether a process or thread could not be started because there were as many as may be.
  bool ran_out_of_processes() const;

 private:
  ControlGroup(std::filesystem::path folder, UniqueFd entrance);

  std::filesystem::path folder_;
  UniqueFd entrance_;
};

}  // namespace gridstride
