// compile-guard: what the build puts before the compiler's command for every stage.
//
//   compile-guard --tree=FOLDER --log=FILE --library=FILE [--copies=FOLDER] [--read=PATH]…
//                 -- COMMAND…
//
// Exit status: 0 done, 1 the source is at fault (the log says how), 3 something else is, which is
// told here and in the file infrastructure_of(log). Only the build calls it, and every stage waits
// for it: hence no library to parse the command line.
#include <signal.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/subprocess.h"
#include "grader/compile/guard.h"
#include "grader/report/results.h"
#include "grader/sandbox/stop_children.h"

namespace {

gridstride::GuardedCommand parse(int argc, char** argv) {
  gridstride::GuardedCommand guarded;
  int i = 1;
  for (; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    if (equals == std::string_view::npos)
      throw std::runtime_error("expected --name=value before --, found " + std::string(argument));
    const std::string_view value = argument.substr(equals + 1);
    if (name == "--log") {
      guarded.log = value;
    } else if (name == "--library") {
      guarded.library = value;
    } else if (name == "--tree") {
      guarded.tree = value;
    } else if (name == "--copies") {
      guarded.copies = value;
    } else if (name == "--read") {
      guarded.readable.emplace_back(value);
    } else {
      throw std::runtime_error("unknown option " + std::string(name));
    }
  }
  for (++i; i < argc; ++i) guarded.command.emplace_back(argv[i]);
  if (guarded.tree.empty() || guarded.log.empty() || guarded.library.empty() ||
      guarded.command.empty())
    throw std::runtime_error(
        "expected --tree=FOLDER --log=FILE --library=FILE [--copies=FOLDER] [--read=PATH]… -- "
        "COMMAND…");
  return guarded;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that a limit of the shell's keeps from growing is an error to tell of, not our end.
  std::signal(SIGXFSZ, SIG_IGN);
  const gridstride::StopChildrenOnSignal stop;
  const auto stopped_or = [&stop](int exit_code) {
    return stop.caught() != 0 ? gridstride::Interrupted(stop.caught()).exit_code() : exit_code;
  };
  try {
    const gridstride::GuardedCommand guarded = parse(argc, argv);
    if (gridstride::run_guarded(guarded)) return stopped_or(gridstride::exit_pass);
    std::fprintf(stderr, "The compiler's words are in %s\n", guarded.log.c_str());
    return stopped_or(gridstride::exit_short);
  } catch (const std::exception& error) {
    if (stop.caught() == 0) std::fprintf(stderr, "compile-guard: %s\n", error.what());
    return stopped_or(gridstride::exit_infrastructure);
  }
}
