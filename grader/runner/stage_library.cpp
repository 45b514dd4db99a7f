// Loads a stage's library and calls its function.
#include "grader/runner/stage_library.h"

#include <dlfcn.h>

#include <exception>
#include <string>

#include "grader/runner/cuda_call.h"

namespace gridstride::runner {

StageLibrary::StageLibrary(const std::string& path, const std::string& function) {
  // Never unloaded: kernels, and what the stage registered with atexit(), point into it.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw LoadError(::dlerror());
  entry_ = static_cast<const ContractEntry*>(
      ::dlsym(library, ("gridstride_contract_" + function).c_str()));
  if (entry_ == nullptr || entry_->version != ContractEntry::current_version)
    throw LoadError("the library has no adapter for " + function +
                    "(): it was built for another contract; build it again");
  if (entry_->function == nullptr)
    throw LoadError(
        "the stage does not define " + function +
        "(): is it in the file, outside of every namespace, with the parameters that the "
        "lab's header declares?");
}

void StageLibrary::call(void* const* slots) const {
  try {
    entry_->invoke(slots);
  } catch (const std::exception& error) {
    throw StageException(error.what());
  } catch (...) {
    throw StageException("something that is not a std::exception");
  }
  check(cudaGetLastError());
}

}  // namespace gridstride::runner
