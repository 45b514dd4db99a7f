// When a device process ends.
#pragma once

namespace gridstride::sim {

/// Ends the process, at once, when the judge's end of the socket `control` has gone: also while a
/// kernel runs that never ends. Returns never; for a thread of its own.
[[noreturn]] void end_with_the_judge(int control);

}  // namespace gridstride::sim
