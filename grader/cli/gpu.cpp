// The driver's C interface: cuInit and a few questions.
#include "grader/cli/gpu.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <string>

namespace gridstride::cli {
namespace {

/// CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
constexpr int capability_major = 75, capability_minor = 76;

/// One function of the driver's library, or null.
template <class Function>
Function* driver_function(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

GpuStatus find_gpu() {
  GpuStatus status;
  // Never closed: the driver does not unload cleanly.
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const bool device = std::filesystem::exists("/dev/nvidiactl");
    status.reason = device ? "there is an NVIDIA device but no driver library (libcuda.so.1)"
                           : "there is no NVIDIA driver";
    status.repair = device ? "install the driver's user-space libraries of the running version"
                           : "nothing to do: the simulated GPU grades without one";
    return status;
  }
  const auto init = driver_function<int(unsigned)>(library, "cuInit");
  const auto version = driver_function<int(int*)>(library, "cuDriverGetVersion");
  const auto count = driver_function<int(int*)>(library, "cuDeviceGetCount");
  const auto name = driver_function<int(char*, int, int)>(library, "cuDeviceGetName");
  const auto attribute = driver_function<int(int*, int, int)>(library, "cuDeviceGetAttribute");
  if (version != nullptr) version(&status.driver_version);
  const int error = init == nullptr ? -1 : init(0);
  int devices = 0;
  if (error != 0 || count == nullptr || count(&devices) != 0 || devices == 0) {
    status.reason =
        error == 100 || (error == 0 && devices == 0)
            ? "the driver sees no GPU"
            : "the driver does not start (cuInit returned " + std::to_string(error) + ")";
    status.repair = "check nvidia-smi; after a driver update, restart the machine";
    return status;
  }
  int major = 0, minor = 0;
  if (attribute != nullptr && attribute(&major, capability_major, 0) == 0 &&
      attribute(&minor, capability_minor, 0) == 0)
    status.capability = 10 * major + minor;
  char text[256] = "";
  if (name != nullptr && name(text, sizeof text, 0) == 0) status.name = text;
  status.count = devices;
  status.available = true;
  return status;
}

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace gridstride::cli
