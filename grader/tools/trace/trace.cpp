// lab trace: one launch of a stage or a program on the simulated GPU, step by step.
#include "common/simulator/trace/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/playback/page.h"
#include "common/simulator/playback/playback.h"
#include "common/simulator/trace/named_threads.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "grader/cli/build.h"
#include "grader/cli/output_file.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/cli/toolkit.h"
#include "grader/course/course.h"
#include "grader/course/lab_path.h"
#include "grader/report/results.h"
#include "grader/tools/commands.h"
#include "grader/tools/simulate.h"
#include "grader/tools/trace/figure_page.h"
#include "grader/tools/trace/figure_spec.h"
#include "grader/tools/trace/recording.h"
#include "grader/tools/trace/traced_stage.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

void write_page(const std::vector<const sim::Playback*>& played, const std::string& file) {
  if (file.empty()) return;
  write_output(file, sim::to_page(played));
  std::printf("\nThe page is %s.\n", file.c_str());
}

void write_figure(const sim::Playback& playback, const std::optional<FigureSpec>& spec) {
  if (!spec) return;
  sim::DrawnFigure figure;
  try {
    figure = drawn(*spec, playback);
  } catch (const ConfigError& error) {
    throw UsageError("--figure: " + std::string(error.what()));
  }
  write_output(spec->file.string(), figure.svg);
  std::printf("\nThe figure is %s.\n", spec->file.c_str());
  const auto pages = update_pages(spec->file, figure);
  for (const fs::path& page : pages)
    std::printf("%s shows it: alt text and caption are as recorded.\n", page.c_str());
  if (pages.empty() && !figure.caption.empty())
    std::printf("Caption: %s\n", figure.caption.c_str());
}

/// A mistake in it need not wait until a kernel has run.
std::optional<FigureSpec> figure_wanted(const TraceOptions& options) {
  if (options.figure.empty()) return std::nullopt;
  try {
    FigureSpec spec = read_figure_spec(options.figure);
    // Of another stage than it is made for: not over the figure of that.
    if (!spec.of.empty() && !options.names.empty()) spec.file = spec.file.filename();
    check_writable(spec.file.string());
    return spec;
  } catch (const ConfigError& error) {
    throw UsageError("--figure: " + std::string(error.what()));
  }
}

