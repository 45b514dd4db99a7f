// What a folder or an archive holds, as a list: names, kinds, and the bytes of the few files that are
// wanted. Folders and archives look the same from here on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grader/submissions/submission.h"

namespace gridstride {

struct Entry {
  std::string path;  ///< with slashes, from the top, no "." and no ".." in it; bytes as they came
  StageFile::Kind kind = StageFile::Kind::plain;
  std::int64_t time = 0;             ///< of the last change, seconds of the epoch; 0 when unknown
  std::optional<std::string> bytes;  ///< of what is wanted
};

struct Entries {
  std::vector<Entry> list;
  std::vector<std::string> problems;  ///< sentences about what was left out, and why
};

/// What is wanted, and how much of it is too much.
struct Wanted {
  std::set<std::string> names;  ///< of files, without folders
  /// Also archives, by their name, and all .cu: of an export, where platforms put words before names.
  bool archives = false;
  std::size_t most_entries = 20'000;
  std::uint64_t most_bytes = std::uint64_t{256} << 20;        ///< unpacked, in all
  std::uint64_t most_wanted_bytes = std::uint64_t{64} << 20;  ///< of wanted files, in all

  bool wants(std::string_view path) const;
  /// Bytes that the file may have.
  std::size_t most_of(std::string_view path) const;
};

/// "ada.tar.gz" → "ada"; nothing where `name` is no archive's.
std::optional<std::string> archive_stem(std::string_view name);

/// `path` without what goes nowhere ("./", "//"); nothing where it is absolute, leads out of the folder,
/// or is empty.
std::optional<std::string> inner_path(std::string_view path);

std::string_view name_in(std::string_view path);  ///< behind the last slash

/// All below `folder`; no link is followed, and .git is left out.
Entries entries_of_folder(const std::filesystem::path& folder, const Wanted& wanted);

/// The zip or tar archive in `file`, in this process: for the program that does it in a sandbox, and for
/// tests. Whatever is wrong with it is a problem in words.
Entries list_archive(int file, const Wanted& wanted);

/// The same by that program (bin/gridstride-archive), in a sandbox: who writes archives is not trusted,
/// and what reads them is large. Throws SandboxError where there is no sandbox.
Entries entries_of_archive(const std::filesystem::path& archive, const Wanted& wanted);

/// For the way between the two.
std::string packed(const Entries& entries);
Entries unpacked(std::string_view bytes);

}  // namespace gridstride
