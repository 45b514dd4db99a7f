// Pages of `lab trace` in a real browser: of solutions and of wrong kernels, used as a reader does. What is
// looked at in each of them stands in trace_page_driver.js.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/playback/page.h"
#include "common/simulator/playback/playback.h"
#include "common/subprocess.h"
#include "common/test_browser.h"
#include "grader/tools/trace/traced_stage.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

const fs::path tree = GRIDSTRIDE_SOURCE_DIR, build = GRIDSTRIDE_BUILD_DIR;

struct Watched {
  std::string lab, stage;
  std::string wrong;     ///< of solutions/<lab>/wrong; empty: the stage's solution
  std::string one_case;  ///< empty: as `lab trace` chooses
};

const std::vector<Watched> solutions = {
    {"reduction", "1_interleaved", "", "whole numbers n=32"},
    {"reduction", "2_strided", "", "whole numbers n=255"},
    {"reduction", "5_warp_shuffle", "", "whole numbers n=32"},
    {"scan", "2_work_efficient", "", "whole numbers n=1025"},
    {"histogram", "4_warp_tables", "", "uniform n=32"},
    {"atomics", "3_warp_aggregated", "", "mixed n=32"},
    {"compact-split", "1_one_block", "", "mixed n=32"},
    {"tiled-gemm", "3_abt_padded", "", "whole numbers 15 x 17, k=16"},
    {"convolution", "2_shared_tile", "", "greys 1 x 2, filter 3, zero"},
    {"jacobi", "1_warp_per_row", "", "Jacobi, whole numbers n=32"}};

const std::vector<Watched> wrong_kernels = {{"reduction", "1_interleaved", "out_of_bounds", ""},
                                            {"reduction", "3_sequential", "shared_race", ""},
                                            {"reduction", "1_interleaved", "barrier_in_branch", ""},
                                            {"reduction", "6_vectorized", "ragged_tail", ""},
                                            {"scan", "1_hillis_steele", "single_buffer", ""},
                                            {"scan", "4_three_phases", "lost_carry", ""},
                                            {"histogram", "4_warp_tables", "lane_race", ""},
                                            {"atomics", "2_shared_totals", "lost_updates", ""},
                                            {"jacobi", "4_stencil", "in_place", ""},
                                            {"tiled-gemm", "1_tile_16", "whole_tiles_only", ""}};

std::optional<sim::Playback> traced(const Watched& what) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "trace.json", home = fs::path("solutions") / what.lab;
  Subprocess grader;
  grader.command = {(build / "bin" / ("grade-" + what.lab)).string(), "--sandbox", "off", "--trace",
                    file.string()};
  std::vector<std::string> more{"--solutions"};
  if (!what.wrong.empty()) {
    const fs::path source = home / "wrong" / (what.wrong + ".cu");
    more = {"--library",
            what.stage + "=" + (build / "stages" / home / "wrong" / (what.wrong + ".so")).string(),
            "--source",
            what.stage + "=" + ((fs::exists(tree / source) ? tree : build) / source).string()};
  }
  if (!what.one_case.empty()) more.insert(more.end(), {"--case", what.one_case});
  grader.command.insert(grader.command.end(), more.begin(), more.end());
  grader.command.push_back(what.stage);
  EXPECT_TRUE(run_process(grader).succeeded());
  const auto entry = nlohmann::json::parse(read_file(file, std::size_t{1} << 30));
  const std::string title =
      what.lab + "/" + (what.wrong.empty() ? what.stage : "wrong/" + what.wrong);
  EXPECT_EQ(entry.at("verdict") == "pass", what.wrong.empty()) << title << entry.at("message");
  return cli::playback_of_stage(entry, title, tree / "labs" / what.lab, {});
}

