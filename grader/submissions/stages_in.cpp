// Students pack in every way there is: with the folder, without it, the whole course, twice.
#include "grader/submissions/stages_in.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

constexpr std::size_t most_ignored = 100;

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t end; (end = path.find('/')) != std::string_view::npos;
       path.remove_prefix(end + 1))
    parts.emplace_back(path.substr(0, end));
  parts.emplace_back(path);
  return parts;
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

/// Copies that systems and the course itself make: no student means them.
bool is_by_the_way(const std::vector<std::string>& parts) {
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    if (parts[i] == "__MACOSX" || parts[i] == "solutions" || parts[i].starts_with('.')) return true;
  return parts.back().starts_with("._") || parts.back() == ".DS_Store" ||
         parts.back() == "Thumbs.db";
}

class Finder {
 public:
  Finder(Submission& submission, const std::vector<LabConfig>& labs,
         const std::vector<std::string>& asked)
      : submission_(submission), labs_(labs), asked_(asked) {}

  void look_at(const Item& item) {
    const bool alone = item.is_file;
    for (const std::string& words : item.entries.problems)
      remark((alone ? "" : escaped(item.name) + ": ") + words);
    has_problems_ = has_problems_ || !item.entries.problems.empty();
    beside_.clear();
    for (const Entry& entry : item.entries.list)
      if (const std::string_view name = name_in(entry.path); name.ends_with(".cu"))
        beside_[folder_of(entry.path)].insert(std::string(name.substr(0, name.size() - 3)));
    for (const Entry& entry : item.entries.list) look_at(entry);
  }

  void settle() {
    for (auto& [key, found] : found_) {
      if (found.paths.size() > 1) {
        std::vector<std::string> others;
        for (std::size_t i = 1; i < std::min<std::size_t>(found.paths.size(), 4); ++i)
          others.push_back(found.paths[i].second);
        remark(key.first + "/" + key.second + " is there " + std::to_string(found.paths.size()) +
               " times: " + found.paths.front().second + " is graded, not " + listed(others) + ".");
      }
      submission_.files.push_back(std::move(found.file));
    }
    std::ranges::sort(ignored_);
    ignored_.erase(std::unique(ignored_.begin(), ignored_.end()), ignored_.end());
    const std::size_t count = ignored_.size();
    if (count > most_ignored) ignored_.resize(most_ignored);
    submission_.ignored = std::move(ignored_);
    if (submission_.files.empty() && !seen_) {
      if (!has_problems_) remark("It holds no file.");  // or what is wrong has been said
    } else if (submission_.files.empty() && !has_problems_) {
      remark("It holds no stage's file: none has a name that a lab.toml gives, such as " +
             labs_.front().stages.front().name + ".cu.");
    }
    if (count > most_ignored)
      remark(std::to_string(count) + " other files are ignored; the first " +
             std::to_string(most_ignored) + " are named.");
  }

  void remark(const std::string& words) {
    auto& all = submission_.remarks;
    if (std::ranges::find(all, words) == all.end()) all.push_back(words);
  }

 private:
  struct Found {
    StageFile file;
    std::vector<std::pair<std::size_t, std::string>> paths;  ///< by depth; the best first
  };

  const LabConfig* lab_named(const std::string& name) const {
    const auto at = std::ranges::find(labs_, name, &LabConfig::name);
    return at == labs_.end() ? nullptr : &*at;
  }

