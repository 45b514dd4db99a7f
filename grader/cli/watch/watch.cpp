// lab watch, which is what ./lab alone does on a terminal: the stage that is next, graded at each save.
//
// One loop waits for keys, saved files, signals and the command that runs, and for nothing else.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/source_text.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/command.h"
#include "grader/cli/progress/next_stage.h"
#include "grader/cli/progress/skeleton.h"
#include "grader/cli/progress/state.h"
#include "grader/cli/watch/file_events.h"
#include "grader/cli/watch/job.h"
#include "grader/cli/watch/keys.h"
#include "grader/cli/watch/page.h"
#include "grader/cli/watch/signals.h"
#include "grader/cli/watch/terminal_mode.h"
#include "grader/compile/intake.h"
#include "grader/compile/stage_files.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// Editors save in several steps; what comes within this time is one save.
constexpr std::chrono::milliseconds quiet{150};

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &local);
  return text;
}

enum class Task { none, grade, hint, explain, list, reset, solution };

class Watcher {
 public:
  Watcher(const Places& places, const WatchOptions& options)
      : tree_(places.tree()),
        program_(places.program("gridstride")),
        options_(options),
        labs_(lab_names(places.build())),
        stages_(course_stages(labs_, tree_)),
        events_(folders()) {
    if (stages_.empty()) throw std::runtime_error("There is no stage to watch in labs/.");
    for (const std::string& lab : labs_) keep_skeletons(tree_, lab);  // before the first save
    read_what_passed();
    const auto next = next_stage(stages_, progress_, latest_pass(progress_));
    stage_ = next.value_or(stages_.front());
  }

  int run();

 private:
  std::vector<fs::path> folders() const;
  void read_what_passed();
  void go_to(const CourseStage& stage);
  void begin();
  void start(Task task);
  void finish_job();
  void saved(const std::vector<fs::path>& files);
  void key(const std::string& key);
  void wait();
  void suspend();
  void draw();
  void say(const std::string& text);
  std::string status() const;
  bool has_passed() const { return progress_.contains(stage_.full_name()); }

  fs::path tree_, program_;
  WatchOptions options_;
  std::vector<std::string> labs_;
  std::vector<CourseStage> stages_;
  FileEvents events_;
  Progress progress_;
  CourseStage stage_;
  Signals signals_;
  TerminalMode terminal_;
  Page page_;
  std::unique_ptr<Job> job_;
  Task task_ = Task::none;
  std::string graded_;                    ///< what the last grade of stage_ said
  std::string when_;                      ///< time of the save that is graded
  std::optional<Clock::time_point> due_;  ///< a save is graded then
  bool asking_ = false;                   ///< whether to reset
  bool cut_short_ = false;     ///< a grade of stage_ was begun, and another command came between
  std::optional<int> signal_;  ///< what ends the loop: a signal, or 0 for a key
};

std::vector<fs::path> Watcher::folders() const {
  std::vector<fs::path> all;
  for (const std::string& lab : labs_) all.push_back(tree_ / "labs" / lab);
  return all;
}

/// Silent where it cannot be read: `lab grade` says so, on the page.
void Watcher::read_what_passed() {
  try {
    progress_ = read_progress(state_folder(tree_));
  } catch (const std::exception&) {
    return;
  }
}

void Watcher::say(const std::string& text) {
  page_.body = lines_of(text);
  page_.first = 0;
}

void Watcher::go_to(const CourseStage& stage) {
  stage_ = stage;
  graded_.clear();
  asking_ = false;
  cut_short_ = false;
}

/// Of a stage that is not written yet, where to begin; any other is graded at once.
void Watcher::begin() {
  const fs::path file = tree_ / stage_.file();
  std::optional<Todo> todo;
  try {
    if (refusal_of(file).empty()) todo = first_todo(read_file(file, largest_stage_bytes));
  } catch (const std::exception&) {
    todo.reset();  // the grader says why
  }
  if (!todo) return start(Task::grade);
  const std::string text =
      "Open " + stage_.file() + " in your editor and begin at line " + std::to_string(todo->line) +
      ":\n  " + in_quotes(todo->text, 70) +
      "\n\nEach time you save the file it is graded here. The handout is labs/" + stage_.lab +
      "/README.md.";
  std::string wrapped;
  for (const std::string& line : wrap(text, std::min<std::size_t>(terminal_size().columns, 100)))
    wrapped += line + "\n";
  say(wrapped);
}

