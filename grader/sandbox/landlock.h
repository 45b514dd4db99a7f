// Landlock: where a program that has no bubblewrap around it may write. Needs no right and no
// namespace, so it also holds in containers.
#pragma once

namespace gridstride {

/// Whether the kernel has it; asked anew each time.
bool has_landlock();

/// From now on this process and its children change files in these folders only, and write to
/// devices such as /dev/null. A null pointer ends the list. Does nothing where there is no Landlock.
/// False when the kernel has it and refuses.
bool write_only_in(const char* const* folders);

}  // namespace gridstride
