// What a figure's file says, and that a slip in it is told with its place.
#include "grader/tools/trace/figure_spec.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "common/files.h"
#include "grader/course/lab_config.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

const std::string whole = R"(of = "reduction/2"
size = 256
array = "sums"
caption = "{passes} passes"

[[step]]
line = 20
says = "{pases}"
)";

FigureSpec spec_of(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder.path() / "f.toml", text);
  return read_figure_spec(folder.path() / "f.toml");
}

/// Behind the name of the file.
std::string error_of(const std::string& text) {
  try {
    spec_of(text);
  } catch (const ConfigError& error) {
    const std::string words = error.what();
    return words.substr(words.find("f.toml"));
  }
  return "";
}

TEST(FigureSpec, SaysWhatIsRecorded) {
  const FigureSpec spec = spec_of("kernel = \"sum\"\nlaunch = 2\nblock = \"1\"\n" + whole);
  const TraceOptions options = recorded_for(spec, {}, "/tree");
  EXPECT_EQ(options.names, std::vector<std::string>{"reduction/2"});
  EXPECT_TRUE(options.solutions);
  EXPECT_EQ(options.size, 256);
  EXPECT_EQ(options.kernel, "sum");
  EXPECT_EQ(options.launch, 2);
  EXPECT_EQ(options.blocks, std::vector<std::string>{"1"});
  EXPECT_TRUE(spec.figure.source);
}

TEST(FigureSpec, TheCommandLineGoesFirst) {
  TraceOptions given;
  given.names = {"reduction/3"};
  given.one_case = "whole numbers n=32";
  const TraceOptions options = recorded_for(spec_of(whole), given, "/tree");
  EXPECT_EQ(options.names, given.names);
  EXPECT_FALSE(options.solutions) << "a student's stage";
  EXPECT_EQ(options.one_case, given.one_case);
  EXPECT_FALSE(options.size);
}

TEST(FigureSpec, AProgramIsOneOfTheTree) {
  const TraceOptions options =
      recorded_for(spec_of("of = \"docs/x.cu\"\narray = \"a\"\n[[step]]\nline = 1\n"), {}, "/tree");
  EXPECT_EQ(options.names, std::vector<std::string>{"/tree/docs/x.cu"});
  EXPECT_FALSE(options.solutions);
}

TEST(FigureSpec, SlipsAreToldWithTheirPlace) {
  EXPECT_EQ(error_of("captoin = \"x\"\n" + whole),
            "f.toml:1:1: unknown key 'captoin' in the figure: expected 'caption'");
  EXPECT_EQ(error_of("colour = 1\n" + whole).substr(0, 78),
            "f.toml:1:1: unknown key 'colour' in the figure: expected alt, array, block, ca");
  EXPECT_EQ(error_of("case = \"n=1\"\n" + whole),
            "f.toml:3:8: expected 'case' or 'size', not both");
  EXPECT_EQ(error_of("alt = \"sums[3]\"\n" + whole),
            "f.toml:1:7: 'alt' goes into a page: expected one line without []");
  EXPECT_EQ(
      error_of(whole + "text = \"sums\"\n"),
      "f.toml:7:8: expected 'text', which one line of the source holds, or 'line', its number");
  EXPECT_EQ(error_of(whole + "time = 0\n"), "f.toml:9:8: expected 'time' from 1 on");
}

TEST(FigureSpec, WhatDoesNotFitTheRecordingHasItsPlaceToo) {
  sim::Trace trace;
  trace.kernel = "k()";
  trace.grid = trace.block = {1, 1, 1};
  trace.blocks = {{0, 0, 0}};
  trace.shared = {{"sums", 0, 4}};
  sim::TraceOp op;
  op.kind = sim::TraceKind::store;
  op.line = 20;
  op.type = "s32";
  op.bytes = 4;
  trace.ops = {op};
  sim::TraceStep step;
  step.here = step.lanes = 1;
  step.accesses = {{sim::TraceSpace::shared, sim::TraceKind::store, 1, 4, 1, {0}, {7}, {}}};
  trace.steps = {step};
  const sim::Playback playback(std::move(trace), {});
  const auto error = [&](const std::string& text) -> std::string {
    try {
      drawn(spec_of(text), playback);
    } catch (const ConfigError& wrong) {
      const std::string words = wrong.what();
      return words.substr(words.find("f.toml"));
    }
    return "";
  };
  const std::string says = error(whole);
  EXPECT_TRUE(says.starts_with("f.toml:8:8: 'says': there is no {pases} here; there is {array}, "))
      << says;
  EXPECT_TRUE(error("array = \"sum\"\n[[step]]\nline = 20\n")
                  .starts_with("f.toml:1:9: 'array': there is no array 'sum' in this launch"));
  EXPECT_TRUE(error("array = \"sums\"\n[[step]]\nline = 21\n")
                  .starts_with("f.toml:3:8: 'line': line 21, warp 0 touches the array 0 times"));
}

}  // namespace
}  // namespace gridstride::cli
