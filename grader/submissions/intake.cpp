// Everything becomes a list of things with names; the platform says whose each is.
#include "grader/submissions/intake.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/submissions/clones.h"
#include "grader/submissions/entries.h"
#include "grader/submissions/platforms.h"
#include "grader/submissions/stages_in.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_students = 20'000, most_id = 100;
/// Archives within one student's folder or archive that are opened.
constexpr std::size_t most_inner_archives = 4;

/// What stands at the top of what was downloaded.
struct Thing {
  Item item;
  bool is_clone = false;
  std::string handed_in;
};

bool is_hidden(const std::string& name) {
  return name.starts_with('.') || name == "__MACOSX" || name == "Thumbs.db" ||
         name == "desktop.ini";
}

std::int64_t time_of(const fs::path& file) {
  struct stat status {};
  return ::lstat(file.c_str(), &status) == 0 ? status.st_mtime : 0;
}

std::int64_t newest_in(const Entries& entries, std::int64_t otherwise) {
  std::int64_t newest = 0;
  for (const Entry& entry : entries.list)
    if (entry.kind == StageFile::Kind::plain) newest = std::max(newest, entry.time);
  return newest == 0 ? otherwise : newest;
}

class Collector {
 public:
  explicit Collector(const IntakeOptions& options) : options_(options) {
    wanted_.names = stage_file_names(options.labs);
  }

  std::vector<Thing> things;
  std::map<std::string, GradescopeSubmission> metadata;

  void add_folder(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      paths.push_back(at->path());
    if (error)
      throw std::runtime_error(folder.string() + " cannot be read: " + error.message() + ".");
    std::ranges::sort(paths);
    if (paths.size() > most_students)
      throw std::runtime_error(folder.string() + " holds " + std::to_string(paths.size()) +
                               " things, which no class has.");
    for (const fs::path& path : paths) add_path(path);
  }

  /// A student's folder, archive, clone or single file.
  void add_path(const fs::path& path) {
    const std::string name = path.filename().string();
    if (is_hidden(name)) return;
    options_.on_student(escaped(name));
    std::error_code error;
    const fs::file_type type = fs::symlink_status(path, error).type();
    if (name == gradescope_metadata && type == fs::file_type::regular) {
      metadata = read_gradescope_metadata(read_file(path));
      has_metadata_ = true;
      return;
    }
    Thing thing;
    thing.item.name = name;
    thing.item.time = time_of(path);
    if (type == fs::file_type::directory) {
      thing.item.entries = entries_of_folder(path, wanted_);
      thing.item.time = newest_in(thing.item.entries, thing.item.time);
      open_inner(thing.item.entries, [&](const Entry& entry) {
        return entries_of_archive(path / entry.path, wanted_);
      });
      thing.is_clone = fs::exists(path / ".git", error);
      if (thing.is_clone) thing.handed_in = last_commit_of(path);
    } else if (type == fs::file_type::regular && archive_stem(name)) {
      thing.item.entries = student_archive(path);
    } else {
      thing.item.is_file = true;
      Entry entry{name, StageFile::Kind::plain, thing.item.time, {}};
      if (type == fs::file_type::symlink)
        entry.kind = StageFile::Kind::link;
      else if (type != fs::file_type::regular)
        entry.kind = StageFile::Kind::fifo;
      else if (fs::file_size(path, error) > wanted_.most_of(name))
        entry.kind = StageFile::Kind::too_large;
      else if (name.ends_with(".cu"))
        entry.bytes = read_file(path);
      thing.item.entries.list.push_back(std::move(entry));
    }
    things.push_back(std::move(thing));
  }

  void add_clone(const std::string& url) {
    std::string name = url.substr(0, url.find_last_not_of('/') + 1);
    name = name.substr(name.find_last_of("/:") + 1);
    if (name.ends_with(".git")) name.resize(name.size() - 4);
    options_.on_student(escaped(name));
    Thing thing;
    thing.item.name = name;
    thing.is_clone = true;
    Cloned cloned = clone(url, wanted_);
    thing.item.entries = std::move(cloned.entries);
    thing.handed_in = cloned.commit;
    things.push_back(std::move(thing));
  }

