// What the course uses of libarchive.
#include <archive.h>
#include <archive_entry.h>

long run(int file) {
  archive* const reader = archive_read_new();
  archive_read_support_format_zip_seekable(reader);
  archive_read_support_format_tar(reader);
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_zstd(reader);
  archive_entry* entry = nullptr;
  long sum = 0;
  if (archive_read_open_fd(reader, file, 65536) == ARCHIVE_OK &&
      archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    const void* block = nullptr;
    size_t size = 0;
    la_int64_t offset = 0;
    while (archive_read_data_block(reader, &block, &size, &offset) == ARCHIVE_OK)
      sum += static_cast<long>(archive_filter_bytes(reader, -1));
    sum += archive_entry_is_data_encrypted(entry) + (archive_entry_hardlink(entry) != nullptr);
  }
  archive_read_free(reader);
  return sum;
}
