// Grades the reduction lab: cases_sum.hpp and cases_points.hpp say by what.
#include "grader/judge/lab.h"
#include "labs/reduction/cases_points.hpp"
#include "labs/reduction/cases_sum.hpp"
#include "labs/reduction/reduction.h"

int main(int argc, char** argv) {
  gridstride::Lab lab("reduction", argc, argv);
  lab.contract<decltype(reduce_sum)>("reduce_sum",
                                     [](auto& suite) { reduction::define_sum(suite); });
  lab.contract<decltype(reduce_points)>("reduce_points",
                                        [](auto& suite) { reduction::define_points(suite); });
  return lab.run();
}