  /// An export: each thing at its top, or in the one folder that it has there.
  void add_export(const fs::path& archive, ClassIntake& intake) {
    Wanted all = wanted_;
    all.archives = true;
    all.names.insert(gradescope_metadata);
    all.most_entries = 1'000'000;
    all.most_bytes = std::uint64_t{16} << 30;
    all.most_wanted_bytes = std::uint64_t{1} << 30;
    Entries entries = entries_of_archive(archive, all);
    for (const std::string& words : entries.problems)
      intake.remarks.push_back(escaped(archive.filename().string()) + ": " + words);
    strip_top(entries);
    std::map<std::string, std::vector<Entry>> groups;
    for (Entry& entry : entries.list) {
      const std::string top = entry.path.substr(0, entry.path.find('/'));
      if (!is_hidden(top)) groups[top].push_back(std::move(entry));
    }
    for (auto& [name, group] : groups) add_group(name, std::move(group));
  }

  Platform platform() const {
    std::vector<std::string> names;
    std::size_t clones = 0;
    for (const Thing& thing : things) {
      names.push_back(thing.item.name);
      clones += thing.is_clone ? 1 : 0;
    }
    if (has_metadata_) return Platform::gradescope;
    if (clones > 0 && 2 * clones >= things.size()) return Platform::classroom;
    return platform_of(names);
  }

 private:
  Entries student_archive(const fs::path& archive) const {
    Entries entries = entries_of_archive(archive, wanted_inside());
    open_inner(entries, [&](const Entry& entry) { return from_bytes(entry); });
    return entries;
  }

  Wanted wanted_inside() const {
    Wanted inside = wanted_;
    inside.archives = true;  // a folder that holds one archive, packed
    return inside;
  }

  /// Of an encrypted one there are no bytes; that has been said.
  Entries from_bytes(const Entry& entry) const {
    if (!entry.bytes) return {};
    const TemporaryFolder scratch("gridstride-inner-");
    write_file(scratch.path() / "archive", *entry.bytes);
    return entries_of_archive(scratch.path() / "archive", wanted_);
  }

  /// Archives within are opened once, and what they hold stands below their names.
  template <class Open>
  void open_inner(Entries& entries, Open open) const {
    std::size_t opened = 0;
    std::vector<Entry> list;
    for (Entry& entry : entries.list) {
      const bool is_archive =
          entry.kind == StageFile::Kind::plain && archive_stem(name_in(entry.path));
      if (!is_archive) {
        list.push_back(std::move(entry));
        continue;
      }
      if (++opened > most_inner_archives) {
        entries.problems.push_back(escaped(entry.path) + " was not opened: one archive is enough.");
        continue;
      }
      Entries inner = open(entry);
      for (const std::string& words : inner.problems)
        entries.problems.push_back(escaped(entry.path) + ": " + words);
      for (Entry& one : inner.list) {
        one.path = entry.path + "/" + one.path;
        list.push_back(std::move(one));
      }
    }
    entries.list = std::move(list);
  }

  void add_group(const std::string& name, std::vector<Entry> group) {
    options_.on_student(escaped(name));
    if (name == gradescope_metadata && group.front().bytes) {
      metadata = read_gradescope_metadata(*group.front().bytes);
      has_metadata_ = true;
      return;
    }
    Thing thing;
    thing.item.name = name;
    const bool is_folder = group.size() > 1 || group.front().path != name ||
                           group.front().kind == StageFile::Kind::folder;
    if (is_folder) {
      for (Entry& entry : group) {
        if (entry.path == name) continue;
        entry.path.erase(0, name.size() + 1);
        thing.item.entries.list.push_back(std::move(entry));
      }
      thing.item.time = newest_in(thing.item.entries, 0);
    } else {
      thing.item.time = group.front().time;
      if (archive_stem(name) && group.front().bytes) {
        const TemporaryFolder scratch("gridstride-inner-");
        const fs::path file = scratch.path() / "archive";
        write_file(file, *group.front().bytes);
        thing.item.entries = student_archive(file);
        things.push_back(std::move(thing));
        return;
      }
      thing.item.is_file = true;
      thing.item.entries.list = std::move(group);
    }
    open_inner(thing.item.entries, [&](const Entry& entry) { return from_bytes(entry); });
    things.push_back(std::move(thing));
  }

