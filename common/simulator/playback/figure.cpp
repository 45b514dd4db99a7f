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
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/simulator/explain/html.h"
#include "common/text.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr std::int64_t most_elements = 256, usual_columns = 32;
constexpr int gutter = 46, gap = 2, caption = 20, title_height = 26, foot = 10, sector_bytes = 32;
constexpr double caption_letter = 6.6, title_letter = 8.6;
/// Of a cell with a value and the lane, and of one with the lane alone: 32 of those fit a page.
constexpr int wide = 30, high = 26, narrow = 18, low = 18;

// Okabe and Ito's hues, as the page's.
constexpr const char* style =
    "text{font:10px system-ui,sans-serif;text-anchor:middle;fill:#1c2024}"
    ".c{font-size:12px;text-anchor:start}.t{font-size:15px;font-weight:600;text-anchor:start}"
    ".s{fill:#5f6b76}.b{text-anchor:start}.l{font-size:7px}.i{text-anchor:end}rect{fill:#e6ebef}"
    ".p rect{fill:#fff}.near{fill:#b9ddf3}"
    ".read{fill:#56b4e9}.write{fill:#e69f00}.atomic{fill:#cc79a7}.on{fill:#000}"
    "@media(prefers-color-scheme:dark){text{fill:#e7eaec}.s{fill:#9aa5af}rect{fill:#2b3138}"
    ".p rect{fill:#14171a}.near{fill:#27506a}.on{fill:#000}.read{fill:#56b4e9}.write{fill:#e69f00}"
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

/// What a step does to the array, which an access says where it isn't what the whole instruction does: cp.async
/// reads one array and writes another.
const char* deed_of(const json& recording, const json& step, std::int64_t array) {
  std::string kind = recording.at("ops").at(step.at(0).get<std::size_t>()).at(1);
  for (const json& access : step.at(7).at("accesses")) {
    if (access.at("array") != array) continue;
    kind = access.value("kind", kind);
    break;
  }
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
  throw FigureError("there is no array '" + name + "' in this launch; there is " +
                        (known.empty() ? "none" : known),
                    "array");
}

/// The line of the source that the step names. Throws FigureError where none has the text, or several do.
std::uint32_t line_meant(const Playback& playback, const FigureStep& wanted, int number) {
  if (wanted.text.empty()) return wanted.line;
  std::string found;
  std::uint32_t line = 0;
  for (const auto& [file, source] : playback.watched().sources) {
    std::istringstream lines(source);
    std::uint32_t here = 1;
    for (std::string text; std::getline(lines, text); ++here) {
      if (text.find(wanted.text) == std::string::npos) continue;
      found += (found.empty() ? "" : " and ") + fmt::format("line {}", here);
      line = line == 0 ? here : line;
    }
  }
  if (found.empty()) throw FigureError("no line of the source holds this", "text", number);
  if (found != fmt::format("line {}", line))
    throw FigureError("more than one line holds this: " + found, "text", number);
  return line;
}

std::size_t step_meant(const Playback& playback, const json& recording, std::int64_t array,
                       const FigureStep& wanted, int number) {
  const std::uint32_t line = line_meant(playback, wanted, number);
  std::uint32_t times = 0;
  std::map<std::string, int> elsewhere;
  const json& steps = recording.at("steps");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const json &step = steps.at(i), &op = recording.at("ops").at(step.at(0).get<std::size_t>());
    if (touches_of(step, array).empty()) continue;
    if (op.at(3) == line && step.at(1) == wanted.warp &&
        (wanted.access.empty() || wanted.access == deed_of(recording, step, array))) {
      if (++times == wanted.time) return i;
    }
    ++elsewhere[fmt::format("line {} warp {} {}", op.at(3).get<std::uint32_t>(),
                            step.at(1).get<std::uint32_t>(), deed_of(recording, step, array))];
  }
  std::string known;
  std::size_t told = 0;
  constexpr std::size_t most = 12;
  for (const auto& [place, count] : elsewhere) {
    if (told++ == most) break;
    known += fmt::format("\n  {}: {} time{}", place, count, count == 1 ? "" : "s");
  }
  throw FigureError(
      fmt::format(
          "line {}, warp {} touches the array {} time{}, and time {} was asked for. There is:{}{}",
          line, wanted.warp, times, times == 1 ? "" : "s", wanted.time,
          known.empty() ? " nothing" : known, elsewhere.size() > most ? "\n  …" : ""),
      wanted.text.empty() ? "line" : "text", number);
}