/// Opens pages one after the other in frames of a width, and shows what each of them says.
std::string frames_of(std::size_t count) {
  return "<!doctype html><meta charset=utf-8><title>Frames</title><body><script>\n"
         "const widths = [400, 1000, 1600], count = " +
         std::to_string(count) + R"html(;
let number = -1, frame = null;
const next = () => {
  frame?.remove();
  if (++number === count) return document.body.append("ALL SEEN");
  frame = document.createElement("iframe");
  frame.width = widths[number % widths.length];
  frame.height = 900;
  frame.src = number + ".html";
  document.body.append(frame);
};
addEventListener("message", ({data}) => {
  const line = document.createElement("p");
  line.textContent = data.length === 0 ? "GOOD " + number : "WRONG " + number + ": " + data.join(" | ");
  document.body.append(line);
  next();
});
next();
</script>)html";
}

class TracePage : public testing::Test {
 protected:
  void SetUp() override {
    if (test_browser().empty()) GTEST_SKIP() << "needs chromium (apt-get install chromium)";
  }

  /// With who watches and who uses it.
  std::string driven(const std::vector<const sim::Playback*>& all) const {
    std::string page = with_inserted(sim::to_page(all), "<head>", page_watcher);
    const std::string driver = read_file(tree / "solutions/trace_page_driver.js");
    return page.insert(page.rfind("</body>"), "<script>" + driver + "</script>");
  }

  /// What the pages say, one after the other.
  std::string used(const std::vector<std::string>& pages) {
    for (std::size_t i = 0; i < pages.size(); ++i)
      write_file(folder_.path() / (std::to_string(i) + ".html"), pages[i]);
    write_file(folder_.path() / "frames.html", frames_of(pages.size()));
    return document_of(folder_.path() / "frames.html", folder_.path(),
                       {"--virtual-time-budget=600000"});
  }

  TemporaryFolder folder_;
};

void expect_all_good(const std::string& said, const std::vector<std::string>& titles) {
  EXPECT_NE(said.find("ALL SEEN"), std::string::npos) << said.substr(0, 3000);
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const std::size_t at = said.find("WRONG " + std::to_string(i) + ":");
    EXPECT_NE(said.find("<p>GOOD " + std::to_string(i) + "</p>"), std::string::npos)
        << titles[i] << ": "
        << (at == std::string::npos ? "" : said.substr(at, said.find("</p>", at) - at));
  }
}

TEST_F(TracePage, PlaysSolutionsWrongKernelsAndTwoStagesSideBySide) {
  std::vector<std::string> pages, titles;
  std::vector<sim::Playback> right;
  for (const auto* list : {&solutions, &wrong_kernels}) {
    for (const Watched& what : *list) {
      std::optional<sim::Playback> playback = traced(what);
      ASSERT_TRUE(playback) << what.lab << " " << what.stage << " " << what.wrong;
      pages.push_back(driven({&*playback}));
      titles.push_back(playback->watched().title);
      if (right.size() < 2) right.push_back(*std::move(playback));
    }
  }
  pages.push_back(driven({&right[0], &right[1]}));
  titles.emplace_back("reduction/1 against reduction/2");
  expect_all_good(used(pages), titles);
}

TEST_F(TracePage, WhatIsNotAsItShouldBeWouldBeSeen) {
  const std::optional<sim::Playback> playback = traced(solutions[0]);
  ASSERT_TRUE(playback);
  const std::string good = driven({&*playback});
  const std::size_t end = good.rfind("<script>// Goes into a page");
  ASSERT_NE(end, std::string::npos);
  const auto with = [&](const std::string& mistake) {
    return std::string(good).insert(end, mistake);
  };
  const std::string said = used(
      {with("<img src=\"http://example.invalid/x.png\" alt=\"\">"),
       with("<script>gridstride.conductor.listeners.push(() => "
            "document.querySelector('p.now').append(String(Math.random())))</script>"),
       with("<script>gridstride.conductor.stops_at = () => { throw new Error('stops'); }</script>"),
       good});
  EXPECT_NE(said.find("WRONG 0: complained"), std::string::npos) << said.substr(0, 3000);
  EXPECT_NE(said.find("WRONG 1: the picture"), std::string::npos) << said.substr(0, 3000);
  EXPECT_NE(said.find("WRONG 2: "), std::string::npos) << said.substr(0, 3000);
  EXPECT_NE(said.find("GOOD 3"), std::string::npos) << said.substr(0, 3000);
}