  /// "export/ada/…", "export/bob/…": who packs a folder has it in every path.
  void strip_top(Entries& entries) const {
    std::set<std::string> tops;
    bool only_folders = true;
    for (const Entry& entry : entries.list) {
      const std::string top = entry.path.substr(0, entry.path.find('/'));
      if (is_hidden(top)) continue;
      tops.insert(top);
      if (top == entry.path && entry.kind != StageFile::Kind::folder) only_folders = false;
    }
    if (tops.size() != 1 || !only_folders || platform_of({*tops.begin()}) != Platform::folder)
      return;
    const std::string top = *tops.begin() + "/";
    for (const Entry& entry : entries.list) {  // or it is one student's
      const std::string rest = entry.path.substr(std::min(top.size(), entry.path.size()));
      const std::string next = rest.substr(0, rest.find('/'));
      const bool is_lab = std::ranges::any_of(
          options_.labs, [&](const LabConfig& lab) { return lab.name == next; });
      if (is_lab || next == "labs" || wanted_.names.contains(next)) return;
    }
    std::erase_if(entries.list, [&](Entry& entry) {
      if (!entry.path.starts_with(top)) return true;
      entry.path.erase(0, top.size());
      return false;
    });
  }

  const IntakeOptions& options_;
  Wanted wanted_;
  bool has_metadata_ = false;
};

/// Puts things and students together.
class Sorter {
 public:
  Sorter(ClassIntake& intake, Collector& collector) : intake_(intake), collector_(collector) {}

  void sort() {
    std::vector<std::string> clones;
    for (const Thing& thing : collector_.things)
      if (thing.is_clone) clones.push_back(thing.item.name);
    prefix_ = intake_.platform == Platform::classroom ? common_prefix(clones) : std::string();
    for (Thing& thing : collector_.things) assign(std::move(thing));
  }

  struct Pile {
    Submission submission;
    std::vector<Item> items;
  };
  std::map<std::string, Pile> piles;  ///< by id

 private:
  void assign(Thing thing) {
    const std::string& name = thing.item.name;
    switch (intake_.platform) {
      case Platform::moodle:
        if (auto exported = moodle_name(name)) return add(*exported, std::move(thing));
        break;
      case Platform::canvas:
        if (auto exported = canvas_name(name)) return add(*exported, std::move(thing));
        break;
      case Platform::gradescope:
        return add_gradescope(std::move(thing));
      case Platform::classroom:
      case Platform::folder:
        break;
    }
    const bool is_link =
        thing.item.is_file && thing.item.entries.list.front().kind == StageFile::Kind::link;
    if (intake_.platform != Platform::folder && intake_.platform != Platform::classroom) {
      intake_.remarks.push_back(escaped(name) + " has no name that " + name_of(intake_.platform) +
                                " gives: it was left out.");
      return;
    }
    if (thing.item.is_file && !is_link) {
      intake_.remarks.push_back(escaped(name) + " is no folder and no archive: it was left out.");
      return;
    }
    std::string id = thing.item.is_file || !archive_stem(name) ? name : *archive_stem(name);
    if (!prefix_.empty() && id.starts_with(prefix_) && id.size() > prefix_.size())
      id.erase(0, prefix_.size());
    ExportedName exported;
    exported.student.id = exported.student.name = shorten(escaped(id), most_id);
    if (is_link) {
      thing.item.is_file = false;
      thing.item.entries.list.clear();
      thing.item.entries.problems.emplace_back("It is a link, which is not followed.");
    }
    add(exported, std::move(thing));
  }

