// The test lab's grader.
#include "grader/judge/lab.h"
#include "grader/judge/testlab/cases.h"
#include "grader/judge/testlab/testlab.h"

int main(int argc, char** argv) {
  gridstride::Lab lab("testlab", argc, argv);
  lab.contract<decltype(twice)>("twice", [](auto& suite) { gridstride::testlab::define(suite); });
  return lab.run();
}
