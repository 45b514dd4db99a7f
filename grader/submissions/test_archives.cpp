#include "grader/submissions/test_archives.h"

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride {
namespace {

class Writer {
 public:
  explicit Writer(const std::filesystem::path& file) : writer_(archive_write_new()) {
    const std::string name = file.filename().string();
    if (name.ends_with(".zip")) {
      archive_write_set_format_zip(writer_);
    } else {
      archive_write_set_format_pax_restricted(writer_);
      if (name.ends_with("gz")) archive_write_add_filter_gzip(writer_);
      if (name.ends_with(".xz")) archive_write_add_filter_xz(writer_);
      if (name.ends_with(".zst")) archive_write_add_filter_zstd(writer_);
    }
    check(archive_write_open_filename(writer_, file.c_str()));
  }
  ~Writer() { archive_write_free(writer_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const TestEntry& one) {
    using Kind = TestEntry::Kind;
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, one.path.c_str());
    archive_entry_set_mtime(entry, one.time, 0);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, one.kind == Kind::folder   ? AE_IFDIR
                                      : one.kind == Kind::link   ? AE_IFLNK
                                      : one.kind == Kind::fifo   ? AE_IFIFO
                                      : one.kind == Kind::device ? AE_IFCHR
                                                                 : AE_IFREG);
    if (one.kind == Kind::link) archive_entry_set_symlink(entry, one.text.c_str());
    if (one.kind == Kind::hard_link) archive_entry_set_hardlink(entry, one.text.c_str());
    const bool has_text = one.kind == Kind::file;
    archive_entry_set_size(entry, has_text ? static_cast<la_int64_t>(one.text.size()) : 0);
    check(archive_write_header(writer_, entry));
    if (has_text) archive_write_data(writer_, one.text.data(), one.text.size());
    archive_entry_free(entry);
  }
  void close() { check(archive_write_close(writer_)); }

 private:
  void check(int code) const {
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
      throw std::runtime_error(archive_error_string(writer_));
  }

  archive* writer_;
};

}  // namespace

void write_archive(const std::filesystem::path& file, const std::vector<TestEntry>& entries) {
  Writer writer(file);
  for (const TestEntry& entry : entries) writer.add(entry);
  writer.close();
}

void write_bomb(const std::filesystem::path& file, const std::string& name, int mebibytes) {
  std::vector<TestEntry> entries;
  for (int i = 0; i < mebibytes; ++i)
    entries.push_back({"zeros" + std::to_string(i), std::string(1 << 20, '\0')});
  entries.push_back({name, "// behind the zeros\n"});
  write_archive(file, entries);
}

}  // namespace gridstride
