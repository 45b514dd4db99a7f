// The ladder on a terminal.
#include <fmt/core.h>

#include <string>

#include "common/simulator/report/formatting.h"
#include "common/text.h"
#include "grader/bench/ladder.h"
#include "grader/bench/ladder_cells.h"
#include "grader/report/grid.h"
#include "grader/report/table.h"

namespace gridstride {

RungCells cells_of(const Rung& rung) {
  RungCells cells;
  cells.time = sim::seconds_text(rung.seconds);
  if (rung.rate > 0) cells.rate = sim::rate_text(rung.rate, rung.unit.c_str());
  if (rung.share) cells.share = fmt::format("{:.0f} % of {}", *rung.share * 100, rung.roof);
  if (rung.speed_up) cells.library = factor(*rung.speed_up);
  cells.spread = fmt::format("±{:.1f} %", rung.spread * 100);
  return cells;
}

std::string ladder_table(const Ladder& ladder, const TextStyle& style) {
  GridColumn size{"size", 0, false}, name{"row", 0, false, 24}, time{"time"}, rate{"rate", 1},
      share{"of the machine", 2}, library{"library's speed", 1}, spread{"spread", 3};
  std::string shown;
  for (const Rung& rung : ladder.rungs) {
    const RungCells cells = cells_of(rung);
    size.cells.push_back({rung.size == shown ? "" : clean_text(rung.size)});
    shown = rung.size;
    const bool is_library = rung.is_library;
    name.cells.push_back({clean_text(rung.name), [&style, is_library](const std::string& text) {
                            return is_library ? style.dim(text) : text;
                          }});
    time.cells.push_back({cells.time});
    rate.cells.push_back({cells.rate});
    share.cells.push_back({cells.share});
    library.cells.push_back({cells.library});
    spread.cells.push_back({cells.spread});
  }
  const std::string title = style.bold(clean_text(ladder.lab)) +
                            (ladder.device.empty() ? "" : " on " + clean_text(ladder.device));
  return title + "\n\n" + to_grid({size, name, time, rate, share, library, spread}, style);
}

}  // namespace gridstride
