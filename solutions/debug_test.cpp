// `lab debug` as an editor drives it, and as a user does in a terminal: on solutions, on a wrong kernel, on a
// program.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/file_lock.h"
#include "common/files.h"
#include "common/subprocess.h"
#include "common/unique_fd.h"
#include "grader/tools/debug/test_dap_client.h"
#include "solutions/test_debugged.h"

namespace gridstride {
namespace {
class DebugTest : public testing::Test {
 protected:
  std::string errors() const { return read_file(folder_.path() / "errors"); }
  void set_breakpoint(const fs::path& file, std::int64_t line, const std::string& condition = "") {
    const json body = client_.ask("setBreakpoints",
                                  {{"source", {{"path", file.string()}}},
                                   {"breakpoints", {{{"line", line}, {"condition", condition}}}}});
    EXPECT_TRUE(body.at("breakpoints").at(0).at("verified").get<bool>()) << body;
    EXPECT_EQ(body.at("breakpoints").at(0).at("line"), line);
  }
  /// All that an editor shows of a thread.
  std::string shown(std::int64_t thread) {
    std::string text;
    for (const json& frame : client_.frames(thread)) {
      text += frame.at("name").get<std::string>() + ":" + frame.at("line").dump() + "\n";
      for (const char* name : {"Parameters", "Locals", "Shared", "Global", "Warp"}) {
        for (const auto& [variable, value] : client_.scope(frame.at("id"), name))
          text += variable + " = " + value + "\n";
      }
    }
    return text;
  }
  std::int64_t innermost(std::int64_t thread) {
    return client_.frames(thread).at(0).at("id").get<std::int64_t>();
  }

  TemporaryFolder folder_;
  cli::TestDapClient client_{{program.string(), "debug", "--dap", "--no-build"},
                             (folder_.path() / "errors").string()};
};

TEST_F(DebugTest, BreakpointValuesStepAndBackOfAReduction) {
  const fs::path file = tree / "solutions/reduction/2_strided.cu";
  const std::int64_t line = line_with(file, "sums[index] += sums[index + s]");
  client_.launch({{"program", "reduction/2"}, {"solutions", true}, {"size", 40}});
  set_breakpoint(file, line);
  const json stop = client_.stopped_after("configurationDone", json::object());
  EXPECT_EQ(stop.at("reason"), "breakpoint");
  EXPECT_EQ(client_.ask("threads").at("threads").at(1).at("name"), "block 0 warp 1");
  const std::int64_t thread = stop.at("threadId");

  const json frames = client_.frames(thread);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames.at(0).at("name"), "sum_tree");
  EXPECT_EQ(frames.at(0).at("line"), line);
  EXPECT_EQ(frames.at(0).at("source").at("path"), file.string());
  EXPECT_EQ(frames.at(1).at("name"), "sum_sections");
  EXPECT_EQ(client_.scope(frames.at(1).at("id"), "Parameters").at("n"), "40");
  const std::int64_t frame = frames.at(0).at("id");
  auto locals = client_.scope(frame, "Locals");
  EXPECT_EQ(locals.at("s"), "1");
  EXPECT_EQ(locals.at("index"), "0");
  // Nothing is added yet: the sums are the inputs.
  for (int i = 0; i < 40; ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    EXPECT_EQ(client_.value("sums" + index, frame),
              client_.value("in" + index, frames.at(1).at("id")));
  }

  const double sum =
      std::stod(client_.value("sums[0]", frame)) + std::stod(client_.value("sums[1]", frame));
  const std::string before = shown(thread);
  client_.stopped_after("next", {{"threadId", thread}});
  EXPECT_EQ(std::stod(client_.value("sums[0]", innermost(thread))), sum);
  EXPECT_EQ(client_.frames(thread).at(0).at("line"), line + 1);
  EXPECT_NE(shown(thread), before);
  client_.stopped_after("stepBack", {{"threadId", thread}});
  EXPECT_EQ(shown(thread), before);

  // The console takes the terminal's words, and a thread that is named there is the one that is shown.
  const json answer = client_.ask("evaluate", {{"expression", "thread 0,37"}, {"context", "repl"}});
  EXPECT_NE(answer.at("result").get<std::string>().find("thread (37,0,0)"), std::string::npos);
  const json moved = client_.event("stopped");
  EXPECT_EQ(moved.at("threadId"), 2);
  EXPECT_EQ(client_.value("threadIdx.x", innermost(2)), "37");
  EXPECT_EQ(client_.scope(innermost(2), "Warp").at("thread"), "block (0,0,0) thread (37,0,0)");

