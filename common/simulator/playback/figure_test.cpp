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

TEST(Figure, ShowsValuesAsTheyWereAtTheStep) {
  const std::string early = to_figure(played(), figure_of({.line = 5}));
  EXPECT_TRUE(holds(early, "class=\"on\">7</text>"));
  EXPECT_FALSE(holds(early, "250k"));
  EXPECT_EQ(count(early, "class=\"write\""), 1u);
  EXPECT_TRUE(holds(early, "class=\"l on\">3</text>")) << "the lane";
  EXPECT_TRUE(holds(early, "line 5, warp 0 writes, in 2 passes"));
  const std::string late = to_figure(played(), figure_of({.line = 5, .time = 2}));
  EXPECT_TRUE(holds(late, "class=\"on\">250k</text>"));
  EXPECT_TRUE(holds(to_figure(played(), figure_of({.line = 6})), "class=\"read\""));
}

TEST(Figure, HasBanksWhereARowIsOneAccess) {
  EXPECT_TRUE(holds(to_figure(played(), figure_of({.line = 5})), ">bank</text>"));
  Figure narrow = figure_of({.line = 5});
  narrow.columns = 8;
  EXPECT_FALSE(holds(to_figure(played(), narrow), ">bank</text>"));
}

TEST(Figure, ShowsAsManyElementsAsAreWanted) {
  Figure few = figure_of({.line = 5});
  few.elements = 16;
  EXPECT_EQ(count(to_figure(played(), few), "rx=\"2\""), 16u);
  EXPECT_EQ(count(to_figure(played(), figure_of({.line = 5})), "rx=\"2\""), 64u) << "all";
}

TEST(Figure, TextsDoNotAct) {
  Figure figure = figure_of({.line = 5, .says = "</text><script>alert(1)</script>"});
  figure.title = "\"><script>alert(2)</script>";
  EXPECT_FALSE(holds(to_figure(played(), figure), "<script"));
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
