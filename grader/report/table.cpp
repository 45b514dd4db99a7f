// What stands in which column, and the words below the rows.
#include "grader/report/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "common/text.h"
#include "grader/report/grid.h"
#include "grader/report/see_it.h"

namespace gridstride {
namespace {

constexpr const char* gap = "  ";

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

/// The confidence interval, where there is one: the simulated device gives one value.
std::string interval(const Speedup& speedup) {
  const std::string low = significant(speedup.low), high = significant(speedup.high);
  return low == high ? "-" : low + "–" + high;
}

std::string ratio(double part, double whole) {
  return plain_number(part) + "/" + plain_number(whole);
}

std::vector<GridColumn> columns_of(const LabResult& lab, const TextStyle& style) {
  const auto dimmed = [&style](const std::string& text) { return style.dim(text); };
  GridColumn name{"stage", 0, false}, verdict{"verdict", 0, false}, score{"score"},
      cases{"cases", 2}, speedup{"speedup", 1}, between{"between", 5}, required{"needs", 3},
      time{"time", 4}, baseline{"baseline", 6};
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
    required.cells.push_back({measured && measured->required > 0
                                  ? (measured->estimated ? "~" : "") + factor(measured->required)
                                  : "-",
                              dimmed});
    time.cells.push_back({stage.seconds ? duration(stage.seconds->student) : "-", {}});
    baseline.cells.push_back({stage.seconds ? duration(stage.seconds->baseline) : "-", dimmed});
  }
  return {name, verdict, score, cases, speedup, between, required, time, baseline};
}

void append_indented(std::string& out, const std::string& text, const TextStyle& style) {
  const std::size_t indent = 4;
  const std::size_t width = std::min<std::size_t>(style.width, 100);
  for (const std::string& line : wrap(clean_text(text), width > indent + 20 ? width - indent : 20))
    out += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
}

/// Counters in the order in which they are shown: with bounds, from the handout, all others.
std::vector<std::string> counters_shown(const StageResult& stage,
                                        const std::vector<std::string>& handout, bool all) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const LimitResult& limit : stage.limits) add(limit.counter);
  for (const std::string& name : handout)
    if (stage.counters.contains(name)) add(name);
  if (all) {
    for (const auto& [name, value] : stage.counters) add(name);
  }
  return names;
}

/// What was counted in a timed call, each counter beside its bound where it has one.
std::string counter_grid(const StageResult& stage, const std::vector<std::string>& names,
                         const TextStyle& style) {
  GridColumn counter{"counter", 0, false}, counted{"counted"}, bound{"at most", 1},
      how{"", 2, false}, where{"most of it at", 3, false};
  for (const std::string& name : names) {
    const auto limit = std::ranges::find(stage.limits, name, &LimitResult::counter);
    const bool bounded = limit != stage.limits.end();
    const auto value = stage.counters.find(name);
    counter.cells.push_back({clean_text(name)});
    counted.cells.push_back({bounded                         ? plain_number(limit->value)
                             : value != stage.counters.end() ? plain_number(value->second)
                                                             : "-"});
    bound.cells.push_back({bounded ? plain_number(limit->at_most) : ""});
    how.cells.push_back({!bounded     ? ""
                         : limit->met ? "met"
                                      : "exceeded",
                         [&style, met = bounded && limit->met](const std::string& text) {
                           return met ? style.green(text) : style.yellow(text);
                         }});
    where.cells.push_back({bounded ? clean_text(limit->where) : ""});
  }
  TextStyle narrower = style;
  narrower.width = std::max<std::size_t>(style.width, 22) - 2;
  std::istringstream rows(to_grid({counter, counted, bound, how, where}, narrower));
  std::string out;
  for (std::string row; std::getline(rows, row);) out += gap + row + "\n";
  return out;
}

/// What to run about a stage of one's own; empty where neither command helps.
std::string help_with(Verdict verdict, const std::string& stage) {
  switch (verdict) {
    case Verdict::wrong:
    case Verdict::crash:
    case Verdict::timeout:
    case Verdict::out_of_memory:
    case Verdict::slow:
    case Verdict::over_limit:
      return "`./lab hint " + stage + "` gives a hint, `./lab explain " + stage +
             "` shows what each line does and costs.";
    default:
      return {};
  }
}

