// make_class: a made-up class to try things with.
//
//   make_class FOLDER LAB STUDENTS SEED
//
// Writes the class to FOLDER, and what each stage must get to FOLDER.expected.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "common/files.h"
#include "common/paths.h"
#include "grader/batch/test_class.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "Usage: make_class FOLDER LAB STUDENTS SEED\n");
    return 2;
  }
  try {
    gridstride::TestClassOptions options;
    options.tree = gridstride::source_tree();
    options.lab = argv[2];
    options.students = std::atoi(argv[3]);
    options.seed = std::strtoull(argv[4], nullptr, 10);
    std::string lines;
    for (const auto& [stage, verdict] : gridstride::make_test_class(argv[1], options))
      lines += stage + "\t" + verdict + "\n";
    gridstride::write_file(std::string(argv[1]) + ".expected", lines);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_class: %s\n", error.what());
    return 1;
  }
}
