// Archives as students and platforms make them, and as nobody should.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

struct TestEntry {
  enum class Kind : std::uint8_t { file, folder, link, hard_link, fifo, device };
  std::string path;
  std::string text;  ///< or where a link leads
  Kind kind = Kind::file;
  std::int64_t time = 1'700'000'000;
};

/// Writes a zip, or a tar whose compression the name says (.tar, .tar.gz, .tgz, .tar.xz, .tar.zst).
void write_archive(const std::filesystem::path& file, const std::vector<TestEntry>& entries);

/// A .tar.gz of one stage's file and so many MiB of zeros.
void write_bomb(const std::filesystem::path& file, const std::string& name, int mebibytes);

}  // namespace gridstride
