// `./lab` as a student has it: a handout, in a window of tmux, from the first page to the next stage.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "grader/handout/test_handout.h"

namespace gridstride {
namespace {

class WatchInTmux : public HandoutTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    if (find_program("tmux").empty()) GTEST_SKIP() << "there is no tmux";
    if (!has_solutions()) GTEST_SKIP() << "there are no solutions";
    const std::string path =
        fs::path(GRIDSTRIDE_NVCC).parent_path().string() + ":/usr/bin:/bin";  // no cmake of pip's
    const RunResult result = tmux({"new-session", "-d", "-s", "w", "-x", std::to_string(GetParam()),
                                   "-y", "45", "-c", tree_.string(), "env", "-u", "LAB_PRESET",
                                   "PATH=" + path, "PS1=ready> ", "bash", "--norc", "--noprofile"});
    ASSERT_EQ(result.exit_code, 0) << result.output;
    ASSERT_TRUE(shows("ready>")) << screen();
  }
  void TearDown() override {
    if (!find_program("tmux").empty()) tmux({"kill-server"});
  }

  RunResult tmux(std::vector<std::string> words) const {
    words.insert(words.begin(), {"tmux", "-f", "/dev/null", "-S", (folder_.path() / "s").string()});
    return run(words);
  }
  void type(const std::string& words) { tmux({"send-keys", "-t", "w", "-l", words}); }
  void press(const std::string& key) { tmux({"send-keys", "-t", "w", key}); }
  std::string screen() const { return tmux({"capture-pane", "-p", "-t", "w"}).output; }
  /// Whether the screen comes to show `text`, within a minute.
  bool shows(const std::string& text) const {
    for (int tries = 0; tries < 600; ++tries) {
      if (screen().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }
  /// What the terminal is set to, as stty says it.
  std::string terminal(const std::string& name) {
    const fs::path file = folder_.path() / name;
    type("stty -a > '" + file.string() + "'; echo said-" + name);
    press("Enter");
    EXPECT_TRUE(shows("\nsaid-" + name)) << screen();
    return read_file(file);
  }
};

TEST_P(WatchInTmux, FromTheFirstStartToTheNextStage) {
  const std::string before = terminal("before");
  type("./lab");
  press("Enter");
  ASSERT_TRUE(shows("1_interleaved")) << screen();
  ASSERT_TRUE(shows("is graded when you save it")) << screen();

  std::string right = read_file(source_tree / "solutions/reduction/1_interleaved.cu");
  std::string wrong = right;
  const std::size_t adds = wrong.find(" += ");
  ASSERT_NE(adds, std::string::npos);
  wrong.replace(adds, 4, " -= ");
  write_file(stage(), wrong);
  ASSERT_TRUE(shows("wrong")) << screen();
  ASSERT_TRUE(shows("expected")) << screen();
  std::istringstream lines(screen());
  for (std::string line; std::getline(lines, line);)
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;

  write_file(stage(), right);
  ASSERT_TRUE(shows("pass")) << screen();
  ASSERT_TRUE(shows("2_strided")) << screen();

  press("C-c");
  ASSERT_TRUE(shows("ready>")) << screen();
  EXPECT_EQ(tmux({"display-message", "-p", "-t", "w", "#{cursor_flag}#{alternate_on}"}).output,
            "10\n");
  EXPECT_EQ(terminal("after"), before);
}

INSTANTIATE_TEST_SUITE_P(Columns, WatchInTmux, testing::Values(80, 120));

}  // namespace
}  // namespace gridstride
