// gridstride-archive: what an archive holds, for entries_of_archive(), which starts it in a sandbox.
//
//   gridstride-archive ARCHIVE ENTRIES BYTES WANTED_BYTES ARCHIVES NAME…
//
// Writes packed() Entries to descriptor 3.
#include <fcntl.h>
#include <unistd.h>

#include <clocale>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/unique_fd.h"
#include "grader/submissions/entries.h"

int main(int argc, char** argv) {
  using namespace gridstride;
  if (argc < 6) return 2;
  std::setlocale(LC_CTYPE, "C.UTF-8");  // names in archives are UTF-8
  Wanted wanted;
  wanted.most_entries = std::strtoull(argv[2], nullptr, 10);
  wanted.most_bytes = std::strtoull(argv[3], nullptr, 10);
  wanted.most_wanted_bytes = std::strtoull(argv[4], nullptr, 10);
  wanted.archives = std::string_view(argv[5]) == "1";
  wanted.names.insert(argv + 6, argv + argc);
  const UniqueFd file(::open(argv[1], O_RDONLY | O_CLOEXEC));
  if (!file) return 2;
  const std::string bytes = packed(list_archive(file.get(), wanted));
  constexpr int out = 3;
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t count = ::write(out, bytes.data() + written, bytes.size() - written);
    if (count <= 0) return 3;
    written += static_cast<std::size_t>(count);
  }
  return 0;
}
