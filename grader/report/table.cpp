// Columns carry a rank; when the terminal is narrow those of the highest rank go first.
#include "grader/report/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

constexpr const char* gap = "  ";

struct Cell {
  std::string text;
  std::function<std::string(const std::string&)> paint;  ///< empty: as it is
};

struct Column {
  std::string title;
  int rank = 0;  ///< 0 stays whatever the width
  bool right = true;
  std::vector<Cell> cells;

  std::size_t width() const {
    std::size_t widest = display_width(title);
    for (const Cell& cell : cells) widest = std::max(widest, display_width(cell.text));
    return widest;
  }
};

std::string pad(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string fixed(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

/// Three significant digits: 0.245 ms, 17.3 us.
std::string duration(double seconds) {
  const struct {
    double scale;
    const char* unit;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (const auto& [scale, unit] : units) {
    const double value = seconds / scale;
    if (value < 0.1 && scale > 1e-9) continue;
    return fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3) + " " + unit;
  }
  return "-";
}

/// Three significant digits, two after the point at most: 1.83x, 18.3x, 183x.
std::string significant(double value) {
  return fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

std::string factor(double value) { return std::isfinite(value) ? significant(value) + "x" : "-"; }

/// The confidence interval, where there is one: the simulated device gives one value.
std::string interval(const Speedup& speedup) {
  const std::string low = significant(speedup.low), high = significant(speedup.high);
  return low == high ? "-" : low + "–" + high;
}

std::string ratio(double part, double whole) {
  return plain_number(part) + "/" + plain_number(whole);
}

std::vector<Column> columns_of(const LabResult& lab, const TextStyle& style) {
  const auto dimmed = [&style](const std::string& text) { return style.dim(text); };
  Column name{"stage", 0, false, {}}, verdict{"verdict", 0, false, {}}, score{"score", 0, true, {}},
      cases{"cases", 2, true, {}}, speedup{"speedup", 1, true, {}}, between{"between", 5, true, {}},
      required{"needs", 3, true, {}}, time{"time", 4, true, {}}, baseline{"baseline", 6, true, {}};
  for (const StageResult& stage : lab.stages) {
    name.cells.push_back({clean_text(stage.name), {}});
    const Verdict verdict_of_stage = stage.verdict;
    std::string words = name_of(verdict_of_stage);
    std::replace(words.begin(), words.end(), '_', ' ');
    verdict.cells.push_back({words, [verdict_of_stage, &style](const std::string&) {
                               return show(verdict_of_stage, style);
                             }});
    score.cells.push_back({ratio(stage.score, stage.max_score), {}});
    cases.cells.push_back(
        {stage.cases.total > 0 ? ratio(stage.cases.passed, stage.cases.total) : "-", {}});
    const auto& measured = stage.speedup;
    speedup.cells.push_back({measured ? factor(measured->value) : "-", {}});
    between.cells.push_back({measured ? interval(*measured) : "-", dimmed});
    required.cells.push_back(
        {measured && measured->required > 0 ? factor(measured->required) : "-", dimmed});
    time.cells.push_back({stage.seconds ? duration(stage.seconds->student) : "-", {}});
    baseline.cells.push_back({stage.seconds ? duration(stage.seconds->baseline) : "-", dimmed});
  }
  return {name, verdict, score, cases, speedup, between, required, time, baseline};
}

std::size_t total_width(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& column : columns) width += display_width(gap) + column.width();
  return width;
}

void drop_until_it_fits(std::vector<Column>& columns, std::size_t width) {
  // A column that says nothing in any row is not shown at all.
  std::erase_if(columns, [](const Column& column) {
    return column.rank > 0 && std::all_of(column.cells.begin(), column.cells.end(),
                                          [](const Cell& cell) { return cell.text == "-"; });
  });
  while (total_width(columns) > width) {
    const auto least =
        std::max_element(columns.begin(), columns.end(),
                         [](const Column& a, const Column& b) { return a.rank < b.rank; });
    if (least->rank == 0) break;
    columns.erase(least);
  }
  Column& name = columns.front();
  const std::size_t excess = total_width(columns) - std::min(width, total_width(columns));
  const std::size_t room = std::max<std::size_t>(8, name.width() - std::min(name.width(), excess));
  for (Cell& cell : name.cells) cell.text = shorten(cell.text, room);
}

void append_row(std::string& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) out += gap + cell;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
}

std::string grid(std::vector<Column> columns, const TextStyle& style) {
  drop_until_it_fits(columns, style.width);
  std::string out;
  std::vector<std::string> row;
  for (const Column& column : columns)
    row.push_back(style.dim(pad(column.title, column.width(), column.right)));
  append_row(out, row);
  for (std::size_t i = 0; i < columns.front().cells.size(); ++i) {
    row.clear();
    for (const Column& column : columns) {
      const Cell& cell = column.cells[i];
      // Padded outside the colour, so that escape sequences do not count as width.
      const std::string painted = cell.paint ? cell.paint(cell.text) : cell.text;
      const std::string blanks(column.width() - display_width(cell.text), ' ');
      row.push_back(column.right ? blanks + painted : painted + blanks);
    }
    append_row(out, row);
  }
  return out;
}

void append_indented(std::string& out, const std::string& text, const TextStyle& style) {
  const std::size_t indent = 4;
  const std::size_t width = std::min<std::size_t>(style.width, 100);
  for (const std::string& line : wrap(clean_text(text), width > indent + 20 ? width - indent : 20))
    out += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
}

std::string limit_line(const LimitResult& limit) {
  std::string line = fmt::format("{} {}, at most {}: {}", limit.counter, plain_number(limit.value),
                                 plain_number(limit.at_most), limit.met ? "met" : "exceeded");
  if (!limit.where.empty()) line += ", most of it at " + limit.where;
  return line;
}

/// What the table's row leaves unsaid: message, limits, and on request the counters. Empty when
/// that is nothing.
std::string details(const StageResult& stage, const TextStyle& style, bool verbose) {
  std::string out;
  if (!stage.message.empty() && (verbose || stage.verdict != Verdict::pass))
    append_indented(out, stage.message, style);
  for (const LimitResult& limit : stage.limits) {
    if (verbose || !limit.met) append_indented(out, limit_line(limit), style);
  }
  if (verbose) {
    for (const auto& [counter, value] : stage.counters)
      append_indented(out, counter + " = " + plain_number(value), style);
  }
  return out;
}

/// The details of all stages, each behind its name. What neighbours have in common, as when no GPU
/// answers, is said once.
std::string all_details(const LabResult& lab, const TextStyle& style, bool verbose) {
  std::string out, names, words;
  const auto end_group = [&] {
    if (!words.empty()) out += "\n" + names + "\n" + words;
  };
  const StageResult* last = nullptr;
  for (const StageResult& stage : lab.stages) {
    if (!verbose && stage.verdict == Verdict::todo) continue;
    const std::string own = details(stage, style, verbose);
    const bool same = last != nullptr && last->verdict == stage.verdict && own == words;
    if (!same) {
      end_group();
      words = own;
    }
    const std::string name =
        gap + style.bold(clean_text(stage.name)) + ": " + show(stage.verdict, style);
    names = same ? names + "\n" + name : name;
    last = &stage;
  }
  end_group();
  return out;
}

/// Untouched stages say the same thing: it is said once.
std::string untouched(const LabResult& lab) {
  std::vector<std::string> names;
  for (const StageResult& stage : lab.stages) {
    if (stage.verdict == Verdict::todo) names.push_back(clean_text(stage.name));
  }
  if (names.empty()) return {};
  const std::string name = clean_text(lab.name);
  return fmt::format("Still to do: {}. Replace the TODOs in labs/{}/; `./lab hint {}/{}` helps.",
                     listed(names), name, name, names.front());
}

}  // namespace

