// The same on the simulated GPU, where no driver needs such memory.
#include "grader/judge/testlab/host/hoards_segments.cpp"
