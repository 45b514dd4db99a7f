// Whether a value is used, or may be thrown away.
#pragma once

#include <cstddef>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Of what instruction number `at` of `function` leaves in its destination: true when code that
/// follows in any case stores it, exchanges it, branches by it or hands it to a call, perhaps after
/// computing with it; false when all that happens to it happens under a predicate or ends in a
/// selection between it and something else.
bool is_surely_used(const ptx::Function& function, std::size_t at);

}  // namespace gridstride::sim
