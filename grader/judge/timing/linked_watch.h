// A GPU of another host, watched there while it is timed.
#pragma once

#include <memory>
#include <string>

#include "common/simulator/gpu/gpu_watch.h"
#include "common/simulator/link/host.h"

namespace gridstride {

/// Null where nothing tells. What is asked after the connection has been lost is an empty sample.
std::unique_ptr<sim::GpuWatch> watch_of_host(const sim::link::LinkHost& host,
                                             const std::string& pci_bus_id);

}  // namespace gridstride
