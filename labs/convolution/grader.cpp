// Grades the convolution lab: cases.hpp says by what.
#include "grader/judge/lab.h"
#include "labs/convolution/cases.hpp"
#include "labs/convolution/convolution.h"

int main(int argc, char** argv) {
  using namespace convolution;
  gridstride::Lab lab("convolution", argc, argv);
  lab.contract<decltype(convolve)>("convolve", [](auto& suite) {
    suite.parameters({"in", "out", "width", "height", "filter", "size", "border", "scratch"});
    for (const char* image : {"in", "out"}) suite.rows(image, "width");
    suite.rows("filter", "size");
    define<Square>(suite);
  });
  lab.contract<decltype(convolve_separable)>("convolve_separable", [](auto& suite) {
    suite.parameters(
        {"in", "out", "width", "height", "filter_x", "filter_y", "size", "border", "scratch"});
    for (const char* image : {"in", "out"}) suite.rows(image, "width");
    define<Separable>(suite);
  });
  return lab.run();
}