  set_breakpoint(file, line, "s == 4");
  EXPECT_EQ(client_.stopped_after("continue", {{"threadId", 2}}).at("reason"), "breakpoint");
  EXPECT_EQ(client_.stopped_after("stepOut", {{"threadId", 1}}).at("reason"), "step");
  EXPECT_EQ(client_.frames(1).at(0).at("name"), "sum_sections");
  EXPECT_EQ(client_.stopped_after("reverseContinue", {{"threadId", 1}}).at("reason"), "breakpoint");
  client_.ask("setBreakpoints", {{"source", {{"path", file.string()}}}});
  EXPECT_EQ(client_.stopped_after("continue", {{"threadId", 1}}).at("reason"), "end");
  client_.ask("continue", {{"threadId", 1}});
  EXPECT_EQ(client_.event("exited").at("exitCode"), 0);
  client_.event("terminated");
  client_.ask("disconnect");
  EXPECT_EQ(client_.ended(), 0);
}

TEST_F(DebugTest, SharedTilesAndLocalArraysOfAProduct) {
  const fs::path file = tree / "solutions/tiled-gemm/2_tile_32.cu";
  client_.launch({{"program", "tiled-gemm/2"},
                  {"solutions", true},
                  {"stopOnEntry", true},
                  {"case", "whole numbers 15 x 17, k=16"}});
  EXPECT_EQ(client_.stopped_after("configurationDone", json::object()).at("reason"), "entry");
  EXPECT_EQ(client_.value("k", innermost(1)), "16") << "a parameter before the first line";
  set_breakpoint(file, line_with(file, "sum[i] +="), "threadIdx.y == 2 && p == 3");
  const json stop = client_.stopped_after("continue", {{"threadId", 1}});
  EXPECT_EQ(stop.at("reason"), "breakpoint");
  const std::int64_t thread = stop.at("threadId"), frame = innermost(thread);
  EXPECT_EQ(thread, 3) << "a row is a warp";
  EXPECT_EQ(client_.value("p", frame), "3");
  EXPECT_EQ(client_.value("a_tile[y][p]", frame), client_.value("a[row * k + p]", frame));
  EXPECT_EQ(client_.value("b_tile[p][x]", frame), client_.value("b[p * n + column]", frame));
  EXPECT_EQ(client_.value("b_element", frame), client_.value("b_tile[p][x]", frame));
  const auto number = [&](const std::string& text) {
    return std::stod(client_.value(text, innermost(thread)));
  };
  const double sum = number("sum[0]") + number("a_tile[y][p]") * number("b_element");
  const std::string before = shown(thread);
  const auto line = client_.frames(thread).at(0).at("line");
  client_.stopped_after("stepIn", {{"threadId", thread}, {"granularity", "instruction"}});
  EXPECT_EQ(client_.frames(thread).at(0).at("line"), line);
  client_.stopped_after("stepBack", {{"threadId", thread}, {"granularity", "instruction"}});
  EXPECT_EQ(shown(thread), before);
  client_.ask("setBreakpoints", {{"source", {{"path", file.string()}}}});
  client_.stopped_after("next", {{"threadId", thread}});
  EXPECT_EQ(number("sum[0]"), sum);
  client_.stopped_after("stepBack", {{"threadId", thread}});
  EXPECT_EQ(shown(thread), before);

  // An array opens piece by piece.
  const json scopes = client_.ask("scopes", {{"frameId", innermost(thread)}}).at("scopes");
  for (const json& scope : scopes) {
    if (scope.at("name") != "Shared") continue;
    const json arrays =
        client_.ask("variables", {{"variablesReference", scope.at("variablesReference")}})
            .at("variables");
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays.at(0).at("indexedVariables"), 32);
    const json rows =
        client_
            .ask("variables", {{"variablesReference", arrays.at(0).at("variablesReference")},
                               {"start", 4},
                               {"count", 2}})
            .at("variables");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows.at(0).at("name"), "[4]");
    EXPECT_EQ(rows.at(0).at("type"), "float[32]");
  }
  client_.ask("setFunctionBreakpoints", {{"breakpoints", {{{"name", "update"}}}}});
  client_.stopped_after("continue", {{"threadId", thread}});
  EXPECT_EQ(client_.frames(client_.ask("threads").at("threads").at(0).at("id")).size(), 2u);
}

