// See the header. Made of the same JSON as the page is.
#include "common/simulator/playback/figure.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/simulator/explain/html.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr std::int64_t most_elements = 256, usual_columns = 32;
constexpr int gutter = 44, cell = 30, gap = 2, caption = 20, title_height = 26, foot = 10;

// Okabe and Ito's hues, as the page's.
constexpr const char* style =
    "text{font:10px system-ui,sans-serif;text-anchor:middle;fill:#1c2024}"
    ".c{font-size:12px;text-anchor:start}.t{font-size:15px;font-weight:600;text-anchor:start}"
    ".s{fill:#5f6b76}.l{font-size:7px}.i{text-anchor:end}rect{fill:#eef2f5}.p rect{fill:#fff}"
    ".read{fill:#56b4e9}.write{fill:#e69f00}.atomic{fill:#cc79a7}.on{fill:#000}"
    "@media(prefers-color-scheme:dark){text{fill:#e7eaec}.s{fill:#9aa5af}rect{fill:#262c32}"
    ".p rect{fill:#14171a}.on{fill:#000}.read{fill:#56b4e9}.write{fill:#e69f00}"
    ".atomic{fill:#cc79a7}}";

/// One element that one lane of a step touches.
struct Touch {
  unsigned lane = 0;
  std::int64_t index = 0;
  json value;  ///< null where the access was refused
};

std::vector<Touch> touches_of(const json& step, std::int64_t array) {
  std::vector<Touch> touches;
  if (step.size() < 8 || !step.at(7).contains("accesses")) return touches;
  for (const json& access : step.at(7).at("accesses")) {
    if (access.at("array") != array) continue;
    const json& values = access.at("values");
    const std::int64_t width = access.value("width", std::int64_t{1});
    std::size_t number = 0;
    for (auto rest = access.value("lanes", step.at(3).get<std::uint32_t>()); rest != 0;
         rest &= rest - 1, ++number) {
      const std::int64_t first =
          access.contains("at")
              ? access.at("at").at(number).get<std::int64_t>()
              : access.at("first").get<std::int64_t>() +
                    static_cast<std::int64_t>(number) * access.value("stride", std::int64_t{0});
      for (std::int64_t k = 0; k < width; ++k) {
        const std::size_t at =
            number * static_cast<std::size_t>(width) + static_cast<std::size_t>(k);
        const json value = values.size() == 1   ? values.at(0)
                           : at < values.size() ? values.at(at)
                                                : json();
        touches.push_back({static_cast<unsigned>(std::countr_zero(rest)), first + k, value});
      }
    }
  }
  return touches;
}

/// Five characters at most, where it is a number: "-311k", "0.48".
std::string cell_text(const json& value) {
  if (value.is_null()) return {};
  if (!value.is_number()) return value.get<std::string>().substr(0, 5);
  double number = value.get<double>();
  constexpr double most = 10'000;
  if (std::abs(number) < most && number == std::floor(number)) return fmt::format("{:.0f}", number);
  if (std::abs(number) < 1000) return fmt::format("{:.2g}", number);
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T"}) {
    if (std::abs(number) < 1000) break;
    number /= 1000;
    unit = next;
  }
  return fmt::format("{:.{}f}{}", number, std::abs(number) < 10 ? 1 : 0, unit);
}

const char* deed_of(const json& op) {
  const std::string kind = op.at(1);
  return kind == "load" ? "read" : kind == "store" ? "write" : "atomic";
}

/// The array's number in the recording, of the first recorded block.
std::int64_t array_named(const json& recording, const std::string& name) {
  std::string known;
  const json& arrays = recording.at("arrays");
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays.at(i).at("block") != 0) continue;
    if (arrays.at(i).at("name") == name) return static_cast<std::int64_t>(i);
    known += (known.empty() ? "" : ", ") + arrays.at(i).at("name").get<std::string>();
  }
  throw TraceError("there is no array '" + name + "' in this launch; there is " +
                   (known.empty() ? "none" : known));
}

std::size_t step_meant(const json& recording, std::int64_t array, const FigureStep& wanted) {
  std::uint32_t times = 0;
  std::map<std::string, int> elsewhere;
  const json& steps = recording.at("steps");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const json &step = steps.at(i), &op = recording.at("ops").at(step.at(0).get<std::size_t>());
    if (touches_of(step, array).empty()) continue;
    if (op.at(3) == wanted.line && step.at(1) == wanted.warp &&
        (wanted.access.empty() || wanted.access == deed_of(op))) {
      if (++times == wanted.time) return i;
    }
    ++elsewhere[fmt::format("line {} warp {} {}", op.at(3).get<std::uint32_t>(),
                            step.at(1).get<std::uint32_t>(), deed_of(op))];
  }
  std::string known;
  std::size_t told = 0;
  constexpr std::size_t most = 12;
  for (const auto& [place, count] : elsewhere) {
    if (told++ == most) break;
    known += fmt::format("\n  {}: {} time{}", place, count, count == 1 ? "" : "s");
  }
  throw TraceError(fmt::format(
      "line {}, warp {} touches the array {} time{}, and time {} was asked for. There is:{}{}",
      wanted.line, wanted.warp, times, times == 1 ? "" : "s", wanted.time,
      known.empty() ? " nothing" : known, elsewhere.size() > most ? "\n  …" : ""));
}

