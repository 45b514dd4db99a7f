// What a lab's handout speaks of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

/// The names that `limits` in lab.toml can bound: counters of kernels, and bytes that a call copied.
std::vector<std::string> counter_names();

/// Of these, the ones that the handout of the lab in `folder`, README.md, names between backquotes, in
/// the order in which it does. None where there is no handout.
std::vector<std::string> handout_counters(const std::filesystem::path& folder);

}  // namespace gridstride
