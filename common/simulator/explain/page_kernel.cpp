// The section of one kernel.
#include "common/simulator/explain/page_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/explain/html.h"
#include "common/simulator/report/formatting.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr double least_part = 0.01;

std::string decimal(double value) { return fmt::format("{:.3f}", value); }

std::string extents(const json& dim) {
  std::string text;
  for (const json& extent : dim) {
    text += (text.empty() ? "" : " × ") + std::to_string(extent.get<std::uint64_t>());
  }
  return text;
}

std::string fact(const std::string& name, const std::string& value, const std::string& more = "") {
  return "<div>" + element("dt", name) + "<dd>" + escaped(value) +
         (more.empty() ? "" : element("small", more)) + "</dd></div>";
}

std::string rate_fact(const json& kernel, const json& roofs, const char* name, const char* work,
                      const char* roof, const char* unit) {
  const double seconds = kernel.at("seconds");
  const double rate = seconds > 0 ? kernel.at("achieved").at(work).get<double>() / seconds : 0;
  const double best = roofs.at(roof);
  return fact(name, rate_text(rate, unit),
              percent_text(rate / best) + " of " + rate_text(best, unit));
}

std::string facts(const json& kernel, const json& roofs) {
  const std::uint64_t launches = kernel.at("launches");
  return "<dl class=\"facts\">" +
         fact("modelled time", seconds_text(kernel.at("seconds")),
              std::to_string(launches) + (launches == 1 ? " launch" : " launches")) +
         fact("blocks × threads", extents(kernel.at("grid")), extents(kernel.at("block"))) +
         fact("occupancy", percent_text(kernel.at("occupancy")),
              "limited by " + kernel.at("occupancy_limiter").get<std::string>()) +
         rate_fact(kernel, roofs, "DRAM", "dram_bytes", "dram", "B/s") +
         rate_fact(kernel, roofs, "L2", "l2_bytes", "l2", "B/s") +
         rate_fact(kernel, roofs, "FP32", "flops", "fp32", "FLOP/s") + "</dl>";
}

std::string advice(const json& kernel) {
  const json& all = kernel.at("advice");
  if (all.empty()) return "";
  const std::string main = main_file(kernel);
  std::string html = "<h3>What to mend</h3><ol class=\"advice\">";
  for (const json& one : all) {
    const std::uint64_t line = one.at("line");
    std::string text = one.at("text");
    if (line != 0) text = line_text(one.at("file").get<std::string>(), line, main) + ": " + text;
    html += "<li><span class=\"gain\" title=\"of the kernel's time, by the model\">−" +
            escaped(percent_text(one.at("saved_share"))) + "</span>" + element("p", text + ".") +
            element("p", one.at("repair").get<std::string>(), "soft") + "</li>";
  }
  return html + "</ol>";
}

std::string bars(const json& kernel) {
  const double seconds = kernel.at("seconds");
  std::string html =
      "<h3>Where the time goes</h3><p class=\"soft\">What each part of the GPU alone would take; "
      "they "
      "work side by side.</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Parts of "
      "the GPU\"><table class=\"bars\"><thead><tr><th class=\"text\" scope=\"col\">part</th><th "
      "scope=\"col\">time</th><th scope=\"col\">share</th><th></th></tr></thead><tbody>";
  for (const json& bound : kernel.at("bounds")) {
    const double share = seconds > 0 ? bound.at("seconds").get<double>() / seconds : 0;
    if (share < least_part) continue;
    html += "<tr>" + element("td", bound.at("part").get<std::string>(), "text") +
            element("td", seconds_text(bound.at("seconds"))) + element("td", percent_text(share)) +
            "<td class=\"bar\"><span style=\"width:" + decimal(100 * std::min(share, 1.0)) +
            "%\"></span></td></tr>";
  }
  return html + "</tbody></table></div>";
}

/// How many times the fewest possible; marked when it is more than once.
std::string cell_against_ideal(const json& line, const char* now, const char* ideal) {
  const double value = line.at(now), best = line.at(ideal);
  if (value <= 0) return "<td></td>";
  if (best <= 0 || value <= best * 1.005) return "<td>1×</td>";
  return element("td", number_text(value / best) + "×", "worse");
}