  void add(const ExportedName& exported, Thing thing) {
    Pile& pile = piles[exported.student.id];
    Submission& submission = pile.submission;
    submission.student = exported.student;
    submission.platform = intake_.platform;
    submission.origin += (submission.origin.empty() ? "" : ", ") + escaped(thing.item.name);
    if (exported.late && !submission.late) {
      submission.late = true;
      submission.remarks.emplace_back("It is late: the platform marks it so.");
    }
    submission.handed_in = std::max(submission.handed_in, thing.handed_in);
    if (exported.order != 0) thing.item.time = exported.order;
    if (thing.item.is_file && !exported.rest.empty()) {
      thing.item.name = exported.rest;
      for (Entry& entry : thing.item.entries.list) entry.path = exported.rest;
    }
    pile.items.push_back(std::move(thing.item));
  }

  void add_gradescope(Thing thing) {
    const std::string name = thing.item.name;
    const auto found = collector_.metadata.find(name);
    if (found == collector_.metadata.end() && thing.item.is_file) {
      intake_.remarks.push_back(escaped(name) + " belongs to no submission: it was left out.");
      return;
    }
    std::vector<Student> students;
    if (found != collector_.metadata.end()) {
      students = found->second.submitters;
      thing.handed_in = found->second.handed_in;
    }
    if (students.empty()) {
      intake_.remarks.push_back(escaped(name) + " has no submitter in " + gradescope_metadata +
                                ": it stands under that name.");
      students.push_back({"", escaped(name), "", ""});
    }
    for (const Student& student : students) {
      ExportedName exported;
      exported.student = student;
      for (const std::string* id : {&student.number, &student.email, &student.name})
        if (exported.student.id.empty()) exported.student.id = shorten(escaped(*id), most_id);
      add(exported, thing);
    }
  }

  ClassIntake& intake_;
  Collector& collector_;
  std::string prefix_;
};

std::vector<std::string> lines_of(const fs::path& list) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(list));
  for (std::string line; std::getline(text, line);) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    lines.push_back(line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1));
  }
  return lines;
}

void collect(Collector& collector, const fs::path& place, ClassIntake& intake) {
  std::error_code error;
  if (fs::is_directory(place, error)) return collector.add_folder(place);
  if (!fs::is_regular_file(place, error))
    throw std::runtime_error("There is no " + escaped(place.string()) +
                             ": name a folder, an archive, or a list of repositories.");
  if (archive_stem(place.filename().string())) return collector.add_export(place, intake);
  for (const std::string& line : lines_of(place)) {
    if (is_repository_url(line)) {
      collector.add_clone(line);
      continue;
    }
    fs::path folder = (fs::absolute(place).parent_path() / line).lexically_normal();
    if (folder.filename().empty()) folder = folder.parent_path();
    if (fs::exists(folder, error))
      collector.add_path(folder);
    else
      intake.remarks.push_back(in_quotes(line, 80) +
                               " in the list is no folder and no repository.");
  }
}

}  // namespace

ClassIntake take_in_class(const fs::path& place, const IntakeOptions& options) {
  ClassIntake intake;
  Collector collector(options);
  collect(collector, place, intake);
  intake.platform = collector.platform();
  Sorter sorter(intake, collector);
  sorter.sort();
  for (auto& [id, pile] : sorter.piles) {
    Submission& submission = pile.submission;
    find_stages(submission, std::move(pile.items), options.labs, options.asked);
    const auto handed_in = time_in(submission.handed_in);
    if (options.due && handed_in && *handed_in > *options.due && !submission.late) {
      submission.late = true;
      submission.remarks.push_back("It is late: it was handed in at " + submission.handed_in + ".");
    }
    intake.submissions.push_back(std::move(submission));
  }
  if (intake.submissions.empty()) {
    std::string words = "There is nothing to grade in " + escaped(place.string()) + ".";
    for (const std::string& remark : intake.remarks) words += "\n" + remark;
    throw std::runtime_error(words);
  }
  return intake;
}

}  // namespace gridstride
