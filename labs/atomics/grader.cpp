// Grades the atomics lab: the cases_*.hpp say by what.
#include "grader/judge/lab.h"
#include "labs/atomics/atomics.h"
#include "labs/atomics/cases_book.hpp"
#include "labs/atomics/cases_buckets.hpp"
#include "labs/atomics/cases_keep.hpp"
#include "labs/atomics/cases_largest.hpp"

int main(int argc, char** argv) {
  gridstride::Lab lab("atomics", argc, argv);
  lab.contract<decltype(book)>("book", [](auto& suite) { atomics::define_book(suite); });
  lab.contract<decltype(largest)>("largest", [](auto& suite) { atomics::define_largest(suite); });
  lab.contract<decltype(keep_positive)>("keep_positive",
                                        [](auto& suite) { atomics::define_keep(suite); });
  lab.contract<decltype(index_of_largest)>("index_of_largest",
                                           [](auto& suite) { atomics::define_index(suite); });
  lab.contract<decltype(farthest_in_buckets)>("farthest_in_buckets",
                                              [](auto& suite) { atomics::define_buckets(suite); });
  return lab.run();
}
