// What each word does; what `info` tells is words_info.cpp's.
#include "common/simulator/debugger/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride::sim {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<std::uint32_t> whole_number(const std::string& text) {
  std::uint32_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && rest == text.data() + text.size() && !text.empty();
  return good ? std::optional(number) : std::nullopt;
}

std::string base_name(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

}  // namespace

const std::vector<Words::Word>& Words::all() {
  static const std::vector<Word> words = {
      {"break", "b", "[FILE:]LINE or FUNCTION [if CONDITION]",
       "stop where a thread comes to a line", &Words::add_breakpoint},
      {"delete", "d", "[NUMBER]", "remove a breakpoint, or all", &Words::delete_breakpoint},
      {"run", "r", "", "from the beginning to the first stop", &Words::run},
      {"continue", "c", "", "to the next breakpoint, finding or the end", &Words::resume, true},
      {"reverse-continue", "rc", "", "to the one before, or the beginning", &Words::reverse_resume,
       true},
      {"step", "s", "[COUNT | block]", "the thread's next line, into calls; or a line of each warp",
       &Words::step, true},
      {"next", "n", "[COUNT]", "the thread's next line, over calls", &Words::next, true},
      {"finish", "fin", "", "until the function is left", &Words::finish, true},
      {"back", "", "[COUNT]", "undoes a step; else to the thread's line before", &Words::back,
       true},
      {"stepi", "si", "[COUNT]", "one PTX instruction", &Words::step_instruction, true},
      {"backi", "bi", "[COUNT]", "one PTX instruction back", &Words::back_instruction, true},
      {"print", "p", "EXPRESSION", "a value: s, sums[tid + s], *in, threadIdx.x", &Words::print,
       true},
      {"info", "i", "warps | threads | locals | args | shared | breakpoints | finding",
       "what there is", &Words::info},
      {"thread", "t", "[BLOCK,]THREAD", "look at a thread: 5, 0,5 or (1,0,0) (5,0,0)",
       &Words::thread},
      {"block", "", "BLOCK", "look at the same thread of another block", &Words::block},
      {"warp", "", "WARP", "look at a warp of the block", &Words::warp},
      {"where", "bt", "", "the functions that the thread is in", &Words::where},
      {"frame", "f", "[NUMBER]", "look at one of them", &Words::frame},
      {"up", "", "", "look at the function that called", &Words::up, true},
      {"down", "", "", "look at the function that was called", &Words::down, true},
      {"list", "l", "[LINE]", "the source", &Words::list, true},
      {"help", "h", "[WORD]", "this", &Words::help},
      {"quit", "q", "", "the end, as Ctrl-D", &Words::quit},
  };
  return words;
}

const Words::Word& Words::word(const std::string& name) {
  std::vector<const Word*> meant;
  std::vector<std::string> names;
  for (const Word& one : all()) {
    if (one.name == name || (!one.other.empty() && one.other == name)) return one;
    if (one.name.starts_with(name)) meant.push_back(&one);
    names.emplace_back(one.name);
  }
  if (meant.size() == 1) return *meant.front();
  if (meant.size() > 1) {
    names.clear();
    for (const Word* one : meant) names.emplace_back(one->name);
    throw DebugError("'" + name + "' can be " + listed(names));
  }
  const std::string nearest = nearest_name(name, names);
  throw DebugError(
      "there is no word " + in_quotes(name, 40) +
      (nearest.empty() ? "; `help` lists what there is" : ". Did you mean '" + nearest + "'?"));
}

bool Words::knows(const std::string& line) const {
  const std::string text = trimmed(line);
  const std::string first = text.substr(0, text.find_first_of(" \t/"));
  try {
    const Word& one = word(first);
    if (one.name == first || one.other == first) return true;
  } catch (const DebugError&) {
    return false;
  }
  const auto frame = selected();
  return !debugger_.inspector().named(first, frame ? &*frame : nullptr, debugger_.moment());
}

