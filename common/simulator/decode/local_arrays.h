// Which array of its function an access to local memory names, where that is known: the compiler makes one
// block of all of them, and only the debug information of `nvcc -G` says where in it each one lies.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simulator/program/program.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// By register of `function`: the array that an address in it is computed from, as an index in `arrays`
/// (which are added there) plus one; 0: none, or not known. That is so where the text adds to the place at
/// which an array begins: such an address never lies behind the array, whatever is taken away from it.
/// `offsets`: of the function's variables in local memory.
std::vector<std::int32_t> local_arrays_of(
    const ptx::Function& function, const std::unordered_map<std::string, std::uint32_t>& offsets,
    std::vector<LocalArray>& arrays);

}  // namespace gridstride::sim