/// The compiler's warnings about the stage's own file, a few of them.
std::string warnings(const StageResult& stage) {
  constexpr std::size_t most = 5, columns = 160;
  std::string lines;
  std::size_t count = 0;
  for (const Remark& remark : stage.remarks) {
    if (remark.kind != Remark::Kind::warning || remark.file != stage.name + ".cu") continue;
    if (++count <= most)
      lines += shorten(clean_text(remark.file) + ":" + std::to_string(remark.line) + ": " +
                           clean_text(remark.text),
                       columns) +
               "\n";
  }
  if (count == 0) return {};
  std::string text = "The compiler warns:\n" + quoted_lines(lines);
  if (count > most) text += fmt::format("\n({} more)", count - most);
  return text;
}

/// What the table's row leaves unsaid: the message, and on request the counters. Empty when
/// that is nothing.
std::string details(const StageResult& stage, const std::string& lab, const TextStyle& style,
                    const TableOptions& options) {
  const bool verbose = options.verbose > 0;
  std::string out;
  if (!stage.message.empty() && (verbose || stage.verdict != Verdict::pass))
    append_indented(out, stage.message, style);
  if (const std::string words = warnings(stage); !words.empty() && stage.verdict != Verdict::todo)
    append_indented(out, words, style);
  if (options.verbose > 0) {
    const auto handout = options.counters.find(lab);
    const std::vector<std::string> names = counters_shown(
        stage, handout == options.counters.end() ? std::vector<std::string>{} : handout->second,
        options.verbose > 1);
    if (!names.empty()) out += counter_grid(stage, names, style);
  }
  if (options.own_stages) {
    const std::string full_name = lab + "/" + clean_text(stage.name);
    const std::string words = help_with(stage.verdict, full_name);
    if (!words.empty()) append_indented(out, words, style);
    if (!stage.failed_case.empty() &&
        (stage.verdict == Verdict::wrong || stage.verdict == Verdict::crash))
      append_indented(out,
                      "`./lab grade " + full_name + " --case " +
                          shell_word(clean_text(stage.failed_case)) +
                          "` shows what went in, what was expected and what came.",
                      style);
    // Lines that begin with a space stay whole, and so can be copied.
    const std::vector<std::string> commands = commands_that_show(lab, stage);
    for (const std::string& command : commands)
      append_indented(
          out, (&command == &commands.front() ? "  See it: " : "  Step through it: ") + command,
          style);
  }
  return out;
}

/// The details of all stages, each behind its name. What neighbours have in common, as when no GPU
/// answers, is said once.
std::string all_details(const LabResult& lab, const TextStyle& style, const TableOptions& options) {
  std::string out, names, words;
  const auto end_group = [&] {
    if (!words.empty()) out += "\n" + names + "\n" + words;
  };
  const StageResult* last = nullptr;
  for (const StageResult& stage : lab.stages) {
    if (options.verbose == 0 && stage.verdict == Verdict::todo) continue;
    const std::string own = details(stage, clean_text(lab.name), style, options);
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

/// " (line 27)", where it is known.
std::string line_of_todo(const StageResult& stage) {
  for (const Remark& remark : stage.remarks)
    if (remark.kind == Remark::Kind::todo) return fmt::format(" (line {})", remark.line);
  return {};
}

/// Untouched stages say the same thing: it is said once.
std::string untouched(const LabResult& lab) {
  std::vector<std::string> names;
  std::string first;
  for (const StageResult& stage : lab.stages) {
    if (stage.verdict != Verdict::todo) continue;
    if (names.empty()) first = clean_text(stage.name);
    names.push_back(clean_text(stage.name) + line_of_todo(stage));
  }
  if (names.empty()) return {};
  const std::string name = clean_text(lab.name);
  return fmt::format("Still to do: {}. Replace the TODOs in labs/{}/; `./lab hint {}/{}` helps.",
                     listed(names), name, name, first);
}

}  // namespace

std::string factor(double value) { return std::isfinite(value) ? significant(value) + "x" : "-"; }

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
    case Verdict::unsupported_here:
    case Verdict::infrastructure:
      return style.magenta(words);
    default:
      return style.red(words);
  }
}

std::string to_table(const Results& results, const TextStyle& style, const TableOptions& options) {
  std::string out;
  for (const LabResult& lab : results.labs) {
    if (lab.stages.empty()) continue;
    const std::string name = clean_text(lab.name);
    out += style.bold(name) + style.dim(" on " + clean_text(results.device.name)) + "\n\n";
    out += to_grid(columns_of(lab, style), style);
    out += all_details(lab, style, options);
    for (const std::string& words : {untouched(lab), clean_text(ignored_line(lab)),
                                     clean_text(estimated_line(lab, results.device))}) {
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