std::string text_at(double x, double y, const char* css_class, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>", x, y, css_class,
                     escaped(text));
}

using Lanes = std::map<std::int64_t, std::vector<unsigned>>;  ///< by the element that they touch

Lanes lanes_of(const std::vector<Touch>& touches) {
  Lanes lanes;
  for (const Touch& touch : touches) lanes[touch.index].push_back(touch.lane);
  return lanes;
}

/// An array's picture: `y` grows by what is drawn.
struct Drawing {
  const json& array;
  bool values = true;
  std::int64_t columns = 0, stride = 0, first = 0, elements = 0;
  int y = 0;
  double words = 0;  ///< how wide its texts are
  std::string svg{};
  std::set<std::string> drawn{};  ///< classes of coloured cells, for the legend

  std::int64_t bytes() const { return array.at("bytes"); }
  std::int64_t offset() const { return array.at("offset").get<std::int64_t>() + first * bytes(); }
  bool has_banks() const {
    return array.at("space") == "shared" && bytes() == 4 && columns == usual_columns &&
           stride % usual_columns == 0 && offset() % (4 * usual_columns) == 0;
  }
  /// Of a place in global memory; of a shared array none.
  std::int64_t sector_of(std::int64_t index) const {
    return array.at("space") == "global"
               ? (array.at("offset").get<std::int64_t>() + index * bytes()) / sector_bytes
               : -1;
  }
  /// Elements of a sector, where rows are whole sectors; else 0.
  std::int64_t sector() const {
    const bool whole = array.at("space") == "global" && bytes() <= sector_bytes &&
                       columns * bytes() % sector_bytes == 0 &&
                       stride * bytes() % sector_bytes == 0 && offset() % sector_bytes == 0;
    return whole ? sector_bytes / bytes() : 0;
  }
  int cell() const { return values ? wide : narrow; }
  int height() const { return values ? high : low; }
  double x_of(std::int64_t column) const {
    const std::int64_t sectors = sector() != 0 ? column / sector() : 0;
    return gutter + static_cast<double>(column * (cell() + gap) + 4 * sectors);
  }
  double width() const { return std::max(x_of(columns - 1) + cell() + 4, words); }

  /// A line of text at the left, of which a letter is about `letter` wide.
  void line(const char* css_class, const std::string& text, double letter) {
    const bool title = letter > caption_letter;
    svg += text_at(4, y + (title ? 14 : 13), css_class, text);
    y += title ? title_height : caption;
    words = std::max(words, 12 + letter * static_cast<double>(display_width(text)));
  }

  void head() {
    if (!has_banks()) return;
    svg += text_at(gutter - 6, y + 10, "s i", "bank");
    for (std::int64_t column = 0; column < columns; ++column)
      svg += text_at(x_of(column) + cell() / 2.0, y + 10, "s", std::to_string(column));
    y += 14;
  }

  std::string row_name(std::int64_t index) const {
    const json& extents = array.at("extents");
    return extents.size() == 1 && extents.back() == stride ? fmt::format("[{}]", index / stride)
                                                           : std::to_string(index);
  }