void show(const sim::Playback& playback, const TraceOptions& options) {
  const auto threads = playback.trace().block.count();
  if (options.thread && *options.thread >= threads)
    throw UsageError(
        fmt::format("--thread {}: the block has threads 0 to {}.", *options.thread, threads - 1));
  std::optional<sim::Playback::Element> element;
  try {
    if (!options.element.empty()) element = playback.element(options.element);
  } catch (const sim::TraceError& error) {
    throw UsageError(std::string("--element: ") + error.what() + ".");
  }
  std::printf("%s", sim::heading_text(playback, style_of(stdout).width).c_str());
  const bool steps = options.text || options.thread ||
                     (options.json.empty() && options.html.empty() && options.figure.empty());
  if (element) {
    std::printf("\n%s", sim::history_text(playback, *element).c_str());
  } else if (steps) {
    std::printf("\n%s", sim::to_text(playback, {.thread = options.thread}).c_str());
  }
  if (const auto wrong = playback.wrong_element(); wrong && !element) {
    std::printf("\nWrong: %s is %s, expected %s.\n%s", playback.watched().wrong.c_str(),
                playback.watched().got.c_str(), playback.watched().expected.c_str(),
                sim::history_text(playback, *wrong).c_str());
  }
  write_output(options.json,
               sim::to_json(playback).dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

int trace_program(const Places& places, const TraceOptions& options,
                  const std::optional<FigureSpec>& figure) {
  if (options.solutions || options.size || !options.one_case.empty() || !options.against.empty())
    throw UsageError("--solutions, --case, --size and --against are for labs, not for a program.");
  const auto [recorded, simulated] = record_program(places, options, {}, false);
  sim::Watched watched;
  watched.title = fs::path(options.names.front()).filename().string();
  watched.sources = simulated.explained.sources;
  std::printf("\n");
  const sim::Playback playback = playback_of(recorded, std::move(watched), options);
  show(playback, options);
  write_figure(playback, figure);
  write_page({&playback}, options.html);
  return simulated.exit_code == 0 ? exit_pass : exit_short;
}

/// A stage's launch, and what became of the stage.
struct Traced {
  std::string title, verdict, message;
  std::string one_case, function;         ///< what it was called with
  std::optional<sim::Playback> playback;  ///< nothing where no kernel ran
  int exit_code() const { return exit_code_of(verdict); }
};

const std::string& function_of(const LabConfig& lab, const std::string& stage) {
  const auto found = std::ranges::find(lab.stages, stage, &StageConfig::name);
  return found->function;
}

Traced trace_stage(const Selection& selection, const TraceOptions& options, const Places& places) {
  const fs::path tree = places.tree();
  const std::string& lab = selection.lab.name;
  const std::string stage = stage_names(selection).front();
  if (!options.no_build) {
    const std::string kind = (options.solutions ? "solutions/" : "labs/") + lab;
    build(places.build(), lab, {"grader-" + lab}, stages_to_build(kind, {stage}, tree / kind),
          tree / kind);
  }
  const json entry = record_stage(lab, stage, options, places);
  Traced traced;
  traced.title = lab + "/" + stage;
  traced.verdict = entry.at("verdict").get<std::string>();
  traced.message = entry.at("message").get<std::string>();
  traced.one_case = entry.at("case").get<std::string>();
  traced.function = lab + " " + function_of(selection.lab, stage);
  traced.playback = playback_of_stage(entry, traced.title, tree / "labs" / lab, options);
  return traced;
}

/// The stage that is played beside `first`: with the same input, where both solve the same problem.
Traced trace_beside(const Traced& first, const Selection& selection, const TraceOptions& options,
                    const Places& places) {
  TraceOptions second = options;
  const auto in_solutions =
      names_solutions({options.against}, lab_names(places.build()), places.tree());
  second.solutions = in_solutions.value_or(options.solutions);
  second.kernel.clear();
  second.launch.reset();
  const std::string stage = stage_names(selection).front();
  if (selection.lab.name + " " + function_of(selection.lab, stage) != first.function) {
    second.one_case.clear();
    second.size.reset();
  } else if (!second.size) {
    second.one_case = first.one_case;
  }
  return trace_stage(selection, second, places);
}

int say_that_nothing_ran(const Traced& traced, const TraceOptions& options) {
  std::printf("%s: %s\n%s\nNo kernel ran that could be recorded%s.\n", traced.title.c_str(),
              traced.verdict.c_str(), traced.message.c_str(),
              options.html.empty() ? "" : ", so there is no page");
  return traced.exit_code();
}

}  // namespace

int trace(const Places& places, const TraceOptions& given) {
  check_all_writable({given.json, given.html});
  const std::optional<FigureSpec> figure = figure_wanted(given);
  const TraceOptions asked = figure ? recorded_for(*figure, given, places.tree()) : given;
  if (asked.names.empty())
    throw UsageError(
        "Say which LAB/STAGE, for example reduction/3_sequential; or a program's .cu file" +
        std::string(figure ? "; the figure's file says no 'of' either." : "."));
  if (names_program(asked.names, places)) return trace_program(places, asked, figure);
  const TraceOptions options = with_paths(asked, places);
  const fs::path tree = places.tree();
  if (options.solutions && !fs::is_directory(tree / "solutions"))
    throw UsageError("This tree holds no solutions/ to trace.");
  const auto named = [&](const std::vector<std::string>& names) {
    return select_stage(names, lab_names(places.build()), tree);
  };
  const Selection selection = named(options.names);
  std::optional<Selection> beside;  // a mistyped name need not wait until the first has run
  if (!options.against.empty()) beside = named({options.against});
  warn_without_sandbox();
  const Traced first = trace_stage(selection, options, places);
  if (!first.playback) return say_that_nothing_ran(first, options);
  show(*first.playback, options);
  write_figure(*first.playback, figure);
  if (!beside) {
    write_page({&*first.playback}, options.html);
    return first.exit_code();
  }
  const Traced second = trace_beside(first, *beside, options, places);
  std::printf("\n");
  if (!second.playback) return say_that_nothing_ran(second, options);
  std::printf("%s", sim::heading_text(*second.playback, style_of(stdout).width).c_str());
  write_page({&*first.playback, &*second.playback}, options.html);
  return first.exit_code() == exit_pass ? second.exit_code() : first.exit_code();
}

}  // namespace gridstride::cli
