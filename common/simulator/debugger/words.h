// A debugger's command line: each line that a user types, and what there is to say to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/debugger/debugger.h"

namespace gridstride::sim {

/// What a line came to.
struct Answer {
  std::string text{};  ///< lines, the last one ended; may be empty
  bool quit = false;
  bool moved = false;          ///< it stands elsewhere, or another thread is in focus
  std::optional<Stop> stop{};  ///< of what moved it in time
};

/// Words may be shortened as long as one begins so. `debugger` must outlive it.
class Words {
 public:
  explicit Words(Debugger& debugger) : debugger_(debugger) {}

  /// Never throws DebugError: what is wrong is said. An empty line is the last one again.
  Answer say(const std::string& line);
  /// Whether a line is meant for this: it begins with one of the words, and where that is only shortened, with
  /// nothing that the thread in focus has by that name.
  bool knows(const std::string& line) const;
  /// Where it stands: what a user sees after each stop. Whole: also the function.
  std::string place(bool whole);

 private:
  struct Word {
    std::string_view name, other;  ///< and a short one that is its own, such as "b"
    std::string_view arguments, help;
    Answer (Words::*does)(const std::string& rest);
    bool again = false;  ///< an empty line does it again
  };
  static const std::vector<Word>& all();
  static const Word& word(const std::string& name);

  Answer add_breakpoint(const std::string& rest);
  Answer delete_breakpoint(const std::string& rest);
  Answer run(const std::string& rest);
  Answer resume(const std::string& rest);
  Answer reverse_resume(const std::string& rest);
  Answer step(const std::string& rest);
  Answer next(const std::string& rest);
  Answer finish(const std::string& rest);
  Answer back(const std::string& rest);
  Answer step_instruction(const std::string& rest);
  Answer back_instruction(const std::string& rest);
  Answer print(const std::string& rest);
  Answer info(const std::string& rest);
  Answer thread(const std::string& rest);
  Answer block(const std::string& rest);
  Answer warp(const std::string& rest);
  Answer where(const std::string& rest);
  Answer frame(const std::string& rest);
  Answer up(const std::string& rest);
  Answer down(const std::string& rest);
  Answer list(const std::string& rest);
  Answer help(const std::string& rest);
  Answer quit(const std::string& rest);

  Answer several(const std::string& rest, Stop (Debugger::*motion)());
  Answer stopped(Stop stop, const Moment& before);
  Answer focused(Focus focus);
  Answer in_frame(std::size_t number);
  std::optional<StackFrame> selected() const;
  std::string frame_text(const StackFrame& frame) const;
  std::string source_line(const CodeLine& line) const;
  std::string values_text(const std::vector<Value>& values, const std::string& none) const;
  std::string warps_text() const;
  std::string threads_text() const;
  std::string breakpoints_text() const;
  std::string findings_text() const;

  Debugger& debugger_;
  std::size_t frame_ = 0;     ///< that is looked at, from the innermost on
  std::uint32_t listed_ = 0;  ///< the last line that was listed; 0: none since it moved
  std::string last_;
};

/// "block (0,0,0) thread (5,0,0)".
std::string thread_text(const Inspector& inspector, Focus thread);
/// Where a thread stands: "2_strided.cu:20 in sum_tree", "ended".
std::string place_text(const Debugger& debugger, Focus thread);
/// The thread that a user names: "5", "0,5", "(1,0,0) (5,0,0)", "block (1,0,0) thread (5,0,0)". Throws DebugError.
Focus thread_of_words(const Debugger& debugger, const std::string& words);
/// The lines of a file that the recording knows; nothing where it does not.
std::vector<std::string> source_of(const Playback& playback, const std::string& file);

}  // namespace gridstride::sim
