// Variables of expanded calls that become registers: arguments, results, the callee's own.
#pragma once

#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// Replaces variables of the function's body by registers, one for each element that is stored or
/// loaded, and the stores and loads by copies: variables in .param space, and those in local memory
/// that came with an expanded call (their names have a '#'). A variable stays what it is when a call
/// that is left names it, its address goes elsewhere, it is indexed by a register, or elements of
/// different sizes overlap. Instructions keep their numbers.
void variables_to_registers(Function& function);

}  // namespace gridstride::sim::ptx
