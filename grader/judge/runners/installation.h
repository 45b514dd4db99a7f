// Where the programs and libraries are that grading needs, found relative to the running program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "common/simulator/link/host.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {

/// Something that grading needs is missing; what() ends in the repair. Never the student's fault.
class CannotGrade : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Installation {
  std::filesystem::path runner;                     ///< bin/gridstride-runner
  std::filesystem::path device;                     ///< bin/gridstride-device
  std::filesystem::path gpu_device;                 ///< bin/gridstride-gpu-device
  std::filesystem::path programs;                   ///< the folder of all these
  std::shared_ptr<const sim::link::LinkHost> host;  ///< that has the device; null: this one
  std::string profile = "h200";                     ///< of the simulated device, by name or file
  std::filesystem::path simulated_cuda;             ///< the folder of our libcudart
  std::filesystem::path stages;                     ///< the folder of stage libraries
  std::filesystem::path tree;                       ///< the source tree, hidden from student code
  std::uint64_t runner_memory = 2ull << 30;  ///< bytes of host memory that one runner may use
  SandboxPolicy sandbox = SandboxPolicy::when_available;

  /// Of the build that the running program belongs to.
  static Installation find();
};

/// `file`, or CannotGrade saying which target builds it.
const std::filesystem::path& need(const std::filesystem::path& file, const std::string& target);

}  // namespace gridstride