  void cells(const std::map<std::int64_t, json>& held, const Lanes& lanes, const char* deed) {
    const auto total = array.at("elements").get<std::int64_t>();
    std::set<std::int64_t> sectors;
    std::size_t beyond = 0;
    for (const auto& [index, who] : lanes) {
      sectors.insert(sector_of(index));
      beyond += who.size();
    }
    for (std::int64_t k = 0; k < elements; ++k) {
      const std::int64_t index = first + k / columns * stride + k % columns;
      if (index >= total) continue;
      const double x = x_of(k % columns);
      if (k % columns == 0)
        svg += text_at(gutter - 6, y + height() / 2.0 + 4, "s i", row_name(index));
      const auto touched = lanes.find(index);
      const bool now = touched != lanes.end();
      const bool near = !now && sector_of(index) >= 0 && sectors.contains(sector_of(index));
      if (now || near) drawn.insert(now ? deed : "near");
      if (now) beyond -= touched->second.size();
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"{}/>", x, y,
                         cell(), height(),
                         now    ? fmt::format(" class=\"{}\"", deed)
                         : near ? " class=\"near\""
                                : "");
      if (now) {
        const auto& who = touched->second;
        const std::string one = std::to_string(who.front()), many = std::to_string(who.size());
        svg +=
            values
                ? text_at(x + cell() / 2.0, y + 8, "l on", who.size() == 1 ? one : many + " lanes")
                : text_at(x + cell() / 2.0, y + 12.5, "on", who.size() == 1 ? one : many + "×");
      }
      if (const auto value = held.find(index); values && value != held.end())
        svg += text_at(x + cell() / 2.0, y + (now ? 20 : 17), now ? "on" : "",
                       cell_text(value->second));
      if (k % columns == columns - 1 || k == elements - 1) y += height() + gap;
    }
    if (beyond == 0) return;
    svg += text_at(gutter, y + 10, "s b",
                   fmt::format("… and {} lane{} at elements that are not drawn", beyond,
                               beyond == 1 ? "" : "s"));
    y += 14;
  }

  void legend() {
    double x = gutter;
    const auto entry = [&](const char* css_class, const std::string& words) {
      if (!drawn.contains(css_class)) return;
      svg +=
          fmt::format("<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\" class=\"{}\"/>",
                      x, y, css_class);
      svg += text_at(x + 14, y + 9, "s b", words);
      x += 24 + 5.2 * static_cast<double>(words.size());
    };
    const std::string lane = values ? ", above it the lanes" : " by the lane in it";
    entry("read", "read" + lane);
    entry("write", "written" + lane);
    entry("atomic", "changed atomically" + lane);
    entry("near", "rest of a sector that is touched");
    y += 16;
  }
};

std::string source_text(const Playback& playback, const std::string& file, std::uint32_t number) {
  const auto found = playback.watched().sources.find(file);
  if (found == playback.watched().sources.end()) return {};
  std::istringstream lines(found->second);
  std::string line;
  for (std::uint32_t i = 0; i < number; ++i)
    if (!std::getline(lines, line)) return {};
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : clean_text(line.substr(begin));
}

FigureValues values_of_launch(const Playback& playback, const Figure& figure) {
  const auto dimensions = [](const Dim3& of) {
    std::string text = std::to_string(of.x);
    if (of.y > 1 || of.z > 1) text += fmt::format(" x {}", of.y);
    return of.z > 1 ? text + fmt::format(" x {}", of.z) : text;
  };
  return {{"stage", playback.watched().title},
          {"array", figure.array},
          {"grid", dimensions(playback.trace().grid)},
          {"block", dimensions(playback.trace().block)}};
}

FigureValues values_of_step(const Playback& playback, std::size_t shown, const json& array,
                            const std::vector<Touch>& touches, bool source) {
  const TraceStep& step = playback.step(shown);
  const TraceOp& op = playback.op(shown);
  const std::int64_t bytes = array.at("bytes"), offset = array.at("offset");
  std::size_t crowd = 0;
  std::set<std::int64_t> banks;
  const Lanes lanes = lanes_of(touches);
  std::set<unsigned> who;
  for (const Touch& touch : touches) who.insert(touch.lane);
  for (const auto& [index, of_element] : lanes) {
    crowd = std::max(crowd, of_element.size());
    banks.insert((offset + index * bytes) / 4 % usual_columns);
  }
  FigureValues values = {{"warp", std::to_string(step.warp)},
                         {"lanes", std::to_string(who.size())},
                         {"elements", std::to_string(lanes.size())},
                         {"bytes", std::to_string(lanes.size() * static_cast<std::size_t>(bytes))},
                         {"crowd", std::to_string(crowd)},
                         {"cycle", fmt::format("{:.0f}", step.cycle)}};
  if (array.at("space") == "shared") {
    values["passes"] = std::to_string(std::max(1u, step.passes));
    values["banks"] = std::to_string(banks.size());
  } else {
    values["sectors"] = std::to_string(step.sectors);
  }
  if (source) {
    values["line"] = std::to_string(op.line);
    values["source"] = source_text(playback, op.file, op.line);
  }
  return values;
}

