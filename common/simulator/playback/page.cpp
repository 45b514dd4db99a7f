// Recordings as one HTML page. What it shows of them and how, page/*.js knows.
#include "common/simulator/playback/page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/simulator/explain/html.h"
#include "common/simulator/playback/playback_parts.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

/// Only the first `count` steps, and what belongs to them.
void keep_steps(json& recording, std::size_t count) {
  json& steps = recording.at("steps");
  recording["left_out"] = recording.value("left_out", std::size_t{0}) + steps.size() - count;
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(count), steps.end());
  const auto is_left_out = [count](const json& step) {
    return step.get<std::int64_t>() >= static_cast<std::int64_t>(count);
  };
  json openings = json::array();
  for (const json& opening : recording.at("openings")) {
    if (opening.at(0).get<std::size_t>() <= count) openings.push_back(opening);
  }
  recording["openings"] = std::move(openings);
  for (json& finding : recording.at("findings")) {
    if (is_left_out(finding.at("step"))) finding["step"] = finding["other"] = -1;
  }
}

std::string as_script(const Playback& playback, std::size_t most_bytes) {
  json recording = to_json(playback);
  recording.erase("history");  // the page follows values itself
  std::string text = embedded(recording);
  while (text.size() > most_bytes && !recording.at("steps").empty()) {
    const std::size_t count = recording.at("steps").size();
    const double share = 0.98 * static_cast<double>(most_bytes) / static_cast<double>(text.size());
    keep_steps(recording,
               std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count))));
    text = embedded(recording);
  }
  return "<script type=\"application/json\" class=\"recording\">" + text + "</script>\n";
}

}  // namespace

std::string to_page(const std::vector<const Playback*>& all, std::size_t most_bytes) {
  std::string title, scripts;
  for (const Playback* playback : all) {
    title += (title.empty() ? "" : " against ") + playback->watched().title;
    scripts += as_script(*playback, most_bytes / all.size());
  }
  scripts +=
      "<script>\"use strict\";\n(() => {\n" + std::string(playback_script) + "})();</script>";
  return whole_page(title + " step by step", playback_style,
                    "<noscript><p>The page plays what it holds by a script.</p></noscript>",
                    scripts);
}

}  // namespace gridstride::sim
