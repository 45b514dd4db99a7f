// libarchive says what is in there; how much of it is believed is decided here.
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/text.h"
#include "grader/submissions/entries.h"

namespace gridstride {
namespace {

using Kind = StageFile::Kind;

/// Beyond this an archive that holds so many times more than it is large is a bomb. The best that
/// deflate can do is about 1030; texts come to 5.
constexpr std::uint64_t bomb_bytes = std::uint64_t{16} << 20, bomb_ratio = 200;

struct Free {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

class Lister {
 public:
  Lister(int file, const Wanted& wanted) : wanted_(wanted), reader_(archive_read_new()) {
    struct stat status {};
    if (::fstat(file, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
    archive* const reader = reader_.get();
    archive_read_support_format_zip(reader);
    archive_read_support_format_tar(reader);
    archive_read_support_format_gnutar(reader);
    archive_read_support_filter_gzip(reader);
    archive_read_support_filter_bzip2(reader);
    archive_read_support_filter_xz(reader);
    archive_read_support_filter_zstd(reader);
    archive_read_support_filter_compress(reader);
    if (archive_read_open_fd(reader, file, block_bytes) != ARCHIVE_OK)
      say_unreadable();
    else
      open_ = true;
  }

  Entries list() {
    if (open_) read_all();
    return std::move(entries_);
  }

 private:
  static constexpr std::size_t block_bytes = 65536;

  void problem(const std::string& words) { entries_.problems.push_back(words); }

  std::string reason() const {
    const char* const words = archive_error_string(reader_.get());
    return words == nullptr ? "no reason is given" : shorten(escaped(words), 120);
  }

  void say_unreadable() {
    problem(size_ == 0 ? "The archive is empty: 0 bytes."
                       : "It is no zip or tar archive, or it is damaged (" + reason() + ").");
  }

  void say_cut_off() {
    problem("The archive is damaged or cut off (" + reason() +
            "): what stands before that is taken.");
  }

  void read_all() {
    archive_entry* header = nullptr;
    for (;;) {
      const int code = archive_read_next_header(reader_.get(), &header);
      if (code == ARCHIVE_EOF) return;
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
        if (entries_.list.empty())
          say_unreadable();
        else
          say_cut_off();
        return;
      }
      if (++headers_ > wanted_.most_entries) {
        problem("The archive holds more than " + std::to_string(wanted_.most_entries) +
                " files; the rest was not looked at.");
        return;
      }
      if (!read_entry(header)) return;
    }
  }

  /// False when the rest is not to be read.
  bool read_entry(archive_entry* header) {
    const char* name = archive_entry_pathname_utf8(header);
    if (name == nullptr) name = archive_entry_pathname(header);
    const std::string raw = name == nullptr ? "" : name;
    const auto path = inner_path(raw);
    if (!path) {
      if (archive_entry_filetype(header) != AE_IFDIR || (raw != "." && raw != "./")) left_out(raw);
      return skip();
    }
    Entry entry;
    entry.path = *path;
    entry.time = archive_entry_mtime_is_set(header) != 0 ? archive_entry_mtime(header) : 0;
    entry.kind = kind_of(header);
    bool goes_on = true;
    if (entry.kind == Kind::plain && wanted_.wants(entry.path)) {
      goes_on = read_bytes(header, entry);
    } else {
      goes_on = skip();
    }
    entries_.list.push_back(std::move(entry));
    return goes_on;
  }

  static Kind kind_of(archive_entry* header) {
    if (archive_entry_hardlink(header) != nullptr) return Kind::link;
    switch (archive_entry_filetype(header)) {
      case AE_IFREG:
      case 0:  // zips made on other systems say nothing
        return Kind::plain;
      case AE_IFDIR:
        return Kind::folder;
      case AE_IFLNK:
        return Kind::link;
      default:
        return Kind::fifo;
    }
  }

  void left_out(const std::string& path) {
    if (++led_out_ <= 3)
      problem("A name in the archive leads out of it and was left out: " + in_quotes(path, 80) +
              ".");
  }

  /// Counts what was unpacked. False, and said, when it is too much.
  bool spend(std::uint64_t bytes) {
    spent_ += bytes;
    const bool bomb =
        spent_ > bomb_bytes && spent_ / bomb_ratio > std::max<std::uint64_t>(size_, 1);
    if (!bomb && spent_ <= wanted_.most_bytes) return true;
    problem(bomb ? "The archive unpacks to more than " + std::to_string(bomb_ratio) +
                       " times its size; the rest was not looked at."
                 : "The archive unpacks to more than " + std::to_string(wanted_.most_bytes >> 20) +
                       " MiB; the rest was not looked at.");
    return false;
  }

  bool read_bytes(archive_entry* header, Entry& entry) {
    const std::size_t most = wanted_.most_of(entry.path);
    if (archive_entry_is_data_encrypted(header) == 1) {
      problem(escaped(entry.path) + " is encrypted: hand it in without a password.");
      return skip();
    }
    std::string bytes;
    char chunk[16384];
    for (;;) {
      const la_ssize_t count = archive_read_data(reader_.get(), chunk, sizeof chunk);
      if (count < 0) {
        problem(escaped(entry.path) + " cannot be unpacked (" + reason() + ").");
        return count != ARCHIVE_FATAL;
      }
      if (count == 0) break;
      if (!spend(static_cast<std::uint64_t>(count))) return false;
      bytes.append(chunk, static_cast<std::size_t>(count));
      if (bytes.size() > most) {
        entry.kind = Kind::too_large;
        return skip();
      }
    }
    kept_ += bytes.size();
    if (kept_ > wanted_.most_wanted_bytes) {
      problem("Its stages' files and archives have more than " +
              std::to_string(wanted_.most_wanted_bytes >> 20) +
              " MiB in all; the rest was not looked at.");
      return false;
    }
    entry.bytes = std::move(bytes);
    return true;
  }

  bool goes_on(int code) {
    if (code == ARCHIVE_FATAL) say_cut_off();
    return code != ARCHIVE_FATAL;
  }

  /// A zip that is a file is skipped without unpacking; whatever else is unpacked to be skipped, so
  /// that it counts.
  bool skip() {
    if (archive_format(reader_.get()) == ARCHIVE_FORMAT_ZIP &&
        archive_filter_count(reader_.get()) <= 1)
      return goes_on(archive_read_data_skip(reader_.get()));
    const void* block = nullptr;
    std::size_t count = 0;
    la_int64_t offset = 0;
    for (;;) {
      const int code = archive_read_data_block(reader_.get(), &block, &count, &offset);
      if (code == ARCHIVE_EOF) return true;
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return goes_on(code);
      if (!spend(count)) return false;
    }
  }

  const Wanted& wanted_;
  std::unique_ptr<archive, Free> reader_;
  bool open_ = false;
  std::size_t headers_ = 0, led_out_ = 0;
  std::uint64_t size_ = 0, spent_ = 0, kept_ = 0;
  Entries entries_;
};

}  // namespace

Entries list_archive(int file, const Wanted& wanted) { return Lister(file, wanted).list(); }

}  // namespace gridstride