void Watcher::start(Task task) {
  if (task_ == Task::grade || due_) cut_short_ = true;
  if (task == Task::grade) cut_short_ = false;
  due_.reset();
  job_.reset();
  task_ = task;
  asking_ = false;
  std::vector<std::string> command = {program_.string()};
  switch (task) {
    case Task::grade:
      command.insert(command.end(), {"grade", stage_.full_name(), "--format=table"});
      break;
    case Task::explain:
      command.insert(command.end(), {"explain", stage_.full_name()});
      break;
    case Task::hint:
      command.insert(command.end(), {"hint", stage_.full_name()});
      break;
    case Task::reset:
      command.insert(command.end(), {"reset", "--yes", stage_.full_name()});
      break;
    case Task::solution:
      command.insert(command.end(), {"solution", stage_.full_name()});
      break;
    case Task::list:
    case Task::none:
      command.emplace_back("list");
      break;
  }
  const bool builds = task == Task::grade || task == Task::explain;
  if (builds && options_.no_build) command.emplace_back("--no-build");
  if (task == Task::grade) {
    when_ = time_of_day();
    say("");
  }
  job_ = std::make_unique<Job>(
      command, std::map<std::string, std::string>{
                   {"CLICOLOR_FORCE", "1"}, {"COLUMNS", std::to_string(terminal_size().columns)}});
}

/// The result, and behind it what was said on the way: which device, warnings.
std::string said_by(const Job& job) {
  const TextStyle style = style_of(stdout);
  std::string text = job.output();
  if (!text.empty() && !job.errors().empty()) text += "\n";
  for (const std::string& line : lines_of(job.errors()))
    text += (job.output().empty() ? line : style.dim(line)) + "\n";
  return text;
}

void Watcher::finish_job() {
  const Task task = task_;
  const std::string said = said_by(*job_);
  say(said);
  if (task == Task::grade) {
    graded_ = said;
    if (job_->exit_code() == exit_pass) read_what_passed();
  }
  if (task == Task::reset) {
    cut_short_ = false;
    graded_.clear();
    events_.take();  // its own
    due_.reset();
  }
  task_ = Task::none;
  job_.reset();
}

void Watcher::saved(const std::vector<fs::path>& files) {
  if (task_ == Task::reset) return;
  for (const fs::path& file : files) {
    const auto found = std::ranges::find_if(
        stages_, [&](const CourseStage& stage) { return tree_ / stage.file() == file; });
    if (found == stages_.end() && file != tree_ / "labs" / stage_.lab) continue;
    if (found != stages_.end() && found->full_name() != stage_.full_name()) go_to(*found);
    due_ = Clock::now() + quiet;
  }
}

void Watcher::key(const std::string& key) {
  const TerminalSize size = terminal_size();
  const auto rows = static_cast<long>(body_rows(page_, size));
  if (asking_) {
    asking_ = false;
    if (key == "y" || key == "Y") start(Task::reset);
    return;
  }
  if (key == "q") signal_ = 0;
  if (key == "h") start(Task::hint);
  if (key == "e") start(Task::explain);
  if (key == "l") start(Task::list);
  if (key == "g") start(Task::grade);
  if (key == "s" && has_passed()) start(Task::solution);
  if (key == "r") asking_ = true;
  if (key == "n") {
    job_.reset();
    task_ = Task::none;
    due_.reset();
    go_to(next_stage(stages_, progress_, stage_.full_name()).value_or(stages_.front()));
    begin();
  }
  if ((key == "\n" || key == "\x1b") && !job_) {
    if (graded_.empty())
      begin();
    else
      say(graded_);
  }
  if (key == "\x1b[A" || key == "k") scroll(page_, -1, size);
  if (key == "\x1b[B" || key == "j") scroll(page_, 1, size);
  if (key == "\x1b[5~" || key == "b") scroll(page_, 1 - rows, size);
  if (key == "\x1b[6~" || key == " ") scroll(page_, rows - 1, size);
}

