// From PTX to what the simulated GPU runs.
#pragma once

#include <memory>

#include "common/simulator/base/kernel_info.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

class GlobalMemory;  // memory/global_memory.h
class Program;       // program/program.h

/// Decodes `module`, places its variables in `memory`, and fills `info` (ids are indices of
/// kernels). Throws Unsupported.
std::shared_ptr<const Program> make_program(ptx::Module module, GlobalMemory& memory,
                                            ModuleInfo& info);

}  // namespace gridstride::sim