Answer Words::say(const std::string& line) {
  std::string text = trimmed(line);
  if (text.empty()) text = last_;
  if (text.empty()) return {};
  last_.clear();
  const std::size_t end = std::min(text.find_first_of(" \t/"), text.size());
  Answer answer;
  try {
    const std::string name = text.substr(0, end);
    const Word& one = word(name);
    answer = (this->*one.does)(trimmed(text.substr(end)));
    if (one.again) last_ = text;
  } catch (const DebugError& error) {
    answer.text = error.what();
    answer.text += answer.text.ends_with('?') ? "\n" : ".\n";
  }
  answer.text = clean_text(answer.text);
  return answer;
}

std::string Words::source_line(const CodeLine& line) const {
  const std::vector<std::string> lines = source_of(debugger_.playback(), line.file);
  if (line.line == 0) return "code of no line\n";
  if (line.line > lines.size()) return fmt::format("{}:{}\n", base_name(line.file), line.line);
  return fmt::format("{}\t{}\n", line.line, lines[line.line - 1]);
}

std::string Words::frame_text(const StackFrame& frame) const {
  std::string arguments;
  const Moment moment = debugger_.moment();
  for (const Value& value : debugger_.inspector().parameters(frame, moment))
    arguments += (arguments.empty() ? "" : ", ") + value.name + "=" +
                 debugger_.inspector().text(value, moment, 4);
  return fmt::format("{} ({}) at {}:{}", frame.name, arguments, base_name(frame.line.file),
                     frame.line.line);
}

std::string Words::place(bool whole) {
  const Moment moment = debugger_.moment();
  const std::vector<StackFrame> frames = debugger_.inspector().frames(moment);
  if (debugger_.has_ended(moment.focus))
    return thread_text(debugger_.inspector(), moment.focus) +
           (debugger_.playback().trace().cut ? " is recorded no further.\n" : " has ended.\n");
  const StackFrame& frame = frames.front();
  return (whole ? frame_text(frame) + "\n" : std::string()) + source_line(frame.line);
}

Answer Words::stopped(Stop stop, const Moment& before) {
  frame_ = 0;
  listed_ = 0;
  const Moment now = debugger_.moment();
  Answer answer;
  answer.moved = true;
  if (now.focus != before.focus)
    answer.text += "[" + thread_text(debugger_.inspector(), now.focus) + "]\n";
  const auto old = debugger_.inspector().frames(before), frames = debugger_.inspector().frames(now);
  const bool same_function = !old.empty() && !frames.empty() && now.focus == before.focus &&
                             old.front().function == frames.front().function &&
                             old.size() == frames.size();
  if (!stop.text.empty()) answer.text += stop.text + "\n";
  const bool plain = stop.reason == StopReason::step && same_function;
  if (stop.reason != StopReason::end) answer.text += place(!plain);
  answer.stop = std::move(stop);
  return answer;
}

Answer Words::several(const std::string& rest, Stop (Debugger::*motion)()) {
  const std::uint32_t count = rest.empty() ? 1 : whole_number(rest).value_or(0);
  if (count == 0) throw DebugError("expected how many times, found " + in_quotes(rest, 40));
  const Moment before = debugger_.moment();
  Stop stop;
  for (std::uint32_t i = 0; i < count; ++i) {
    stop = (debugger_.*motion)();
    if (stop.reason != StopReason::step) break;
  }
  return stopped(std::move(stop), before);
}

Answer Words::add_breakpoint(const std::string& rest) {
  std::string place = rest, condition;
  if (const std::size_t at = (" " + rest).find(" if "); at != std::string::npos) {
    place = trimmed(rest.substr(0, at == 0 ? 0 : at - 1));
    condition = trimmed(rest.substr(at + 3));
  }
  const auto frame = selected();
  if (place.empty()) {
    if (!frame) throw DebugError("break: expected a line or a function");
    place = std::to_string(frame->line.line);
  }
  const std::size_t colon = place.rfind(':');
  const std::string last = colon == std::string::npos ? place : place.substr(colon + 1);
  const auto line = whole_number(last);
  std::string file = colon == std::string::npos ? "" : place.substr(0, colon);
  if (file.empty() && line) {
    const std::vector<std::string> files = debugger_.breakpoints().files();
    file = frame && !frame->line.file.empty() ? frame->line.file
           : files.empty()                    ? ""
                                              : files.front();
  }
  Breakpoints& breakpoints = debugger_.breakpoints();
  const Breakpoint& made =
      line ? breakpoints.add(file, *line, condition) : breakpoints.add_function(place, condition);
  std::string text;
  if (made.verified) {
    text = fmt::format("Breakpoint {} at {}:{}", made.number,
                       base_name(debugger_.steps().lines()[made.lines.front()].file), made.line);
    if (!made.says.empty()) text += " (" + made.says + ")";
  } else {
    text = fmt::format("Breakpoint {} will not be reached: {}", made.number, made.says);
  }
  if (const std::string doubt = debugger_.doubt_about(made); !doubt.empty()) text += "; " + doubt;
  return {.text = text + ".\n"};
}

