// A stage's shared library, loaded.
#pragma once

#include <stdexcept>
#include <string>

#include "grader/runner/contract_entry.h"

namespace gridstride::runner {

/// The library does not load, or does not hold the function; what() says which.
class LoadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the stage threw out of its function.
class StageException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class StageLibrary {
 public:
  /// Runs the library's static constructors, student code already. Throws LoadError.
  StageLibrary(const std::string& path, const std::string& function);

  const ContractEntry& entry() const { return *entry_; }
  /// Throws StageException, and CudaError for what the call left behind as the last error.
  /// `slots`: as ArgumentValues has them.
  void call(void* const* slots) const;

 private:
  const ContractEntry* entry_ = nullptr;
};

}  // namespace gridstride::runner