TEST_F(TracePage, OfManyStepsOpensQuickly) {
  const std::optional<sim::Playback> playback =
      traced({"tiled-gemm", "1_tile_16", "no_second_barrier", "whole numbers 1 x 1, k=1025"});
  ASSERT_TRUE(playback);
  EXPECT_EQ(playback->trace().steps.size(), 20'000u);
  EXPECT_EQ(playback->trace().block.count(), 256u);
  std::string page = sim::to_page({&*playback});
  EXPECT_LE(page.size(), 5'000'000u);
  page.insert(
      page.rfind("</body>"),
      "<script>addEventListener('load', () => document.documentElement.setAttribute('data-opened', "
      "performance.now() < 2000 && gridstride.conductor.length === 20000));</script>");
  write_file(folder_.path() / "page.html", page);
  // Other tests run beside this one: a page that ever opens so quickly is quick enough.
  std::string root;
  for (int i = 0; i < 3 && root.find("data-opened=\"true\"") == std::string::npos; ++i)
    root = document_of(folder_.path() / "page.html", folder_.path()).substr(0, 300);
  EXPECT_NE(root.find("data-opened=\"true\""), std::string::npos) << root;
}

/// Follows values of solutions/touched_memory.cu in its page; what is wrong is an error of the page's.
constexpr const char* follow_values = R"js(<script>addEventListener("load", () => {
  const [player] = gridstride.players, {recording, origins, words} = player;
  const must = (holds, what) => { if (!holds) throw new Error(what); };
  const array = (name) => recording.arrays.find((one) => one.name === name) ?? must(false, name);
  const name = ({array, index}) => words.element(recording.arrays[array], index);
  const of = (name, index, before = recording.count, turn = 0) => origins.of(array(name).number, index, before, turn);
  // ldmatrix gave lane 2 of the third matrix what lane 1 had copied.
  const stored = of("out", 256 + 32 + 2);
  must(stored.value === 12 && stored.from.map(name).join() === "tile[0][12],tile[0][13]", "ldmatrix: " + stored.from.map(name));
  const copied = of("tile", 12, stored.from[0].step);
  must(copied.lane === 1 && copied.from.map(name).join() === "in[12]", "cp.async: " + copied.from.map(name));
  const product = of("out", 5);
  must(product.products.length === 1 && product.value === 1241, "the product");
  const written = of("result", 11);
  must(name(written) === "result(3, 1)" && written.value === 22 && name(written.from[0]) === "image(3, 1)", "texels");
  let turn = of("total", 0);
  for (let lane = 31; lane >= 0; --lane) {
    must(turn.lane === lane && turn.value === lane * (lane + 1) / 2, "the turn of lane " + lane);
    const found = turn.from.at(-1);
    turn = of("total", 0, found.step, found.turn);
  }
  must(turn === null, "before the first turn");
  const shown = (kind) => {
    const step = recording.find(0, 1, (i) => recording.step(i).op.text.includes(kind));
    must(step >= 0, kind);
    player.go_to_step(step);
    return document.querySelector("main").textContent;
  };
  const lanes = player.panels.find((panel) => panel.name === "Lanes").tab;
  if (lanes.getAttribute("aria-pressed") === "false") lanes.click();
  must(/lanes 0–31 name/.test(shown("ldmatrix")), "who names the rows");
  must(/there at cycle \d+/.test(shown("cp.async.cg")), "when the copy is there");
  must(/reads image\(0, 0\) to image\(7, 3\)/.test(shown("tex.2d")), "the texels");
  must(/which elements went into one of the product is not recorded/.test(shown("wmma.mma")), "the product in words");
  must(/they take turns, the lowest first/.test(shown("global.add.u32")), "the turns");
  player.element_view.field.value = "image(3, 1)";
  player.element_view.choose_named();
  must(player.chosen.index === 11, "a texel by its name");
});</script>)js";