/// Where each thread adds what another one changes.
std::string with_race() {
  std::string text = read_file(tree / "solutions/reduction/3_sequential.cu");
  const std::string right = "if (tid < s)";
  text.replace(text.find(right), right.size(), "if (tid + s < blockDim.x)");
  return text;
}

TEST_F(DebugTest, AWrongKernelStopsAtTheFinding) {
  const fs::path file = folder_.path() / "3_sequential.cu";
  write_file(file, with_race());
  client_.launch({{"program", "reduction/3"}, {"from", folder_.path().string()}});
  const json stop = client_.stopped_after("configurationDone", json::object());
  EXPECT_EQ(stop.at("reason"), "exception");
  EXPECT_NE(stop.at("text").get<std::string>().find("Race in sums"), std::string::npos);
  const json info = client_.ask("exceptionInfo", {{"threadId", stop.at("threadId")}});
  EXPECT_NE(info.at("description").get<std::string>().find("Race in sums"), std::string::npos);
  const std::int64_t thread = stop.at("threadId");
  EXPECT_EQ(client_.frames(thread).at(0).at("line"), line_with(file, "if (tid + s < blockDim.x)"));
  const std::string before = shown(thread);
  EXPECT_EQ(client_.stopped_after("stepBack", {{"threadId", thread}}).at("reason"), "step");
  EXPECT_EQ(client_.stopped_after("next", {{"threadId", thread}}).at("reason"), "exception");
  EXPECT_EQ(shown(thread), before);
  client_.ask("setExceptionBreakpoints", {{"filters", json::array()}});
  EXPECT_EQ(client_.stopped_after("continue", {{"threadId", thread}}).at("reason"), "end");
  client_.ask("disconnect");
  EXPECT_EQ(client_.ended(), 1) << "the stage is wrong";
}

/// Both build the same stage for the debugger, of two texts.
TEST_F(DebugTest, TwoSessionsOfOneStageEachShowTheirOwnText) {
  const fs::path wrong = folder_.path() / "wrong", right = folder_.path() / "right";
  fs::create_directories(wrong);
  fs::create_directories(right);
  write_file(wrong / "3_sequential.cu", with_race());
  write_file(right / "3_sequential.cu",
             "// another text\n" + read_file(tree / "solutions/reduction/3_sequential.cu"));
  cli::TestDapClient other({program.string(), "debug", "--dap", "--no-build"},
                           (folder_.path() / "errors of the other").string());
  std::string failure;
  std::jthread launches([&] {
    try {
      other.launch({{"program", "reduction/3"}, {"from", right.string()}});
    } catch (const std::exception& error) {
      failure = error.what();
    }
  });
  client_.launch({{"program", "reduction/3"}, {"from", wrong.string()}});
  launches.join();
  ASSERT_EQ(failure, "");
  EXPECT_EQ(client_.stopped_after("configurationDone", json::object()).at("reason"), "exception");
  EXPECT_EQ(other.stopped_after("configurationDone", json::object()).at("reason"), "end");
  client_.ask("disconnect");
  other.ask("disconnect");
  EXPECT_EQ(client_.ended(), 1);
  EXPECT_EQ(other.ended(), 0);
}

TEST_F(DebugTest, WhoHasToWaitForAnotherSessionIsToldSo) {
  write_file(folder_.path() / "3_sequential.cu", with_race());
  const fs::path folder = build / "debug/handed-in/reduction";
  fs::create_directories(folder);
  UniqueFd held = lock_file(folder / "3_sequential.lock");
  std::string said;
  Subprocess session;
  session.command = {"sh", "-c",
                     "'" + program.string() + "' debug reduction/3 --no-build --from '" +
                         folder_.path().string() + "' < /dev/null"};
  session.merge_errors = true;
  session.on_line = [&](std::string_view line) {
    said += std::string(line) + "\n";
    if (line.starts_with("Another `lab debug` is at work on reduction/3_sequential")) held.reset();
  };
  EXPECT_EQ(run_process(session).exit_code, 1) << "the stage is wrong";
  EXPECT_FALSE(held) << said;
}

