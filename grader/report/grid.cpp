// Columns carry a rank; when the terminal is narrow those of the highest rank go first.
#include "grader/report/grid.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

constexpr const char* column_gap = "  ";

/// Padded outside the colour, so that escape sequences do not count as width.
std::string pad(const GridColumn& column, const std::string& text, const std::string& painted) {
  const std::string blanks(column.width() - std::min(column.width(), display_width(text)), ' ');
  return column.right ? blanks + painted : painted + blanks;
}

std::size_t total_width(const std::vector<GridColumn>& columns) {
  std::size_t width = 0;
  for (const GridColumn& column : columns) width += display_width(column_gap) + column.width();
  return width;
}

bool says_nothing(const GridColumn& column) {
  return std::ranges::all_of(
      column.cells, [](const GridCell& cell) { return cell.text.empty() || cell.text == "-"; });
}

void cut(GridColumn& column, std::size_t width) {
  for (GridCell& cell : column.cells) cell.text = shorten(cell.text, width);
}

/// Takes from `column` what the whole is too wide, and leaves it `least` columns.
void cut_to_fit(GridColumn& column, std::size_t least, std::size_t whole, std::size_t room) {
  const std::size_t excess = whole - std::min(whole, room);
  if (excess == 0) return;
  cut(column, std::max(least, column.width() - std::min(column.width(), excess)));
}

void fit(std::vector<GridColumn>& columns, std::size_t width) {
  std::erase_if(columns,
                [](const GridColumn& column) { return column.rank > 0 && says_nothing(column); });
  for (GridColumn& column : columns) {
    if (column.least > 0) cut_to_fit(column, column.least, total_width(columns), width);
  }
  while (total_width(columns) > width) {
    const auto least = std::ranges::max_element(columns, {}, &GridColumn::rank);
    if (least->rank == 0) break;
    columns.erase(least);
  }
  cut_to_fit(columns.front(), 8, total_width(columns), width);
}

void append_row(std::string& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) out += column_gap + cell;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
}

}  // namespace

std::size_t GridColumn::width() const {
  std::size_t widest = display_width(title);
  for (const GridCell& cell : cells) widest = std::max(widest, display_width(cell.text));
  return widest;
}

std::string to_grid(std::vector<GridColumn> columns, const TextStyle& style) {
  fit(columns, style.width);
  std::string out;
  std::vector<std::string> row;
  for (const GridColumn& column : columns)
    row.push_back(pad(column, column.title, style.dim(column.title)));
  append_row(out, row);
  for (std::size_t i = 0; i < columns.front().cells.size(); ++i) {
    row.clear();
    for (const GridColumn& column : columns) {
      const GridCell& cell = column.cells[i];
      row.push_back(pad(column, cell.text, cell.paint ? cell.paint(cell.text) : cell.text));
    }
    append_row(out, row);
  }
  return out;
}

}  // namespace gridstride