/// A column of costs, in front of the source.
struct Column {
  const char* name;
  const char* title;
  const char* counted;  ///< the figure without which there is nothing to show in the whole listing
  std::string (*cell)(const json& line);
};

const Column columns[] = {
    {"time", "share of the kernel's modelled time", "instructions",
     [](const json& line) {
       const double share = line.at("share");
       return element("td", share < 0.0005 ? "" : percent_text(share));
     }},
    {"sectors", "sectors of global memory against the fewest possible", "sectors",
     [](const json& line) { return cell_against_ideal(line, "sectors", "ideal_sectors"); }},
    {"banks", "passes through shared memory against the fewest possible", "wavefronts",
     [](const json& line) { return cell_against_ideal(line, "wavefronts", "ideal_wavefronts"); }},
    {"atomics", "operations of global atomics in the L2", "atomics",
     [](const json& line) {
       const double atomics = line.at("atomics");
       return element("td", atomics == 0 ? "" : count_text(atomics));
     }},
    {"lanes", "active lanes of 32 on average", "instructions",
     [](const json& line) {
       const double lanes = line.at("active_lanes");
       return element("td", number_text(lanes), lanes <= 24 ? "worse" : "");
     }},
};

std::vector<const Column*> columns_of(const SourceListing& listing) {
  std::vector<const Column*> used;
  for (const Column& column : columns) {
    const bool any =
        std::any_of(listing.lines.begin(), listing.lines.end(), [&](const SourceLine& line) {
          return !line.cost.is_null() && line.cost.at(column.counted).get<double>() > 0;
        });
    if (any) used.push_back(&column);
  }
  return used;
}

std::string row(const SourceLine& line, const std::vector<const Column*>& used) {
  std::string html = "<tr>", mark;
  if (!line.cost.is_null()) {
    html = "<tr class=\"hot\" style=\"--heat:" + decimal(line.cost.at("share")) + "\">";
    if (line.cost.at("findings") != 0)
      mark = "<span class=\"bad\" title=\"a mistake was found here\">●</span> ";
  }
  for (const Column* column : used) {
    html += line.cost.is_null() ? "<td></td>" : column->cell(line.cost);
  }
  return html + fmt::format("<td class=\"number\">{}{}</td>{}</tr>", mark, line.number,
                            element("td", line.text, "text code"));
}

std::string source(const json& kernel, const Explained& explained) {
  std::string html = "<h3>Source</h3>";
  for (const SourceListing& listing : listings(kernel, explained.sources)) {
    const std::vector<const Column*> used = columns_of(listing);
    html +=
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Source with "
        "costs\"><table "
        "class=\"source\"><thead><tr>";
    for (const Column* column : used) {
      html +=
          "<th scope=\"col\" title=\"" + escaped(column->title) + "\">" + column->name + "</th>";
    }
    html += "<th scope=\"col\">line</th>" + element("th", base_name(listing.file), "text code") +
            "</tr></thead><tbody>";
    std::uint64_t last = 0;
    for (const SourceLine& line : listing.lines) {
      if (last != 0 && line.number > last + 1) {
        html += fmt::format("<tr class=\"gap\"><td colspan=\"{}\">…</td></tr>", used.size() + 2);
      }
      last = line.number;
      html += row(line, used);
    }
    html += "</tbody></table></div>";
  }
  return html;
}

}  // namespace

std::string section_of(const json& kernel, const Explained& explained) {
  std::string html = "<section class=\"card\">" +
                     element("h2", short_kernel(kernel.at("kernel").get<std::string>()), "code");
  const std::string parent = kernel.at("parent");
  if (!parent.empty()) html += element("p", "launched by " + short_kernel(parent), "soft");
  for (const json& finding : kernel.at("findings")) {
    const std::uint64_t line = finding.at("line");
    html += element("p",
                    fmt::format("Mistake{}: {}", line == 0 ? "" : fmt::format(" in line {}", line),
                                finding.at("message").get<std::string>()),
                    "mistake");
  }
  html += element("p", kernel.at("headline").get<std::string>());
  html += facts(kernel, explained.report.at("device").at("roofs"));
  return html + advice(kernel) + bars(kernel) + source(kernel, explained) + "</section>";
}

}  // namespace gridstride::sim
