// Rows and columns that fit where they are shown.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/terminal.h"

namespace gridstride {

struct GridCell {
  std::string text;
  std::function<std::string(const std::string&)> paint = {};  ///< empty: as it is
};

struct GridColumn {
  std::string title;
  /// What matters least is left out first, from the highest rank on; 0 stays whatever the width.
  int rank = 0;
  bool right = true;
  /// Columns that it may be cut to before any column is left out; 0: it is not cut for that.
  std::size_t least = 0;
  std::vector<GridCell> cells = {};  ///< as many in each column

  std::size_t width() const;
};

/// The titles and below them the rows, two columns of margin, in `style.width`. A column of a rank
/// above 0 whose cells are all "-" or empty is left out. Where all of rank 0 are too wide together, the
/// first is cut.
std::string to_grid(std::vector<GridColumn> columns, const TextStyle& style);

}  // namespace gridstride