std::string text_at(double x, double y, const char* css_class, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>", x, y, css_class,
                     escaped(text));
}

/// An array's picture: `y` grows by what is drawn.
struct Drawing {
  const json& array;
  std::int64_t columns = 0, elements = 0;
  int y = 0;
  std::string svg{};

  bool has_banks() const {
    return array.at("space") == "shared" && array.at("bytes") == 4 && columns == usual_columns &&
           array.at("offset").get<std::int64_t>() % (4 * usual_columns) == 0;
  }
  double x_of(std::int64_t column) const {
    return gutter + static_cast<double>(column) * (cell + gap);
  }

  void head() {
    if (!has_banks()) return;
    svg += text_at(gutter - 6, y + 10, "s i", "bank");
    for (std::int64_t column = 0; column < columns; ++column)
      svg += text_at(x_of(column) + cell / 2.0, y + 10, "s", std::to_string(column));
    y += 14;
  }

  void cells(const std::map<std::int64_t, json>& values, const std::vector<Touch>& touches,
             const char* deed) {
    std::map<std::int64_t, std::vector<unsigned>> lanes;
    for (const Touch& touch : touches) lanes[touch.index].push_back(touch.lane);
    for (std::int64_t index = 0; index < elements; ++index) {
      const double x = x_of(index % columns);
      if (index % columns == 0) svg += text_at(gutter - 6, y + 18, "s i", std::to_string(index));
      const auto touched = lanes.find(index);
      const bool now = touched != lanes.end();
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"{}/>", x, y,
                         cell, cell - 4, now ? fmt::format(" class=\"{}\"", deed) : "");
      if (now) {
        const auto& who = touched->second;
        svg += text_at(
            x + cell / 2.0, y + 8, "l on",
            who.size() == 1 ? std::to_string(who.front()) : fmt::format("{} lanes", who.size()));
      }
      if (const auto value = values.find(index); value != values.end())
        svg +=
            text_at(x + cell / 2.0, y + (now ? 20 : 17), now ? "on" : "", cell_text(value->second));
      if (index % columns == columns - 1 || index == elements - 1) y += cell - 4 + gap;
    }
  }
};

std::string says(const json& recording, const json& step, const json& op,
                 const FigureStep& wanted) {
  if (!wanted.says.empty()) return wanted.says;
  const std::string deed = deed_of(op);
  std::string text = fmt::format("line {}, warp {} {}", op.at(3).get<std::uint32_t>(), wanted.warp,
                                 deed == "read"    ? "reads"
                                 : deed == "write" ? "writes"
                                                   : "changes atomically");
  const std::uint32_t passes = step.at(7).value("passes", 1u);
  if (passes > 1) text += fmt::format(", in {} passes", passes);
  return text + fmt::format(" (cycle {:.0f} of {})", step.at(4).get<double>(),
                            recording.at("title").get<std::string>());
}

}  // namespace

std::string to_figure(const Playback& playback, const Figure& figure) {
  const json recording = to_json(playback);
  const std::int64_t number = array_named(recording, figure.array);
  const json& array = recording.at("arrays").at(static_cast<std::size_t>(number));
  const json& extents = array.at("extents");
  Drawing drawing{.array = array};
  drawing.columns = figure.columns != 0 ? figure.columns
                    : extents.empty()   ? usual_columns
                                        : extents.back().get<std::int64_t>();
  drawing.elements = std::min(array.at("elements").get<std::int64_t>(),
                              figure.elements != 0 ? std::int64_t{figure.elements} : most_elements);
  drawing.columns = std::max<std::int64_t>(1, std::min(drawing.columns, drawing.elements));
  drawing.y = 4;
  if (!figure.title.empty()) {
    drawing.svg += text_at(4, drawing.y + 14, "t", figure.title);
    drawing.y += title_height;
  }
  for (const FigureStep& wanted : figure.steps) {
    const std::size_t meant = step_meant(recording, number, wanted);
    std::map<std::int64_t, json> values;
    const json& steps = recording.at("steps");
    for (std::size_t i = 0; i <= meant; ++i) {
      for (const Touch& touch : touches_of(steps.at(i), number)) {
        if (!touch.value.is_null()) values[touch.index] = touch.value;
      }
    }
    const json &step = steps.at(meant), &op = recording.at("ops").at(step.at(0).get<std::size_t>());
    drawing.svg += text_at(4, drawing.y + 13, "c", says(recording, step, op, wanted));
    drawing.y += caption;
    drawing.head();
    drawing.cells(values, touches_of(step, number), deed_of(op));
    drawing.y += foot;
  }
  const double width = drawing.x_of(drawing.columns) + 4;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" "
      "aria-label=\"{}\"><style>{}</style><g class=\"p\"><rect width=\"100%\" "
      "height=\"100%\"/></g>{}</svg>\n",
      width, drawing.y, width,
      escaped(figure.title.empty() ? figure.array + " step by step" : figure.title), style,
      drawing.svg);
}

}  // namespace gridstride::sim
