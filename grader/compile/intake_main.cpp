// stage-intake: what the build starts before it compiles a lab's stages.
//
//   stage-intake FROM TO STAGE…
//
// Copies FROM/STAGE.cu to TO/STAGE.cu where the text is another (intake.h). Where the variable
// GRIDSTRIDE_HANDED_IN is set it names the folder to take in place of FROM: `lab grade --from`.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/compile/intake.h"
#include "grader/report/results.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "Usage: stage-intake FROM TO STAGE…\n");
    return gridstride::exit_usage;
  }
  const char* const handed_in = std::getenv("GRIDSTRIDE_HANDED_IN");
  const std::filesystem::path from =
      handed_in != nullptr && *handed_in != '\0' ? handed_in : argv[1];
  try {
    gridstride::take_in(from, argv[2], std::vector<std::string>(argv + 3, argv + argc));
    return gridstride::exit_pass;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stage-intake: %s\n", error.what());
    return gridstride::exit_infrastructure;
  }
}