TEST_F(DebugTest, AProgramsOutputIsNoMessage) {
  const fs::path file = folder_.path() / "hello.cu";
  write_file(file, R"(#include <cstdio>
struct Point { int x; float weights[2]; };
__global__ void hello(Point point, int* out) {
  int doubled = 2 * point.x;
  printf("from the device: %d\n", doubled);
  *out = doubled;
}
int main(int count, char** words) {
  puts("Content-Length: 2\r\n\r\n{}");
  int* out;
  cudaMalloc(&out, sizeof *out);
  hello<<<1, 1>>>({count == 2 ? words[1][0] - '0' : 0, {0.5F, 1.5F}}, out);
  cudaDeviceSynchronize();
  cudaFree(out);
})");
  client_.launch({{"program", file.string()}, {"args", {"4"}}});
  EXPECT_NE(client_.output().find("from the device: 8"), std::string::npos) << client_.output();
  EXPECT_NE(client_.output().find("Content-Length: 2"), std::string::npos) << client_.output();
  set_breakpoint(file, 6);
  client_.stopped_after("configurationDone", json::object());
  const std::int64_t frame = innermost(1);
  EXPECT_EQ(client_.value("doubled", frame), "8");
  EXPECT_EQ(client_.value("point.weights[1]", frame), "1.5");
  EXPECT_EQ(client_.value("point", frame), "{x = 4, weights = {0.5, 1.5}}");
  client_.ask("disconnect");
  EXPECT_EQ(client_.ended(), 0);
}

/// What was recorded before is there to be looked at: the kernel often is why the host fell.
TEST_F(DebugTest, AProgramThatFellIsSteppedThroughAllTheSame) {
  const fs::path file = folder_.path() / "falls.cu";
  write_file(file, R"(__global__ void one(int* out) {
  *out = 1;  // the kernel's line
}
int main() {
  int* out;
  cudaMalloc(&out, sizeof *out);
  one<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  return *out;
})");
  for (const std::string words : {"debug", "trace"}) {
    std::string said;
    Subprocess session;
    session.command = {"/bin/sh", "-c",
                       "printf 'list\\n' | '" + program.string() + "' " + words + " --no-build '" +
                           file.string() + "'"};
    session.merge_errors = true;
    session.on_line = [&](std::string_view line) { said += std::string(line) + "\n"; };
    EXPECT_EQ(run_process(session).exit_code, 1) << said;
    EXPECT_NE(said.find("was ended by signal 11 (Segmentation fault)"), std::string::npos) << said;
    EXPECT_NE(said.find("// the kernel's line"), std::string::npos) << said;
  }
}

TEST_F(DebugTest, WhatCannotBeLaunchedIsSaidWhy) {
  client_.ask("initialize");
  const auto refused = [&](json arguments) {
    const json response = client_.request("launch", std::move(arguments));
    EXPECT_FALSE(response.at("success").get<bool>());
    return response.at("message").get<std::string>();
  };
  EXPECT_NE(refused(json::object()).find("'program' is missing"), std::string::npos);
  EXPECT_NE(refused({{"program", "reduction/9"}}).find("has no stage"), std::string::npos);
  EXPECT_NE(refused({{"program", "nothing.cu"}}).find("There is no file nothing.cu"),
            std::string::npos);
  EXPECT_NE(refused({{"program", 5}}).find("not as the protocol has it"), std::string::npos);
  write_file(folder_.path() / "1_interleaved.cu",
             "#include \"labs/reduction/reduction.h\"\nint x = nothing;\n");
  const std::string words =
      refused({{"program", "reduction/1"}, {"from", folder_.path().string()}});
  EXPECT_NE(words.find("compile_error"), std::string::npos) << words;
  EXPECT_NE(words.find("1_interleaved.cu(2)"), std::string::npos) << words;
}