std::string show(Verdict verdict, const TextStyle& style) {
  std::string words = name_of(verdict);
  std::replace(words.begin(), words.end(), '_', ' ');
  switch (verdict) {
    case Verdict::pass:
      return style.green(words);
    case Verdict::todo:
      return style.dim(words);
    case Verdict::slow:
    case Verdict::over_limit:
      return style.yellow(words);
    case Verdict::inconclusive:
    case Verdict::infrastructure:
      return style.magenta(words);
    default:
      return style.red(words);
  }
}

std::string to_table(const Results& results, const TextStyle& style, bool verbose) {
  std::string out;
  for (const LabResult& lab : results.labs) {
    if (lab.stages.empty()) continue;
    const std::string name = clean_text(lab.name);
    out += style.bold(name) + style.dim(" on " + clean_text(results.device.name)) + "\n\n";
    out += grid(columns_of(lab, style), style);
    out += all_details(lab, style, verbose);
    for (const std::string& words : {untouched(lab), clean_text(ignored_line(lab))}) {
      if (words.empty()) continue;
      out += '\n';
      for (const std::string& line : wrap(words, std::max<std::size_t>(style.width, 22) - 2))
        out += gap + line + "\n";
    }
    out += '\n';
  }
  return out +
         style.bold("score " + plain_number(results.score) + " of " +
                    plain_number(results.max_score)) +
         "\n";
}

}  // namespace gridstride
