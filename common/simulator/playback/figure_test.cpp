// A still picture: the right step, the values at that time, and nothing of a text acts.
#include "common/simulator/playback/figure.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace gridstride::sim {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

/// Lane 3 stores 7 to sums[3] in line 5, then reads it in line 6, then stores 250000 there in line 5.
Playback played() {
  Trace trace;
  trace.kernel = "k()";
  trace.grid = {1, 1, 1};
  trace.block = {32, 1, 1};
  trace.blocks = {{0, 0, 0}};
  trace.shared_bytes = 256;
  trace.shared = {{"sums", 0, 256}};
  TraceOp store, load;
  store.kind = TraceKind::store;
  load.kind = TraceKind::load;
  store.line = 5;
  load.line = 6;
  store.type = load.type = "s32";
  store.bytes = load.bytes = 4;
  trace.ops = {store, load};
  const auto step = [](std::uint32_t op, TraceKind kind, std::uint64_t value) {
    TraceStep one;
    one.op = op;
    one.here = one.lanes = 8;
    one.passes = 2;
    one.accesses = {{TraceSpace::shared, kind, 8, 4, 1, {12}, {value}, {}}};
    return one;
  };
  trace.steps = {step(0, TraceKind::store, 7), step(1, TraceKind::load, 7),
                 step(0, TraceKind::store, 250'000)};
  Watched watched;
  watched.title = "k.cu";
  return {std::move(trace), std::move(watched)};
}

Figure figure_of(FigureStep step) {
  Figure figure;
  figure.array = "sums";
  figure.steps = {std::move(step)};
  return figure;
}

std::string drawn(const Figure& figure) { return to_figure(played(), figure).svg; }

TEST(Figure, ShowsValuesAsTheyWereAtTheStep) {
  const std::string early = drawn(figure_of({.line = 5}));
  EXPECT_TRUE(holds(early, "class=\"on\">7</text>"));
  EXPECT_FALSE(holds(early, "250k"));
  EXPECT_EQ(count(early, "class=\"write\""), 2u) << "a cell, and the legend";
  EXPECT_TRUE(holds(early, "class=\"l on\">3</text>")) << "the lane";
  EXPECT_TRUE(holds(early, "line 5, warp 0 writes, in 2 passes"));
  const std::string late = drawn(figure_of({.line = 5, .time = 2}));
  EXPECT_TRUE(holds(late, "class=\"on\">250k</text>"));
  EXPECT_TRUE(holds(drawn(figure_of({.line = 6})), "class=\"read\""));
}

TEST(Figure, HasBanksWhereARowIsOneAccess) {
  EXPECT_TRUE(holds(drawn(figure_of({.line = 5})), ">bank</text>"));
  Figure narrow = figure_of({.line = 5});
  narrow.columns = 8;
  EXPECT_FALSE(holds(drawn(narrow), ">bank</text>"));
}

TEST(Figure, ShowsAsManyElementsAsAreWanted) {
  Figure few = figure_of({.line = 5});
  few.elements = 16;
  EXPECT_EQ(count(drawn(few), "height=\"26\" rx=\"2\""), 16u);
  EXPECT_EQ(count(drawn(figure_of({.line = 5})), "height=\"26\" rx=\"2\""), 64u) << "all";
}

TEST(Figure, AStepIsNamedByTheTextOfItsLine) {
  Trace trace = played().trace();
  for (TraceOp& op : trace.ops) op.file = "k.cu";
  Watched watched;
  watched.sources["k.cu"] = "\n\n// sums\n\nsums[i] = 7;\nx = sums[i];\n";
  const Playback playback(std::move(trace), std::move(watched));
  const auto result = [&](FigureStep step) -> std::string {
    step.says = "{line}: {source}";
    try {
      return to_figure(playback, figure_of(std::move(step))).svg;
    } catch (const FigureError& error) {
      return error.key + ": " + error.what();
    }
  };
  EXPECT_TRUE(holds(result({.text = "x = sums"}), ">6: x = sums[i];</text>"));
  EXPECT_EQ(result({.text = "y ="}), "text: no line of the source holds this");
  EXPECT_EQ(result({.text = "sums"}),
            "text: more than one line holds this: line 3 and line 5 and line 6");
  EXPECT_TRUE(result({.text = "// sums"}).starts_with("text: line 3, warp 0 touches the array 0"));
}

TEST(Figure, SmallCellsHoldTheLaneAlone) {
  Figure figure = figure_of({.line = 5});
  figure.values = false;
  const std::string svg = drawn(figure);
  EXPECT_TRUE(holds(svg, "class=\"on\">3</text>")) << "the lane";
  EXPECT_FALSE(holds(svg, ">7</text></")) << "the value";
  EXPECT_EQ(count(svg, "width=\"18\" height=\"18\""), 64u);
}

TEST(Figure, DrawsAWindowOfTheArray) {
  Figure figure = figure_of({.line = 5, .first = 16});
  figure.columns = 4;
  figure.stride = 16;
  figure.elements = 12;  // elements 16 to 19, 32 to 35, 48 to 51
  const std::string svg = drawn(figure);
  EXPECT_TRUE(holds(svg, "class=\"s i\">32</text>")) << svg;
  EXPECT_FALSE(holds(svg, "class=\"s i\">20</text>"));
  EXPECT_TRUE(holds(svg, "1 lane at elements that are not drawn")) << "lane 3 wrote sums[3]";
}

TEST(Figure, MarksTheRestOfASectorOfGlobalMemory) {
  Trace trace = played().trace();
  trace.shared.clear();
  trace.allocations = {{0x1000, 256, "sums", ""}};
  for (TraceStep& step : trace.steps) {
    step.passes = 0;
    step.sectors = 1;
    step.accesses.front().space = TraceSpace::global;
    step.accesses.front().places = {0x1000 + 12};
  }
  const Playback global(std::move(trace), {});
  Figure figure = figure_of({.line = 6, .says = "{sectors|sector|sectors}"});
  const std::string svg = to_figure(global, figure).svg;
  EXPECT_EQ(count(svg, "class=\"near\""), 8u) << "seven, and the legend";
  EXPECT_TRUE(holds(svg, ">1 sector</text>"));
  EXPECT_FALSE(holds(svg, ">bank</text>"));
}

TEST(Figure, ACopyReadsOneArrayAndWritesAnother) {
  Trace trace = played().trace();
  trace.allocations = {{0x1000, 256, "in", ""}};
  trace.ops[1].kind = TraceKind::copy;
  TraceStep& copy = trace.steps[1];
  TraceAccess from = copy.accesses.front();
  copy.accesses.front().kind = TraceKind::store;
  from.space = TraceSpace::global;
  from.places = {0x1000 + 12};
  copy.accesses.insert(copy.accesses.begin(), from);
  const Playback copied(std::move(trace), {});
  const auto svg_of = [&](const char* array, const char* access) {
    Figure figure = figure_of({.line = 6, .access = access});
    figure.array = array;
    return to_figure(copied, figure).svg;
  };
  EXPECT_TRUE(holds(svg_of("in", "read"), "class=\"read\""));
  EXPECT_TRUE(holds(svg_of("sums", "write"), "class=\"write\""));
  EXPECT_THROW(svg_of("in", "write"), FigureError);
}

TEST(Figure, TextsTellWhatWasRecorded) {
  Figure figure = figure_of({.line = 5, .says = "{lanes|lane|lanes}, {passes|pass|passes}, {{x}"});
  figure.steps.push_back({.line = 5, .time = 2});
  figure.title = "{stage}: {array} of {block} threads";
  figure.alt = "{1.passes} and {2.elements}";
  figure.caption = "Line {2.line}, warp {1.warp}.";
  const DrawnFigure result = to_figure(played(), figure);
  EXPECT_TRUE(holds(result.svg, ">1 lane, 2 passes, {x}</text>")) << result.svg;
  EXPECT_TRUE(holds(result.svg, ">k.cu: sums of 32 threads</text>")) << result.svg;
  EXPECT_TRUE(holds(result.svg, "aria-label=\"2 and 1\""));
  EXPECT_EQ(result.alt, "2 and 1");
  EXPECT_EQ(result.caption, "Line 5, warp 0.");
}

TEST(Figure, SaysWhichValuesThereAre) {
  const auto wrong = [](const Figure& figure) {
    try {
      to_figure(played(), figure);
    } catch (const FigureError& error) {
      return error.key + " " + std::to_string(error.step) + ": " + error.what();
    }
    return std::string();
  };
  const std::string says = wrong(figure_of({.line = 5, .says = "{pases}"}));
  EXPECT_TRUE(says.starts_with("says 0: there is no {pases} here; there is ")) << says;
  EXPECT_TRUE(holds(says, "{passes}, ")) << says;
  EXPECT_FALSE(holds(says, "{sectors}")) << "shared memory has none: " << says;
  Figure figure = figure_of({.line = 5, .says = "{line"});
  EXPECT_EQ(wrong(figure), "says 0: a '{' without its '}'; '{{' is a brace");
  figure.steps.front().says = "";
  figure.caption = "{3.passes}";
  EXPECT_TRUE(wrong(figure).starts_with("caption -1: there is no {3.passes} here")) << "one step";
  figure.caption = "{passes|pass}";
  EXPECT_EQ(wrong(figure), "caption -1: expected two words, as in {passes|pass|passes}");
  figure.caption = "";
  figure.steps.front().first = 64;
  EXPECT_EQ(wrong(figure), "first 0: the array has elements 0 to 63");
}

TEST(Figure, WithoutTheSourceNothingTellsItsLines) {
  Figure figure = figure_of({.line = 5});
  figure.source = false;
  const std::string svg = drawn(figure);
  EXPECT_TRUE(holds(svg, ">warp 0 writes, in 2 passes")) << svg;
  EXPECT_FALSE(holds(svg, "line 5"));
  for (const char* text : {"{line}", "{source}"}) {
    figure.steps.front().says = text;
    EXPECT_THROW(to_figure(played(), figure), FigureError) << text;
    Figure with = figure;
    with.source = true;
    EXPECT_NO_THROW(to_figure(played(), with)) << text;
  }
}

TEST(Figure, TextsDoNotAct) {
  Figure figure = figure_of({.line = 5, .says = "</text><script>alert(1)</script>"});
  figure.title = "\"><script>alert(2)</script>";
  EXPECT_FALSE(holds(drawn(figure), "<script"));
}

TEST(Figure, SaysWhatThereIsWhereThereIsNoSuchStep) {
  const auto message = [](const Figure& figure) -> std::string {
    try {
      to_figure(played(), figure);
    } catch (const TraceError& error) {
      return error.what();
    }
    return "";
  };
  const std::string late = message(figure_of({.line = 5, .time = 3}));
  EXPECT_TRUE(holds(late, "line 5, warp 0 touches the array 2 times, and time 3 was asked for"))
      << late;
  EXPECT_TRUE(holds(late, "\n  line 6 warp 0 read: 1 time")) << late;
  EXPECT_TRUE(holds(message(figure_of({.line = 5, .access = "read"})), "0 times"));
  Figure other = figure_of({.line = 5});
  other.array = "sum";
  EXPECT_EQ(message(other), "there is no array 'sum' in this launch; there is sums");
}

}  // namespace
}  // namespace gridstride::sim
