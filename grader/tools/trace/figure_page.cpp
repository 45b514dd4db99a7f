// See the header.
#include "grader/tools/trace/figure_page.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/text.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines.push_back(line);
  return lines;
}

/// Behind the paragraph in italics that begins at `begin`, blank lines before it left out; `begin` where none does.
std::size_t behind_caption(const std::vector<std::string>& lines, std::size_t begin) {
  std::size_t i = begin;
  while (i < lines.size() && lines[i].empty()) ++i;
  if (i == lines.size() || !lines[i].starts_with('*') || lines[i].starts_with("**") ||
      lines[i].starts_with("* "))
    return begin;
  while (i < lines.size() && !lines[i].empty()) ++i;
  return lines[i - 1].ends_with('*') ? i : begin;
}

}  // namespace

std::string with_figure(const std::string& page, const std::string& name,
                        const sim::DrawnFigure& figure) {
  constexpr std::size_t columns = 116;
  const std::string link = "](figures/" + name + ")";
  const std::vector<std::string> lines = lines_of(page);
  std::string result;
  bool shown = false;
  for (std::size_t i = 0; i < lines.size();) {
    const bool here = lines[i].starts_with("![") && lines[i].ends_with(link);
    if (!here) {
      result += lines[i++] + "\n";
      continue;
    }
    shown = true;
    result += "![" + figure.alt + link + "\n";
    const std::size_t next = behind_caption(lines, ++i);
    if (figure.caption.empty()) continue;
    result += "\n";
    for (const std::string& line : wrap("*" + figure.caption + "*", columns)) result += line + "\n";
    i = next;
    if (i < lines.size() && !lines[i].empty()) result += "\n";
  }
  return shown ? result : "";
}

std::vector<fs::path> update_pages(const fs::path& svg, const sim::DrawnFigure& figure) {
  std::vector<fs::path> pages;
  constexpr std::size_t largest = std::size_t{1} << 20;
  const fs::path folder = fs::absolute(svg).parent_path();
  if (folder.filename() != "figures") return pages;
  for (const auto& entry : fs::directory_iterator(folder.parent_path())) {
    if (entry.path().extension() != ".md" || !entry.is_regular_file()) continue;
    const std::string page = read_file(entry.path(), largest);
    const std::string updated = with_figure(page, svg.filename().string(), figure);
    if (updated.empty()) continue;
    if (updated != page) write_file(entry.path(), updated);
    pages.push_back(entry.path());
  }
  std::ranges::sort(pages);
  return pages;
}

}  // namespace gridstride::cli
