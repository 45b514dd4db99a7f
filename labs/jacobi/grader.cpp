// Grades the jacobi lab: cases_sweep.hpp, cases_solve.hpp and cases_relax.hpp say by what.
#include "grader/judge/lab.h"
#include "labs/jacobi/cases_relax.hpp"
#include "labs/jacobi/cases_solve.hpp"
#include "labs/jacobi/cases_sweep.hpp"
#include "labs/jacobi/jacobi.h"

int main(int argc, char** argv) {
  gridstride::Lab lab("jacobi", argc, argv);
  lab.contract<decltype(sweep)>("sweep", [](auto& suite) { jacobi::define_sweep(suite); });
  lab.contract<decltype(solve)>("solve", [](auto& suite) { jacobi::define_solve(suite); });
  lab.contract<decltype(relax)>("relax", [](auto& suite) { jacobi::define_relax(suite); });
  return lab.run();
}
