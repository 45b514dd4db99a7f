// The ladder as one HTML page: bars that need no script.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/simulator/explain/html.h"
#include "grader/bench/ladder.h"
#include "grader/bench/ladder_cells.h"

namespace gridstride {
namespace {

using sim::element;
using sim::escaped;

/// The bar is the speed against the fastest row of the size: time goes the other way.
std::string row(const Rung& rung, double fastest) {
  const RungCells cells = cells_of(rung);
  const double width = rung.seconds > 0 ? 100 * fastest / rung.seconds : 0;
  return "<tr>" + element("td", rung.name, rung.is_library ? "text soft" : "text") +
         element("td", cells.time) + element("td", cells.rate) + element("td", cells.share) +
         element("td", cells.library) + element("td", cells.spread, "soft") +
         fmt::format("<td class=\"bar\"><span style=\"width: {:.1f}%\"></span></td></tr>", width);
}

std::string card(const std::string& size, const std::vector<Rung>& rungs) {
  double fastest = rungs.front().seconds;
  for (const Rung& rung : rungs) fastest = std::min(fastest, rung.seconds);
  std::string html =
      "<section class=\"card\">" + element("h2", size.empty() ? "Beside the stages" : size) +
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"bars\"><thead><tr>"
      "<th class=\"text\" scope=\"col\">row</th><th scope=\"col\">time</th>"
      "<th scope=\"col\">rate</th><th scope=\"col\">of the machine</th>"
      "<th scope=\"col\">library's speed</th><th scope=\"col\">spread</th>"
      "<th class=\"text\" scope=\"col\">speed, the fastest is 100 %</th></tr></thead><tbody>";
  for (const Rung& rung : rungs) html += row(rung, fastest);
  return html + "</tbody></table></div></section>";
}

std::string article(const Ladder& ladder) {
  std::string html = "<article>" + element("h1", ladder.lab);
  if (!ladder.device.empty()) html += element("p", ladder.device, "soft");
  for (std::size_t begin = 0, end = 0; begin < ladder.rungs.size(); begin = end) {
    const std::string& size = ladder.rungs[begin].size;
    while (end < ladder.rungs.size() && ladder.rungs[end].size == size) ++end;
    html += card(size, {ladder.rungs.begin() + static_cast<std::ptrdiff_t>(begin),
                        ladder.rungs.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  return html + "</article>";
}

}  // namespace

std::string ladder_page(const std::vector<Ladder>& ladders) {
  std::string title = "The ladder";
  if (ladders.size() == 1) title += " of " + ladders.front().lab;
  std::string html;
  for (const Ladder& ladder : ladders) html += article(ladder);
  html += element("p",
                  "Medians of launches on a cold L2. Of the machine: against the best rate of a "
                  "kernel that only reads, or only copies, measured before; of fp32: against two "
                  "operations a clock and lane. Spread: standard deviation over mean.",
                  "soft");
  return sim::whole_page(title, "", html);
}

}  // namespace gridstride
