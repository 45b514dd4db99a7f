// See the header. docs/lab-author.md shows such a file.
#include "grader/tools/trace/figure_spec.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/files.h"
#include "grader/course/lab_config.h"
#include "grader/course/toml_reader.h"

namespace gridstride::cli {
namespace {

std::uint32_t whole_number(TomlReader& reader, const std::string& key, std::uint32_t otherwise) {
  constexpr double most = 1e9;
  const double number = reader.number_or(key, otherwise);
  if (number != std::floor(number) || number > most)
    reader.fail_at(key, "expected a whole number as '" + key + "'");
  return static_cast<std::uint32_t>(number);
}

}  // namespace

FigureSpec read_figure_spec(const std::filesystem::path& file) {
  const std::string shown = file.string();
  const toml::table document = read_toml(file, shown);
  TomlReader reader(document, shown, "the figure");
  FigureSpec spec;
  spec.figure.array = reader.text("array");
  spec.figure.title = reader.text_or("title", "");
  spec.figure.columns = whole_number(reader, "columns", 0);
  spec.figure.elements = whole_number(reader, "elements", 0);
  const std::string usual = file.stem().string() + ".svg";
  spec.file = file.parent_path() / reader.text_or("file", usual);
  reader.tables("step", [&](TomlReader& step) {
    sim::FigureStep one;
    one.line = whole_number(step, "line", 0);
    if (one.line == 0) step.fail_at("line", "expected 'line', the number of a source line");
    one.warp = whole_number(step, "warp", 0);
    one.time = whole_number(step, "time", 1);
    if (one.time == 0) step.fail_at("time", "expected 'time' from 1 on");
    one.access = step.text_or("access", "");
    if (!one.access.empty() && one.access != "read" && one.access != "write" &&
        one.access != "atomic")
      step.fail_at("access", "expected 'read', 'write' or 'atomic' as 'access'");
    one.says = step.text_or("says", "");
    spec.figure.steps.push_back(std::move(one));
  });
  reader.finish();
  return spec;
}

}  // namespace gridstride::cli
