// Brings a handout up to a newer one and keeps what the student has made of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

struct HandoutUpdate {
  std::vector<std::string> changed;  ///< files that the course has changed, added or taken away
  std::vector<std::string> kept;     ///< the student's, which the course has left as they were
  struct Conflict {
    std::string file, beside;  ///< the student's, kept; where the course's new one is
  };
  std::vector<Conflict> conflicts;  ///< changed by both
};

/// Updates the handout in `tree` from `archive`. A file counts as the student's where it differs from the
/// one that was handed out. Nothing is changed until the whole archive has been looked at; each file is
/// then replaced by a rename, and a second call ends what was stopped.
/// Throws std::runtime_error, which says what is wrong with it, for an archive that is damaged, holds
/// anything but plain files in one folder, names one with "..", or lacks a lab that is here.
HandoutUpdate update_handout(const std::filesystem::path& tree,
                             const std::filesystem::path& archive);

}  // namespace gridstride
