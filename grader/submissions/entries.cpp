// Paths, folders, and the list as bytes.
#include "grader/submissions/entries.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/compile/stage_files.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 12> archive_endings = {
    ".zip",     ".tar",  ".tar.gz", ".tgz",     ".tar.xz", ".txz",
    ".tar.bz2", ".tbz2", ".tbz",    ".tar.zst", ".tzst",   ".tar.z"};

constexpr std::size_t most_archive_bytes = std::size_t{64} << 20;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

StageFile::Kind kind_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return StageFile::Kind::plain;
  if (S_ISDIR(status.st_mode)) return StageFile::Kind::folder;
  if (S_ISLNK(status.st_mode)) return StageFile::Kind::link;
  return StageFile::Kind::fifo;
}

void add_number(std::string& out, std::int64_t number) { out += std::to_string(number) + "\n"; }

void add_bytes(std::string& out, std::string_view bytes) {
  add_number(out, static_cast<std::int64_t>(bytes.size()));
  out += bytes;
}

/// Reads what packed() wrote, and trusts nothing of it.
class Unpacker {
 public:
  explicit Unpacker(std::string_view rest) : rest_(rest) {}

  std::int64_t number() {
    std::int64_t value = 0;
    const char* const end = rest_.data() + rest_.size();
    const auto [behind, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc() || behind == end || *behind != '\n') return fail();
    rest_.remove_prefix(static_cast<std::size_t>(behind - rest_.data()) + 1);
    return value;
  }
  std::string bytes() {
    const std::int64_t size = number();
    if (failed_ || size < 0 || static_cast<std::uint64_t>(size) > rest_.size()) {
      fail();
      return {};
    }
    std::string text(rest_.substr(0, static_cast<std::size_t>(size)));
    rest_.remove_prefix(text.size());
    return text;
  }
  bool failed() const { return failed_; }

 private:
  std::int64_t fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::string> archive_stem(std::string_view name) {
  const std::string small = lower(name);
  std::string_view longest;
  for (const std::string_view ending : archive_endings)
    if (small.ends_with(ending) && ending.size() > longest.size()) longest = ending;
  if (longest.empty() || longest.size() == name.size()) return std::nullopt;
  return std::string(name.substr(0, name.size() - longest.size()));
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::string> inner_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string_view::npos)
    return std::nullopt;
  std::string inner;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (!inner.empty()) inner += '/';
    inner += part;
  }
  if (inner.empty()) return std::nullopt;
  return inner;
}

bool Wanted::wants(std::string_view path) const {
  const std::string_view name = name_in(path);
  return names.contains(std::string(name)) ||
         (archives && (archive_stem(name) || name.ends_with(".cu")));
}

std::size_t Wanted::most_of(std::string_view path) const {
  return archives && archive_stem(name_in(path)) ? most_archive_bytes : largest_stage_bytes;
}

Entries entries_of_folder(const fs::path& folder, const Wanted& wanted) {
  Entries entries;
  std::error_code error;
  std::uint64_t taken = 0;
  fs::recursive_directory_iterator at(folder, fs::directory_options::none, error), end;
  for (; !error && at != end; at.increment(error)) {
    const std::string path = at->path().lexically_relative(folder).string();
    if (name_in(path) == ".git") {
      at.disable_recursion_pending();
      continue;
    }
    if (entries.list.size() == wanted.most_entries) {
      entries.problems.push_back("It holds more than " + std::to_string(wanted.most_entries) +
                                 " files; the rest was not looked at.");
      return entries;
    }
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) != 0) continue;
    Entry entry{path, kind_of(status), status.st_mtime, {}};
    if (entry.kind == StageFile::Kind::plain && wanted.wants(path)) {
      if (static_cast<std::uint64_t>(status.st_size) > wanted.most_of(path)) {
        entry.kind = StageFile::Kind::too_large;
      } else if (taken + static_cast<std::uint64_t>(status.st_size) <= wanted.most_wanted_bytes) {
        try {
          entry.bytes = read_file(at->path(), wanted.most_of(path));
          taken += entry.bytes->size();
        } catch (const std::exception& problem) {
          entries.problems.push_back(escaped(path) + " cannot be read.");
        }
      }
    }
    entries.list.push_back(std::move(entry));
  }
  if (error) entries.problems.push_back("Not all of it can be read: " + error.message() + ".");
  std::ranges::sort(entries.list, {}, &Entry::path);
  return entries;
}

std::string packed(const Entries& entries) {
  std::string out;
  add_number(out, static_cast<std::int64_t>(entries.problems.size()));
  for (const std::string& problem : entries.problems) add_bytes(out, problem);
  add_number(out, static_cast<std::int64_t>(entries.list.size()));
  for (const Entry& entry : entries.list) {
    add_bytes(out, entry.path);
    add_bytes(out, name_of(entry.kind));
    add_number(out, entry.time);
    add_number(out, entry.bytes ? 1 : 0);
    if (entry.bytes) add_bytes(out, *entry.bytes);
  }
  return out;
}

Entries unpacked(std::string_view bytes) {
  Entries entries;
  Unpacker from(bytes);
  for (std::int64_t i = from.number(); i > 0 && !from.failed(); --i)
    entries.problems.push_back(clean_text(from.bytes()));
  for (std::int64_t i = from.number(); i > 0 && !from.failed(); --i) {
    Entry entry;
    const auto path = inner_path(from.bytes());
    const auto kind = kind_named(from.bytes());
    entry.time = from.number();
    if (from.number() == 1) entry.bytes = from.bytes();
    if (from.failed() || !path || !kind) break;
    entry.path = *path;
    entry.kind = *kind;
    entries.list.push_back(std::move(entry));
  }
  if (from.failed()) entries.problems.emplace_back("The list of its files is broken.");
  return entries;
}

}  // namespace gridstride
