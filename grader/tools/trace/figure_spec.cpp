// See the header. docs/lab-author.md shows such a file.
#include "grader/tools/trace/figure_spec.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "common/files.h"
#include "grader/course/lab_config.h"
#include "grader/course/toml_reader.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

std::uint32_t whole_number(TomlReader& reader, const std::string& key, std::uint32_t otherwise) {
  constexpr double most = 1e9;
  const double number = reader.number_or(key, otherwise);
  if (number != std::floor(number) || number > most)
    reader.fail_at(key, "expected a whole number as '" + key + "'");
  return static_cast<std::uint32_t>(number);
}

std::optional<std::int64_t> number_if_there(TomlReader& reader, const std::string& key) {
  constexpr std::uint32_t none = 1'000'000'000;
  const std::uint32_t number = whole_number(reader, key, none);
  return number == none ? std::nullopt : std::optional<std::int64_t>(number);
}

sim::FigureStep read_step(TomlReader& step) {
  sim::FigureStep one;
  one.line = whole_number(step, "line", 0);
  one.text = step.text_or("text", "");
  if ((one.line == 0) == one.text.empty())
    step.fail_at("line",
                 "expected 'text', which one line of the source holds, or 'line', its number");
  one.warp = whole_number(step, "warp", 0);
  one.time = whole_number(step, "time", 1);
  if (one.time == 0) step.fail_at("time", "expected 'time' from 1 on");
  one.first = whole_number(step, "first", 0);
  one.access = step.text_or("access", "");
  if (!one.access.empty() && one.access != "read" && one.access != "write" &&
      one.access != "atomic")
    step.fail_at("access", "expected 'read', 'write' or 'atomic' as 'access'");
  one.says = step.text_or("says", "");
  return one;
}

/// What a page in Markdown would take for something else.
void check_for_page(TomlReader& reader, const std::string& key, const std::string& text,
                    const std::string& refused) {
  if (text.find_first_of(refused + "\n") != std::string::npos)
    reader.fail_at(key, "'" + key + "' goes into a page: expected one line without " + refused);
}

}  // namespace

FigureSpec read_figure_spec(const fs::path& file) {
  const std::string shown = file.string();
  const toml::table document = read_toml(file, shown);
  TomlReader reader(document, shown, "the figure");
  FigureSpec spec;
  spec.of = reader.text_or("of", "");
  spec.one_case = reader.text_or("case", "");
  spec.size = number_if_there(reader, "size");
  if (spec.size && !spec.one_case.empty())
    reader.fail_at("size", "expected 'case' or 'size', not both");
  spec.kernel = reader.text_or("kernel", "");
  spec.launch = number_if_there(reader, "launch");
  spec.block = reader.text_or("block", "");
  sim::Figure& figure = spec.figure;
  figure.array = reader.text("array");
  figure.title = reader.text_or("title", "");
  figure.alt = reader.text_or("alt", "");
  figure.caption = reader.text_or("caption", "");
  check_for_page(reader, "alt", figure.alt, "[]");
  check_for_page(reader, "caption", figure.caption, "*");
  figure.columns = whole_number(reader, "columns", 0);
  figure.stride = whole_number(reader, "stride", 0);
  figure.elements = whole_number(reader, "elements", 0);
  figure.values = reader.flag("values", true);
  figure.source = reader.flag("source", true);
  const std::string usual = file.stem().string() + ".svg";
  spec.file = file.parent_path() / reader.text_or("file", usual);
  for (const char* key : {"array", "title", "alt", "caption"})
    spec.places[{-1, key}] = reader.place_of(key);
  reader.tables("step", [&](TomlReader& step) {
    const int number = static_cast<int>(figure.steps.size());
    for (const char* key : {"line", "text", "says", "first"})
      spec.places[{number, key}] = step.place_of(key);
    figure.steps.push_back(read_step(step));
  });
  reader.finish();
  return spec;
}

TraceOptions recorded_for(const FigureSpec& spec, TraceOptions options, const fs::path& tree) {
  if (options.names.empty() && !spec.of.empty()) {
    const bool program = fs::path(spec.of).extension() == ".cu";
    options.names = {program ? (tree / spec.of).string() : spec.of};
    options.solutions = !program;
  }
  if (options.one_case.empty() && !options.size) {
    options.one_case = spec.one_case;
    options.size = spec.size;
  }
  if (options.kernel.empty()) options.kernel = spec.kernel;
  if (!options.launch) options.launch = spec.launch;
  if (options.blocks.empty() && !spec.block.empty()) options.blocks = {spec.block};
  return options;
}

sim::DrawnFigure drawn(const FigureSpec& spec, const sim::Playback& playback) {
  try {
    return to_figure(playback, spec.figure);
  } catch (const sim::FigureError& error) {
    const auto place = spec.places.find({error.step, error.key});
    throw ConfigError((place == spec.places.end() ? "" : place->second + ": ") + "'" + error.key +
                      "': " + error.what());
  }
}

}  // namespace gridstride::cli
