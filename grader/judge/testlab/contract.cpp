// The adapter that is linked into every stage library of the test lab.
#define GRIDSTRIDE_EXPORT_CONTRACT
#include "grader/judge/testlab/testlab.h"