Answer Words::delete_breakpoint(const std::string& rest) {
  if (rest.empty()) {
    debugger_.breakpoints().clear();
    return {.text = "All breakpoints are removed.\n"};
  }
  const auto number = whole_number(rest);
  if (!number || !debugger_.breakpoints().remove(static_cast<int>(*number)))
    throw DebugError("there is no breakpoint " + in_quotes(rest, 40) +
                     "; `info breakpoints` lists what there is");
  return {};
}

Answer Words::run(const std::string&) {
  const Moment before = debugger_.moment();
  return stopped(debugger_.run(), before);
}
Answer Words::resume(const std::string&) {
  const Moment before = debugger_.moment();
  return stopped(debugger_.resume(), before);
}
Answer Words::reverse_resume(const std::string&) {
  const Moment before = debugger_.moment();
  return stopped(debugger_.reverse_resume(), before);
}
Answer Words::step(const std::string& rest) {
  if (rest != "block") return several(rest, &Debugger::step);
  Answer answer = several("", &Debugger::step_block);
  answer.text += warps_text();
  return answer;
}
Answer Words::next(const std::string& rest) { return several(rest, &Debugger::next); }
Answer Words::finish(const std::string&) { return several("", &Debugger::finish); }
Answer Words::back(const std::string& rest) { return several(rest, &Debugger::back); }
Answer Words::step_instruction(const std::string& rest) {
  Answer answer = several(rest, &Debugger::step_instruction);
  if (const auto at = debugger_.steps().next(debugger_.moment().focus, debugger_.moment().position))
    answer.text += "=> " + debugger_.playback().op(*at).text + "\n";
  return answer;
}
Answer Words::back_instruction(const std::string& rest) {
  Answer answer = several(rest, &Debugger::back_instruction);
  if (const auto at = debugger_.steps().next(debugger_.moment().focus, debugger_.moment().position))
    answer.text += "=> " + debugger_.playback().op(*at).text + "\n";
  return answer;
}

std::optional<StackFrame> Words::selected() const {
  const auto frames = debugger_.inspector().frames(debugger_.moment());
  if (frames.empty()) return std::nullopt;
  return frames[std::min(frame_, frames.size() - 1)];
}

Answer Words::print(const std::string& rest) {
  const bool hexadecimal = rest.starts_with("/x");
  const std::string expression = hexadecimal ? trimmed(rest.substr(2)) : rest;
  if (expression.empty()) throw DebugError("print: expected what, as in `print sums[0]`");
  const auto frame = selected();
  const Moment moment = debugger_.moment();
  const Inspector& inspector = debugger_.inspector();
  const Value value = evaluate(expression, inspector, frame ? &*frame : nullptr, moment);
  std::string text = inspector.text(value, moment);
  if (const auto number = inspector.number(value, moment);
      hexadecimal && number && !number->is_floating)
    text = fmt::format("{:#x}", static_cast<std::uint64_t>(number->integer));
  return {.text = expression + " = " + text + "\n"};
}

Answer Words::focused(Focus focus) {
  debugger_.set_focus(focus);
  frame_ = 0;
  listed_ = 0;
  return {.text = "[" + thread_text(debugger_.inspector(), focus) + "]\n" + place(true),
          .moved = true};
}