TEST_F(TracePage, CopiesMatricesTexelsAndTurnsAreShownAndFollowed) {
  const fs::path html = folder_.path() / "page.html", json = folder_.path() / "all.json";
  Subprocess lab;
  lab.command = {(build / "bin/gridstride").string(),
                 "trace",
                 "--no-build",
                 "--html",
                 html.string(),
                 "--json",
                 json.string(),
                 (tree / "solutions/touched_memory.cu").string()};
  lab.hide_errors = true;
  ASSERT_TRUE(run_process(lab).succeeded());
  const auto recording = nlohmann::json::parse(read_file(json, std::size_t{1} << 30));
  EXPECT_EQ(recording.at("differing_bytes"), 0);
  std::string page = with_inserted(read_file(html, std::size_t{1} << 30), "<head>", page_watcher);
  const std::string driver = read_file(tree / "solutions/trace_page_driver.js");
  page.insert(page.rfind("</body>"), follow_values + ("<script>" + driver + "</script>"));
  expect_all_good(used({page}), {"touched_memory.cu"});
}

struct Said {
  int exit_code = 0;
  std::vector<std::string> lines;
};

/// What `lab trace` says of solutions, in a pipe.
Said lab_trace(std::vector<std::string> arguments) {
  Said said;
  Subprocess lab;
  lab.command = {(build / "bin/gridstride").string(), "trace", "--solutions", "--no-build"};
  lab.command.insert(lab.command.end(), arguments.begin(), arguments.end());
  lab.merge_errors = true;
  lab.on_line = [&said](std::string_view line) { said.lines.emplace_back(line); };
  said.exit_code = run_process(lab).exit_code;
  return said;
}

TEST(TraceCommand, WritesAPageOfTwoStagesWithTheSameInput) {
  const TemporaryFolder folder;
  const fs::path page = folder.path() / "page.html";
  const Said said = lab_trace(
      {"reduction/2", "--size", "300", "--against", "reduction/3", "--html", page.string()});
  ASSERT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.lines.back(), "The page is " + page.string() + ".");
  for (const std::string& line : said.lines) EXPECT_LE(line.size(), 100u) << line;
  const std::string html = read_file(page);
  EXPECT_NE(html.find("reduction/2_strided against reduction/3_sequential"), std::string::npos);
  const std::string input = "\"input\":\"case 'size 300'";
  const std::size_t first = html.find(input);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(html.find(input, first + 1), std::string::npos);
}

TEST(TraceCommand, DrawsTheConflictsOfAStage) {
  const TemporaryFolder folder;
  const fs::path spec = folder.path() / "conflicts.toml";
  const auto draw = [&](const std::string& text) {
    write_file(spec, text);
    return lab_trace({"reduction/2", "--size", "256", "--figure", spec.string()});
  };
  const Said said = draw("array = \"sums\"\n[[step]]\nline = 19\naccess = \"read\"\ntime = 5\n");
  ASSERT_EQ(said.exit_code, 0);
  const fs::path figure = folder.path() / "conflicts.svg";
  EXPECT_EQ(said.lines.back(), "The figure is " + figure.string() + ".");
  EXPECT_NE(read_file(figure).find("line 19, warp 0 reads, in 8 passes"), std::string::npos);
  const Said mistyped = draw("array = \"sums\"\n[[step]]\nlime = 19\n");
  EXPECT_EQ(mistyped.exit_code, 2);
  const Said nowhere = draw("array = \"sums\"\n[[step]]\nline = 1\n");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_NE(nowhere.lines.back().find("…"), std::string::npos) << "what there is";
}

TEST(TraceCommand, AgainstWhatCannotBePlayedIsToldAtOnce) {
  const Said nowhere = lab_trace({"reduction/2", "--against", "reduction/3"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_EQ(nowhere.lines.front(),
            "lab: --against requires --html. `lab trace --help` lists what there is.");
  const Said nobody =
      lab_trace({"reduction/2", "--against", "reduction/99", "--html", "/dev/null"});
  EXPECT_EQ(nobody.exit_code, 2);
  ASSERT_EQ(nobody.lines.size(), 1u) << "nothing has run";
  EXPECT_NE(nobody.lines.front().find("no stage '99'"), std::string::npos);
}

}  // namespace
}  // namespace gridstride
