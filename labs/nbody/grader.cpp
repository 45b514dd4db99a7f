// Grades the nbody lab: the cases_*.hpp say by what.
#include "grader/judge/lab.h"
#include "labs/nbody/cases_accelerate.hpp"
#include "labs/nbody/cases_advance.hpp"
#include "labs/nbody/nbody.h"

int main(int argc, char** argv) {
  gridstride::Lab lab("nbody", argc, argv);
  lab.contract<decltype(accelerate)>("accelerate",
                                     [](auto& suite) { nbody::define_accelerate(suite); });
  lab.contract<decltype(advance)>("advance", [](auto& suite) { nbody::define_advance(suite); });
  return lab.run();
}