Answer Words::thread(const std::string& rest) {
  return focused(rest.empty() ? debugger_.moment().focus : thread_of_words(debugger_, rest));
}

Answer Words::block(const std::string& rest) {
  if (rest.empty()) return focused(debugger_.moment().focus);
  return focused(thread_of_words(debugger_, "block " + rest));
}

Answer Words::warp(const std::string& rest) {
  const std::uint32_t warps = debugger_.playback().trace().warps_in_block();
  const auto number = whole_number(rest);
  if (!number || *number >= warps)
    throw DebugError(fmt::format("expected a warp of the block, 0 to {}", warps - 1));
  const std::uint32_t first = debugger_.moment().focus.warp / warps * warps;
  return focused(debugger_.lane_of(first + *number));
}

Answer Words::where(const std::string&) {
  const auto frames = debugger_.inspector().frames(debugger_.moment());
  std::string text;
  for (std::size_t i = 0; i < frames.size(); ++i)
    text += fmt::format("{}#{} {}\n", i == frame_ ? "*" : " ", i, frame_text(frames[i]));
  if (debugger_.has_ended(debugger_.moment().focus))
    text += fmt::format("  The thread is {}.\n", debugger_.end_of_thread());
  return {.text = text};
}

Answer Words::in_frame(std::size_t number) {
  const auto frames = debugger_.inspector().frames(debugger_.moment());
  if (number >= frames.size())
    throw DebugError(frames.empty()
                         ? "the thread is in no function"
                         : fmt::format("the thread is in functions #0 to #{}", frames.size() - 1));
  frame_ = number;
  listed_ = 0;
  return {.text = fmt::format("#{} {}\n", number, frame_text(frames[number])) +
                  source_line(frames[number].line)};
}

Answer Words::frame(const std::string& rest) {
  const auto number = rest.empty() ? std::optional<std::uint32_t>(frame_) : whole_number(rest);
  if (!number) throw DebugError("expected a function's number, as `where` shows it");
  return in_frame(*number);
}
Answer Words::up(const std::string&) { return in_frame(frame_ + 1); }
Answer Words::down(const std::string&) {
  if (frame_ == 0) throw DebugError("this is the innermost function");
  return in_frame(frame_ - 1);
}

Answer Words::list(const std::string& rest) {
  constexpr std::uint32_t rows = 10;
  const auto frame = selected();
  if (!frame) throw DebugError("the thread is in no function");
  const std::vector<std::string> lines = source_of(debugger_.playback(), frame->line.file);
  if (lines.empty())
    throw DebugError("the text of " + base_name(frame->line.file) + " is not known here");
  const std::uint32_t middle = rest.empty() ? frame->line.line : whole_number(rest).value_or(0);
  if (middle == 0) throw DebugError("expected a line's number, found " + in_quotes(rest, 40));
  std::uint32_t first = middle > rows / 2 ? middle - rows / 2 : 1;
  if (rest.empty() && listed_ != 0) first = listed_ + 1;
  std::string text;
  for (std::uint32_t line = first; line < first + rows && line <= lines.size(); ++line) {
    text +=
        fmt::format("{}{}\t{}\n", line == frame->line.line ? "->" : "  ", line, lines[line - 1]);
    listed_ = line;
  }
  return {.text = text.empty() ? "The file ends before.\n" : text};
}

Answer Words::help(const std::string& rest) {
  std::string text;
  const Word* const only = rest.empty() ? nullptr : &word(rest);
  for (const Word& one : all()) {
    if (only && only != &one) continue;
    std::string name(one.name);
    if (!one.other.empty()) name += ", " + std::string(one.other);
    text += fmt::format("{:<22}{}\n", name, one.help);
    if (!one.arguments.empty()) text += fmt::format("{:<22}{} {}\n", "", one.name, one.arguments);
  }
  if (!only)
    text +=
        "A word may be shortened as long as one begins so; an empty line does the last again. "
        "Values and "
        "steps are\nthose of the thread in focus.\n";
  return {.text = text};
}

Answer Words::quit(const std::string&) { return {.quit = true}; }

}  // namespace gridstride::sim