std::string Watcher::status() const {
  if (task_ == Task::grade) return "saved, graded since " + when_ + " …";
  if (task_ == Task::explain) return "is being explained …";
  if (due_) return "saved …";
  if (cut_short_) return "was saved and its grade cut short; g grades it";
  if (has_passed()) {
    const auto next = next_stage(stages_, progress_, stage_.full_name());
    return next ? "has passed; n goes on to " + next->short_name : "has passed, as all others have";
  }
  if (graded_.empty()) return "is graded when you save it";
  return "was graded at " + when_ + "; save it to grade it again";
}

void Watcher::draw() {
  const TextStyle style = style_of(stdout);
  const TerminalSize size = terminal_size();
  std::size_t passed = 0;
  for (const CourseStage& stage : stages_) passed += progress_.contains(stage.full_name()) ? 1 : 0;
  const std::string share =
      std::to_string(passed) + " of " + std::to_string(stages_.size()) + " stages passed";
  const std::size_t room = size.columns - std::min(size.columns, display_width(share) + 2);
  const std::string name = shorten(stage_.full_name() + "  " + stage_.title, room);
  const std::string gap(size.columns - std::min(size.columns, display_width(name + share)), ' ');
  page_.head = {style.bold(name) + gap + style.dim(share),
                shorten(stage_.file() + " " + status(), size.columns)};
  if (asking_) {
    page_.keys = {style.yellow(shorten(
        "Reset " + stage_.file() + " to the skeleton? Your version is kept. y / n", size.columns))};
  } else {
    page_.keys = {shorten("h hint  e explain  n next  l list  r reset  g grade" +
                              std::string(has_passed() ? "  s solution" : "") + "  q quit",
                          size.columns)};
  }
  if (task_ == Task::grade && job_) {
    const auto said = lines_of(job_->errors());
    page_.body = {said.empty() ? "" : style.dim(said.back())};
  }
  const std::string bytes = drawn(page_, size, style);
  if (std::fputs(bytes.c_str(), stdout) < 0 || std::fflush(stdout) != 0) signal_ = SIGHUP;
}

/// Ctrl-Z: the terminal is the shell's until we are continued.
void Watcher::suspend() {
  terminal_.leave();
  ::kill(::getpid(), SIGSTOP);
  terminal_.enter();
}

void Watcher::wait() {
  std::array<pollfd, 5> fds = {{{STDIN_FILENO, POLLIN, 0},
                                {events_.fd(), POLLIN, 0},
                                {signals_.fd(), POLLIN, 0},
                                {job_ ? job_->output_fd() : -1, POLLIN, 0},
                                {job_ ? job_->errors_fd() : -1, POLLIN, 0}}};
  int timeout = -1;
  if (due_)
    timeout = std::max(
        0,
        static_cast<int>(
            std::chrono::duration_cast<std::chrono::milliseconds>(*due_ - Clock::now()).count()) +
            1);
  if (::poll(fds.data(), fds.size(), timeout) < 0 && errno != EINTR)
    throw std::runtime_error("Waiting for keys and files has failed.");
  for (int signal = signals_.take(); signal != 0; signal = signals_.take()) {
    if (signal == SIGTSTP) suspend();
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) signal_ = signal;
  }
  const bool has_said = fds[3].revents != 0 || fds[4].revents != 0;
  if (job_ && has_said && job_->take()) finish_job();
  if (fds[1].revents != 0) saved(events_.take());
  if (fds[0].revents != 0) {
    std::array<char, 64> bytes;
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) signal_ = SIGHUP;
    if (count > 0) {
      for (const std::string& each : keys_in({bytes.data(), static_cast<std::size_t>(count)}))
        if (!signal_) key(each);
    }
  }
  if (due_ && Clock::now() >= *due_) start(Task::grade);
}

int Watcher::run() {
  terminal_.enter();
  begin();
  while (!signal_) {
    draw();
    wait();
  }
  job_.reset();
  terminal_.leave();
  if (*signal_ != 0) throw Interrupted(*signal_);
  return exit_pass;
}

}  // namespace

int watch(const Places& places, const WatchOptions& options) {
  if (::isatty(STDIN_FILENO) == 0 || !is_terminal(stdout))
    throw UsageError("watch needs a terminal. `lab grade` grades once.");
  return Watcher(places, options).run();
}

}  // namespace gridstride::cli
