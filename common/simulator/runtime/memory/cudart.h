// The toolkit's declarations, made visible: what this library implements is exactly what they say.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#define GRIDSTRIDE_CUDART extern "C" __attribute__((visibility("default")))
