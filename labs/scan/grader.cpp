// Grades the scan lab: cases_sums.hpp and cases_recurrence.hpp say by what.
#include "grader/judge/lab.h"
#include "labs/scan/cases_recurrence.hpp"
#include "labs/scan/cases_sums.hpp"
#include "labs/scan/scan.h"

int main(int argc, char** argv) {
  gridstride::Lab lab("scan", argc, argv);
  lab.contract<decltype(exclusive_scan)>("exclusive_scan",
                                         [](auto& suite) { scan::define_sums(suite); });
  lab.contract<decltype(scan_recurrence)>("scan_recurrence",
                                          [](auto& suite) { scan::define_recurrence(suite); });
  return lab.run();
}
