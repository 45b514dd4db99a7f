// gridstride: the program behind ./lab. Every error ends here, as one message and an exit code.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "common/error_words.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "grader/cli/command_line.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {

namespace {

int run(int argc, char** argv) {
  const auto command = parse_command_line(argc, argv);
  const int exit_code = command ? command(Places{}) : int{exit_pass};
  // A full disk or a closed pipe shows when words are written, the last ones here.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::runtime_error("The output could not be written.");
  return exit_code;
}

}  // namespace
}  // namespace gridstride::cli

int main(int argc, char** argv) {
  using namespace gridstride;
  try {
    return cli::run(argc, argv);
  } catch (const Interrupted& stop) {
    if (is_terminal(stderr)) std::fputs("\r\x1b[K", stderr);  // what was being shown when it came
    return complain(stop.what(), stop.exit_code());
  } catch (const cli::UsageError& error) {
    return complain(error.what(), exit_usage);
  } catch (const UnknownName& error) {
    return complain(error.what(), exit_usage);
  } catch (const cli::FallsShort& error) {
    return complain(error.what(), exit_short);
  } catch (const std::exception& error) {
    return complain(words_of(error), exit_infrastructure);
  }
}
