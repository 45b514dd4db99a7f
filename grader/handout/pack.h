// Packs what students get: skeletons, documents and programs, and no solution.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

struct HandoutSource {
  std::filesystem::path tree, build;  ///< the course, and where its programs are built
  std::vector<std::string> labs;      ///< in the order they are taught
};

/// The programs of the build that a handout holds, beside the graders of its labs.
std::vector<std::string> handout_programs();

/// Lays out in `folder`, which is there and empty, what is handed out. The same sources and programs
/// give the same files. Throws std::runtime_error, with the repair, when something is not built, or a
/// stage in labs/ is no skeleton.
void lay_out(const HandoutSource& source, const std::filesystem::path& folder);

/// Packs `folder`'s entry handout_top into `archive`, a .tar.zst, whole or not at all. The same files
/// give the same bytes, whoever packs them and when; another zstd may give others. Throws
/// std::runtime_error.
void pack(const std::filesystem::path& folder, const std::filesystem::path& archive);

}  // namespace gridstride