  /// Null where the file is no stage's.
  const LabConfig* lab_of(const std::vector<std::string>& parts, const std::string& stage,
                          const std::set<std::string>& beside, const std::string& shown) {
    for (std::size_t i = parts.size() - 1; i-- > 0;)
      if (const LabConfig* lab = lab_named(parts[i]))
        return lab->stage(stage) == nullptr ? nullptr : lab;
    // Stages of several labs have one name. What lies beside it says which lab is meant.
    std::vector<const LabConfig*> having;
    for (const LabConfig& lab : labs_) {
      const bool counts = asked_.empty() || std::ranges::find(asked_, lab.name) != asked_.end();
      if (counts && lab.stage(stage) != nullptr) having.push_back(&lab);
    }
    if (having.size() < 2) return having.empty() ? nullptr : having.front();
    const auto known_beside = [&](const LabConfig* lab) {
      return std::ranges::count_if(
          beside, [&](const std::string& name) { return lab->stage(name) != nullptr; });
    };
    std::ranges::stable_sort(having, std::ranges::greater(), known_beside);
    if (known_beside(having[0]) > known_beside(having[1])) return having.front();
    has_problems_ = true;
    std::vector<std::string> names;
    for (const LabConfig* lab : having) names.push_back(lab->name);
    remark(shown + " can be of several labs (" + listed(names) +
           "): it has to lie in a folder named as its lab; or grade with --lab.");
    return nullptr;
  }

  void look_at(const Entry& entry) {
    const std::vector<std::string> parts = parts_of(entry.path);
    if (is_by_the_way(parts)) return;
    const bool could_be = parts.back().ends_with(".cu");
    if (entry.kind == StageFile::Kind::folder && !could_be) return;
    seen_ = true;
    const std::string shown = shorten(escaped(entry.path), 120);
    const std::string stage =
        could_be ? parts.back().substr(0, parts.back().size() - 3) : std::string();
    const LabConfig* const lab =
        could_be ? lab_of(parts, stage, beside_[folder_of(entry.path)], shown) : nullptr;
    if (lab == nullptr) {
      ignored_.push_back(shown);
      return;
    }
    StageFile file{lab->name, stage, entry.kind, entry.bytes.value_or("")};
    if (entry.kind == StageFile::Kind::plain && !entry.bytes) {
      remark(shown + " was not read: see above.");
      return;
    }
    Found& found = found_[{lab->name, stage}];
    const std::pair<std::size_t, std::string> place{parts.size(), shown};
    const auto at = std::ranges::upper_bound(found.paths, place);
    if (at == found.paths.begin()) found.file = std::move(file);
    found.paths.insert(at, place);
  }

  Submission& submission_;
  const std::vector<LabConfig>& labs_;
  const std::vector<std::string>& asked_;
  std::map<std::pair<std::string, std::string>, Found> found_;
  std::map<std::string, std::set<std::string>> beside_;  ///< by folder, names without .cu
  std::vector<std::string> ignored_;
  bool seen_ = false, has_problems_ = false;
};

/// "ada.zip and ada" → the newer, and words about it.
void keep_newest(std::vector<Item>& items, Finder& finder) {
  std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
    return a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  std::vector<std::string> whole;
  for (const Item& item : items)
    if (!item.is_file) whole.push_back(escaped(item.name));
  if (whole.size() < 2) return;
  finder.remark("It was handed in " + std::to_string(whole.size()) + " times (" + listed(whole) +
                "): " + whole.front() + " is graded, the newest.");
  bool first = true;
  std::erase_if(items,
                [&](const Item& item) { return !item.is_file && !std::exchange(first, false); });
}

/// Of single files of one name the newest is first, and the others are not looked at.
void keep_newest_of_each(std::vector<Item>& items, Finder& finder) {
  std::set<std::string> names;
  std::erase_if(items, [&](const Item& item) {
    if (!item.is_file || item.entries.list.empty()) return false;
    const std::string& name = item.entries.list.front().path;
    if (names.insert(name).second) return false;
    finder.remark(escaped(name) + " was handed in several times: the newest is graded.");
    return true;
  });
}

}  // namespace

std::set<std::string> stage_file_names(const std::vector<LabConfig>& labs) {
  std::set<std::string> names;
  for (const LabConfig& lab : labs)
    for (const StageConfig& stage : lab.stages) names.insert(stage.name + ".cu");
  return names;
}

void find_stages(Submission& submission, std::vector<Item> items,
                 const std::vector<LabConfig>& labs, const std::vector<std::string>& asked) {
  Finder finder(submission, labs, asked);
  keep_newest(items, finder);
  keep_newest_of_each(items, finder);
  for (const Item& item : items) finder.look_at(item);
  finder.settle();
}

}  // namespace gridstride
