// A file has three versions: as it was handed out, as it is here, as it is in the newer handout.
#include "grader/handout/update.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "common/unique_fd.h"
#include "grader/handout/places.h"
#include "grader/handout/unpack.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t largest_file = std::size_t{64} << 20;  // bytes; the largest has some 100 KiB

/// In the tree, so that what is unpacked there can be renamed to its place; removed at the end, and what
/// a stopped update has left at the beginning.
class Staging {
 public:
  explicit Staging(const fs::path& tree) : folder_(tree / ".lab/update") {
    fs::create_directories(tree / ".lab");
    lock_.reset(::open((tree / ".lab").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock_ || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
      throw std::runtime_error("Another ./lab update is at work here.");
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
  UniqueFd lock_;
};

/// Nothing where there is no file; anything that is none differs from every text.
std::optional<std::string> text_in(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(fs::symlink_status(file, missing))) return std::nullopt;
  if (!fs::is_regular_file(fs::symlink_status(file, missing))) return "not a plain file";
  return read_file(file, largest_file);
}

std::set<fs::path> names_below(const fs::path& folder) {
  std::set<fs::path> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder));
  }
  return names;
}

std::vector<std::string> labs_of(const fs::path& tree) {
  try {
    return nlohmann::json::parse(read_file(tree / handout_manifest)).at("labs");
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error((tree / handout_manifest).string() + " is damaged.");
  }
}

void check_labs(const fs::path& tree, const fs::path& newer, const fs::path& archive) {
  const std::vector<std::string> there = labs_of(newer);
  std::vector<std::string> gone;
  for (const std::string& lab : labs_of(tree)) {
    if (std::ranges::find(there, lab) == there.end()) gone.push_back(lab);
  }
  if (!gone.empty())
    throw std::runtime_error(archive.filename().string() + " is not taken: it has no " +
                             listed(gone) +
                             ", which is here. Ask for a handout with all labs, or "
                             "unpack this one beside yours. Nothing has been changed.");
}

class Merge {
 public:
  Merge(const fs::path& tree, const fs::path& newer)
      : tree_(tree), given_(tree / handed_out_texts), newer_(newer) {}

  HandoutUpdate run() {
    std::set<fs::path> names = names_below(newer_ / handed_out_texts);
    names.merge(names_below(given_));
    for (const fs::path& name : names) merge(name);
    return result_;
  }

 private:
  void merge(const fs::path& name) {
    const auto given = text_in(given_ / name), here = text_in(tree_ / name),
               wanted = text_in(newer_ / handed_out_texts / name);
    if (here == wanted) return;
    if (here && here != given) return keep(name, given, wanted);
    result_.changed.push_back(name.string());
    if (wanted) {
      put(name, tree_ / name);
    } else {
      fs::remove(tree_ / name);
    }
  }

  void keep(const fs::path& name, const std::optional<std::string>& given,
            const std::optional<std::string>& wanted) {
    if (!wanted || wanted == given) {
      result_.kept.push_back(name.string());
      return;
    }
    // A file of that name may be the student's, too.
    fs::path beside = name.string() + ".new";
    for (int i = 2; text_in(tree_ / beside).value_or(*wanted) != *wanted; ++i)
      beside = name.string() + ".new" + std::to_string(i);
    if (!text_in(tree_ / beside)) put(name, tree_ / beside);
    result_.conflicts.push_back({name.string(), beside.string()});
  }

  void put(const fs::path& name, const fs::path& target) const {
    fs::create_directories(target.parent_path());
    fs::rename(newer_ / name, target);
  }

  fs::path tree_, given_, newer_;
  HandoutUpdate result_;
};

/// In one step, so that programs, and what a file is compared with, are never missing.
void exchange(const fs::path& here, const fs::path& there) {
  if (::renameat2(AT_FDCWD, here.c_str(), AT_FDCWD, there.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS)
    throw std::runtime_error("cannot replace " + here.string() + ": " + std::strerror(errno));
  // A file system that cannot (NFS): were it stopped between the two, `there` would be lost.
  const fs::path aside = there.string() + ".old";
  fs::rename(here, aside);
  fs::rename(there, here);
}

}  // namespace

HandoutUpdate update_handout(const fs::path& tree, const fs::path& archive) {
  const Staging staging(tree);
  const fs::path newer = unpack(archive, staging.folder());
  check_labs(tree, newer, archive);
  const HandoutUpdate result = Merge(tree, newer).run();
  fs::rename(newer / handout_manifest, tree / handout_manifest);
  exchange(tree / handed_out_build, newer / handed_out_build);
  return result;
}

}  // namespace gridstride