std::string says(const Playback& playback, std::size_t shown, const Figure& figure,
                 const FigureStep& wanted, const char* deed) {
  const TraceStep& step = playback.step(shown);
  const std::string did = deed;
  std::string text = figure.source ? fmt::format("line {}, ", playback.op(shown).line) : "";
  text += fmt::format("warp {} {}", wanted.warp,
                      did == "read"    ? "reads"
                      : did == "write" ? "writes"
                                       : "changes atomically");
  if (step.passes > 1) text += fmt::format(", in {} passes", step.passes);
  return text + fmt::format(" (cycle {:.0f} of {})", step.cycle, playback.watched().title);
}

std::string filled_in(const std::string& text, const FigureValues& values, const char* key,
                      int step = -1) {
  try {
    return filled(text, values);
  } catch (const std::invalid_argument& error) {
    throw FigureError(error.what(), key, step);
  }
}

}  // namespace

DrawnFigure to_figure(const Playback& playback, const Figure& figure) {
  const json recording = to_json(playback);
  const std::int64_t number = array_named(recording, figure.array);
  const json& array = recording.at("arrays").at(static_cast<std::size_t>(number));
  const json& extents = array.at("extents");
  Drawing drawing{.array = array, .values = figure.values};
  drawing.columns = figure.columns != 0 ? figure.columns
                    : extents.empty()   ? usual_columns
                                        : extents.back().get<std::int64_t>();
  const std::int64_t there = array.at("elements").get<std::int64_t>();
  drawing.elements =
      std::min(there, figure.elements != 0 ? std::int64_t{figure.elements} : most_elements);
  drawing.columns = std::max<std::int64_t>(1, std::min(drawing.columns, drawing.elements));
  drawing.stride = figure.stride != 0 ? std::int64_t{figure.stride} : drawing.columns;

  FigureValues all = values_of_launch(playback, figure);
  std::vector<std::size_t> meant;
  std::vector<FigureValues> of_steps;
  for (std::size_t i = 0; i < figure.steps.size(); ++i) {
    const std::size_t shown =
        step_meant(playback, recording, number, figure.steps[i], static_cast<int>(i));
    meant.push_back(shown);
    of_steps.push_back(values_of_step(playback, shown, array,
                                      touches_of(recording.at("steps").at(shown), number),
                                      figure.source));
    for (const auto& [name, value] : of_steps.back())
      all[figure.steps.size() == 1 ? name : fmt::format("{}.{}", i + 1, name)] = value;
  }
  const std::string title = filled_in(figure.title, all, "title");
  DrawnFigure result;
  result.alt = figure.alt.empty() ? title : filled_in(figure.alt, all, "alt");
  if (result.alt.empty()) result.alt = figure.array + " step by step";
  result.caption = filled_in(figure.caption, all, "caption");

  drawing.y = 4;
  if (!title.empty()) {
    drawing.line("t", title, title_letter);
  }
  for (std::size_t i = 0; i < figure.steps.size(); ++i) {
    const FigureStep& wanted = figure.steps[i];
    std::map<std::int64_t, json> values;
    const json& steps = recording.at("steps");
    for (std::size_t k = 0; k <= meant[i]; ++k) {
      for (const Touch& touch : touches_of(steps.at(k), number)) {
        if (!touch.value.is_null()) values[touch.index] = touch.value;
      }
    }
    const json& step = steps.at(meant[i]);
    const char* const deed = deed_of(recording, step, number);
    FigureValues known = all;
    known.insert(of_steps[i].begin(), of_steps[i].end());
    drawing.line("c",
                 wanted.says.empty() ? says(playback, meant[i], figure, wanted, deed)
                                     : filled_in(wanted.says, known, "says", static_cast<int>(i)),
                 caption_letter);
    drawing.first = wanted.first;
    if (drawing.first >= there)
      throw FigureError(fmt::format("the array has elements 0 to {}", there - 1), "first",
                        static_cast<int>(i));
    drawing.head();
    drawing.cells(values, lanes_of(touches_of(step, number)), deed);
    drawing.y += foot;
  }
  drawing.legend();
  const double width = drawing.width();
  result.svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" "
      "aria-label=\"{}\"><style>{}</style><g class=\"p\"><rect width=\"100%\" "
      "height=\"100%\"/></g>{}</svg>\n",
      width, drawing.y, width, escaped(result.alt), style, drawing.svg);
  return result;
}

}  // namespace gridstride::sim
