// One call of a stage's function on data like those that the lab's grader times it on, so that what
// a profiler counted and what the simulator counts belong to the same work.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace records {

/// Throws std::runtime_error with `what` and CUDA's words when a call failed.
void check(cudaError_t status, const std::string& what);

/// Device memory that lives as long as the call it is for.
class Memory {
 public:
  explicit Memory(std::size_t bytes);
  void* get() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<void, Free> memory_;
};

/// A stage's function with its arguments.
struct StageCall {
  std::vector<Memory> memory;
  std::function<void()> prepare;  ///< input that the last call has overwritten; may be empty
  std::function<void()> launch;
};

/// `function` of the stage library `file` for `elements` elements, as timing_size in lab.toml
/// counts them. The inputs are the same on every device. Throws when the library has no such
/// function.
StageCall stage_call(const std::string& file, const std::string& function, std::int64_t elements);

}  // namespace records
