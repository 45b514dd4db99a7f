// The explanation as one HTML page.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/explain/explained.h"
#include "common/simulator/explain/html.h"
#include "common/simulator/explain/page_kernel.h"
#include "common/simulator/explain/page_parts.h"
#include "common/simulator/report/formatting.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

bool ran(const Explained& one) {
  return !one.report.is_null() && !one.report.at("device").is_null() &&
         !one.report.at("kernels").empty();
}

/// A point for each kernel and memory: operations a byte, operations a second.
json points_of(const json& report) {
  json points = json::array();
  for (const json& kernel : report.at("kernels")) {
    const json& achieved = kernel.at("achieved");
    const double seconds = kernel.at("seconds"), flops = achieved.at("flops");
    for (const auto& [memory, key] : {std::pair{"DRAM", "dram_bytes"}, {"L2", "l2_bytes"}}) {
      const double bytes = achieved.at(key);
      if (flops <= 0 || bytes <= 0 || seconds <= 0) continue;
      points.push_back({{"kernel", short_kernel(kernel.at("kernel").get<std::string>())},
                        {"memory", memory},
                        {"x", flops / bytes},
                        {"y", flops / seconds}});
    }
  }
  return points;
}

std::string roofline(const json& report, std::size_t index) {
  const json points = points_of(report);
  const json& roofs = report.at("device").at("roofs");
  std::string html = "<section class=\"card\"><h2>Roofline</h2>";
  if (points.empty()) {
    return html +
           "<p class=\"soft\">No kernel computes with floating-point numbers: there is no point "
           "to draw. What counts is how near it comes to the bandwidth of the memory.</p>"
           "</section>";
  }
  const double fp32 = roofs.at("fp32"), dram = roofs.at("dram"), l2 = roofs.at("l2");
  const json figures = {
      {"fp32", fp32},
      {"roofs",
       {{{"name", "DRAM " + rate_text(dram, "B/s") + ", FP32 " + rate_text(fp32, "FLOP/s")},
         {"memory", "DRAM"},
         {"rate", dram}},
        {{"name", "L2 " + rate_text(l2, "B/s")}, {"memory", "L2"}, {"rate", l2}}}},
      {"points", points}};
  const std::string id = "figures-" + std::to_string(index);
  html +=
      "<p class=\"soft\">A point on a slope is bound by that memory, a point under the flat roof "
      "by "
      "arithmetic; the distance to the roof is what is left to gain. Roofs are those of the "
      "simulated "
      "GPU, a real one scaled down.</p><div class=\"chart\"><canvas role=\"img\" "
      "aria-label=\"Roofline plot; "
      "its figures are in the table below\" data-figures=\"" +
      id + "\"></canvas></div><script type=\"application/json\" id=\"" + id + "\">" +
      embedded(figures) +
      "</script><details><summary>The figures as a table</summary><div "
      "class=\"scroll\"><table><thead>"
      "<tr><th class=\"text\" scope=\"col\">kernel</th><th class=\"text\" "
      "scope=\"col\">memory</th><th "
      "scope=\"col\">FLOP/byte</th><th scope=\"col\">FLOP/s</th><th scope=\"col\">roof "
      "there</th></tr></thead><tbody>";
  for (const json& point : points) {
    const double rate = point.at("memory") == "DRAM" ? dram : l2;
    const double roof = std::min(fp32, point.at("x").get<double>() * rate);
    html += "<tr>" + element("td", point.at("kernel").get<std::string>(), "text code") +
            element("td", point.at("memory").get<std::string>(), "text") +
            element("td", number_text(point.at("x"))) +
            element("td", rate_text(point.at("y"), "FLOP/s")) +
            element("td", rate_text(roof, "FLOP/s")) + "</tr>";
  }
  return html + "</tbody></table></div></details></section>";
}

std::string article(const Explained& one, std::size_t index) {
  std::string html = fmt::format("<article id=\"stage-{}\"><h1>{}", index, escaped(one.title));
  if (!one.verdict.empty()) {
    html += one.verdict == "pass" ? element("span", "answer right", "verdict good")
                                  : element("span", one.verdict, "verdict bad");
  }
  html += "</h1>";
  if (!one.message.empty()) html += element("p", one.message, "message");
  if (one.verdict == "todo") return html + "</article>";
  if (!ran(one)) {
    return html + "<p class=\"soft\">Nothing ran on the simulated GPU.</p></article>";
  }
  html += element("p",
                  one.report.at("device").at("name").get<std::string>() + ", " +
                      seconds_text(one.report.at("seconds")) + " of modelled time",
                  "soft");
  for (const std::string& sentence : one.comparison) html += element("p", sentence);
  for (const json& refusal : one.report.at("refusals")) {
    html += element("p", "Refused: " + refusal.get<std::string>(), "mistake");
  }
  for (const json& note : one.report.at("notes")) {
    html += element("p", "Note: " + note.get<std::string>(), "soft");
  }
  for (const json& kernel : one.report.at("kernels")) html += section_of(kernel, one);
  return html + roofline(one.report, index) + "</article>";
}

}  // namespace

std::string to_page(const std::vector<Explained>& all) {
  std::string title;
  for (const Explained& one : all) title += (title.empty() ? "" : ", ") + one.title;
  std::string html;
  if (all.size() > 1) {
    html += "<nav aria-label=\"Stages\"><ul>";
    for (std::size_t i = 0; i < all.size(); ++i) {
      html += fmt::format("<li><a href=\"#stage-{}\">{}</a></li>", i, escaped(all[i].title));
    }
    html += "</ul></nav>";
  }
  for (std::size_t i = 0; i < all.size(); ++i) html += article(all[i], i);
  const std::string scripts = "<!-- The next script is Chart.js.\n" + std::string(chart_license) +
                              "-->\n<script>" + std::string(chart_library) + "</script>\n<script>" +
                              std::string(page_script) + "</script>";
  return whole_page(title + " explained", "", html, scripts);
}

}  // namespace gridstride::sim
