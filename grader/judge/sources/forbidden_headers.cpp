// From the headers that a stage may use, by their include directives, to all that they bring along.
#include "grader/judge/sources/forbidden_headers.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "grader/compile/stage_files.h"
#include "common/source_text.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// What stands behind the folder of headers in `path`: "cub/cub.cuh" of
/// /usr/local/cuda/include/cccl/cub/cub.cuh. A toolkit's own path may have a folder cuda too.
std::string_view behind_include(std::string_view path) {
  constexpr std::string_view folder = "/include/";
  const std::size_t at = path.find(folder);
  return at == std::string_view::npos ? path.substr(path.starts_with('/') ? 1 : 0)
                                      : path.substr(at + folder.size());
}

/// "../details/x.h" and "./x.h" as what the path of the file ends in.
std::string_view without_dots(std::string_view name) {
  for (;;) {
    if (name.starts_with("./")) {
      name.remove_prefix(2);
    } else if (name.starts_with("../")) {
      name.remove_prefix(3);
    } else {
      return name;
    }
  }
}

/// Empty for what is no longer there: the library may have been built on another machine.
std::string text_of_header(const fs::path& path) {
  try {
    // The toolkit's folders are often links.
    return read_file(fs::weakly_canonical(path));
  } catch (const std::exception&) {
    return {};
  }
}

struct Header {
  fs::path path;
  bool forbidden = false, reached = false;
};

}  // namespace

std::string forbidden_name(const fs::path& header, const std::vector<std::string>& forbidden) {
  const std::string path = header.lexically_normal().string();
  const std::string_view name = behind_include(path);
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view rest = name.substr(at);
    if (std::ranges::any_of(forbidden,
                            [&](const auto& prefix) { return rest.starts_with(prefix); }))
      return std::string(rest);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) break;
    at += slash + 1;
  }
  return {};
}

std::string forbidden_header(const std::vector<fs::path>& opened, const fs::path& tree,
                             const std::vector<std::string>& forbidden) {
  std::vector<Header> headers;
  bool any = false;
  for (const fs::path& path : opened) {
    const bool ours = path.is_relative();
    headers.push_back(
        {ours ? tree / path : path, !ours && !forbidden_name(path, forbidden).empty()});
    any |= headers.back().forbidden;
  }
  if (!any) return {};
  std::deque<Header*> to_read;
  for (Header& header : headers) {
    header.reached = !header.forbidden;
    if (header.reached) to_read.push_back(&header);
  }
  for (; !to_read.empty(); to_read.pop_front()) {
    for (const IncludeDirective& one : include_directives(text_of_header(to_read.front()->path))) {
      const std::string end = "/" + std::string(without_dots(one.header));
      for (Header& header : headers) {
        if (header.reached || !header.path.string().ends_with(end)) continue;
        header.reached = true;
        to_read.push_back(&header);
      }
    }
  }
  for (const Header& header : headers) {
    if (!header.reached) return forbidden_name(header.path, forbidden);
  }
  return {};
}

std::optional<std::vector<fs::path>> opened_for(const fs::path& library) {
  try {
    std::istringstream lines(read_file(headers_of(library)));
    std::vector<fs::path> files;
    for (std::string line; std::getline(lines, line);) files.emplace_back(line);
    return files;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace gridstride