TEST_F(DebugTest, WrongMessagesAreAnsweredAndABrokenFrameEnds) {
  const auto refusal = [&](const std::string& text) {
    const json response = client_.answer_to(text);
    EXPECT_FALSE(response.at("success").get<bool>()) << text;
    return response.at("message").get<std::string>();
  };
  EXPECT_NE(refusal("{").find("no request"), std::string::npos);
  EXPECT_NE(refusal("[1, 2]").find("no request"), std::string::npos);
  EXPECT_NE(refusal("{\"type\": 3}").find("not as the protocol has it"), std::string::npos);
  EXPECT_NE(refusal("{\"seq\": 1, \"type\": \"request\", \"command\": \"threads\"}")
                .find("must be 'initialize'"),
            std::string::npos);
  client_.ask("initialize");
  for (const char* command :
       {"threads", "configurationDone", "setBreakpoints", "stackTrace", "scopes", "variables",
        "evaluate", "continue", "next", "pause", "exceptionInfo"}) {
    const json response = client_.request(command, {{"source", {{"path", "a.cu"}}},
                                                    {"threadId", 1},
                                                    {"expression", "n"},
                                                    {"frameId", 1},
                                                    {"variablesReference", 1}});
    EXPECT_FALSE(response.at("success").get<bool>()) << command;
    EXPECT_NE(response.at("message").get<std::string>().find("Nothing is launched"),
              std::string::npos)
        << command << response;
  }
  EXPECT_FALSE(client_.request("nonsense").at("success").get<bool>());
  client_.send_bytes("Hello, adapter!\r\n\r\n");
  EXPECT_EQ(client_.ended(), 2);
  EXPECT_NE(errors().find("expected a header"), std::string::npos) << errors();
}

TEST_F(DebugTest, TheEndOfTheInputIsAnEndBetweenMessages) {
  client_.ask("initialize");
  EXPECT_EQ(client_.ended(), 0);
}

TEST_F(DebugTest, TheEndOfTheInputWithinAMessageIsToldOf) {
  client_.send_bytes("Content-Length: 100\r\n\r\n{\"seq\"");
  EXPECT_EQ(client_.ended(), 2);
  EXPECT_NE(errors().find("the input ends within a message"), std::string::npos) << errors();
}

class DebugInTmux : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("tmux").empty()) GTEST_SKIP() << "there is no tmux";
  }
  void TearDown() override {
    if (!find_program("tmux").empty()) tmux({"kill-server"});
  }
  std::string tmux(std::vector<std::string> words) const {
    words.insert(words.begin(), {"tmux", "-f", "/dev/null", "-S", (folder_.path() / "s").string()});
    return output_of(words);
  }
  void start(const std::string& command) {
    tmux({"new-session", "-d", "-s", "w", "-x", "120", "-y", "50", "env", "PS1=ready> ", "bash",
          "--norc", "--noprofile"});
    ASSERT_TRUE(shows("ready>")) << screen();
    type(command + "; echo \"ended with $?\"");
  }
  void type(const std::string& words) {
    tmux({"send-keys", "-t", "w", "-l", words});
    tmux({"send-keys", "-t", "w", "Enter"});
  }
  std::string screen() const { return tmux({"capture-pane", "-p", "-t", "w"}); }
  bool shows(const std::string& text) const {
    for (int tries = 0; tries < 600; ++tries) {
      if (screen().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }

  TemporaryFolder folder_;
};

TEST_F(DebugInTmux, ASessionInATerminal) {
  write_file(folder_.path() / "3_sequential.cu", with_race());
  start("'" + program.string() + "' debug reduction/3 --no-build --from '" +
        folder_.path().string() + "'");
  ASSERT_TRUE(shows("(lab)")) << screen();
  type("break sum_tree");
  ASSERT_TRUE(shows("Breakpoint 1 at 3_sequential.cu:")) << screen();
  type("run");
  ASSERT_TRUE(shows("(lab) run\nBreakpoint 1\nsum_tree (sums=sums (0x")) << screen();
  type("next 2");
  ASSERT_TRUE(shows("sums[tid] += sums[tid + s];")) << screen();
  type("print s");
  ASSERT_TRUE(shows("s = 128\n")) << screen();
  type("info args");
  ASSERT_TRUE(shows("(lab) info args\nsums = sums (0x")) << screen();
  type("print sums[tid + s]");
  ASSERT_TRUE(shows("sums[tid + s] = 0\n")) << screen();
  type("back 2");
  ASSERT_TRUE(shows("(lab) back 2\n")) << screen();
  tmux({"send-keys", "-t", "w", "C-c"});
  type("info locals");
  ASSERT_TRUE(shows("tid = not yet written")) << screen();
  type("delete");
  type("continue");
  ASSERT_TRUE(shows("Finding: Race in sums")) << screen();
  type("thread 0,5");
  ASSERT_TRUE(shows("[block (0,0,0) thread (5,0,0)]")) << screen();
  type("info warps");
  ASSERT_TRUE(shows("* 0     lanes 0-31")) << screen();
  tmux({"send-keys", "-t", "w", "C-d"});
  ASSERT_TRUE(shows("ended with 1")) << screen();
}

}  // namespace
}  // namespace gridstride
