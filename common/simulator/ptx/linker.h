// Several modules to one: an extern of one is a definition of another (relocatable device code).
#pragma once

#include <stdexcept>
#include <vector>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// A symbol that nobody defines, or that two modules define; what() names it and the repair.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Joins `modules` into one. File tables are merged, names that only their own module sees are made
/// distinct, weak definitions give way. Functions that the simulator answers itself (vprintf,
/// malloc, free, __assertfail, __cudaCDP2…) may stay extern.
Module link(std::vector<Module> modules);

}  // namespace gridstride::sim::ptx
