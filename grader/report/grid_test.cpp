// A grid fits: what may be cut is cut, then what matters least is left out.
#include "grader/report/grid.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

std::vector<GridColumn> columns() {
  return {{"name", 0, false, 0, {{"first"}, {"a_longer_name"}}},
          {"points", 0, true, 0, {{"10"}, {"8"}}},
          {"since", 2, false, 0, {{"2026-01-31"}, {""}}},
          {"title", 1, false, 8, {{"Words about it that are long"}, {"Few"}}}};
}

TEST(Grid, ShowsEverythingWhereThereIsRoom) {
  EXPECT_EQ(to_grid(columns(), {false, 80}),
            "  name           points  since       title\n"
            "  first              10  2026-01-31  Words about it that are long\n"
            "  a_longer_name       8              Few\n");
}

TEST(Grid, CutsBeforeItLeavesOut) {
  EXPECT_EQ(to_grid(columns(), {false, 50}),
            "  name           points  since       title\n"
            "  first              10  2026-01-31  Words about …\n"
            "  a_longer_name       8              Few\n");
  EXPECT_EQ(to_grid(columns(), {false, 40}),
            "  name           points  title\n"
            "  first              10  Words a…\n"
            "  a_longer_name       8  Few\n");
  EXPECT_EQ(to_grid(columns(), {false, 20}),
            "  name        points\n"
            "  first           10\n"
            "  a_longer_…       8\n");
}

TEST(Grid, LeavesOutWhatSaysNothing) {
  std::vector<GridColumn> all = columns();
  all[2].cells = {{"-"}, {""}};
  EXPECT_EQ(to_grid(all, {false, 80}).find("since"), std::string::npos);
}

TEST(Grid, ColoursTakeNoRoom) {
  std::vector<GridColumn> all = columns();
  for (GridColumn& column : all) {
    for (GridCell& cell : column.cells)
      cell.paint = [](const std::string& text) { return "\x1b[32m" + text + "\x1b[0m"; };
  }
  for (const std::size_t width : {80u, 40u})
    EXPECT_EQ(clean_text(to_grid(all, {true, width})), to_grid(columns(), {false, width}));
}

}  // namespace
}  // namespace gridstride
