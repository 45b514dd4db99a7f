// compile-guard: what the build puts before the compiler's command for every stage.
//
//   compile-guard --log=FILE --library=FILE [--read=PATH]… -- COMMAND…
//
// Exit status: 0 done, 1 the source is at fault (the log says how), 3 it could not be tried.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "common/paths.h"
#include "grader/compile/guard.h"
#include "grader/report/results.h"

int main(int argc, char** argv) {
  gridstride::GuardedCommand guarded;
  CLI::App app{"Runs the compiler on a stage where it can do no harm.", "compile-guard"};
  app.add_option("--log", guarded.log, "Where the compiler's words go")->required();
  app.add_option("--library", guarded.library, "The stage library")->required();
  app.add_option("--read", guarded.readable, "What may be read beside the system's files");
  app.add_option("command", guarded.command, "The compiler and its arguments")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    guarded.tree = gridstride::source_tree();
    if (gridstride::run_guarded(guarded)) return gridstride::exit_pass;
    std::fprintf(stderr, "The compiler's words are in %s\n", guarded.log.c_str());
    return gridstride::exit_short;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compile-guard: %s\n", error.what());
    return gridstride::exit_infrastructure;
  }
}
