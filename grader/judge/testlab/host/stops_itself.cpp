// Ignores what asks it to end, and stops.
#include <signal.h>

#include <cstdint>
#include <initializer_list>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCONT}) ::signal(signal, SIG_IGN);
  ::raise(SIGSTOP);
}
