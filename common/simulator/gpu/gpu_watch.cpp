// Declarations from NVML's reference manual: its C interface is fixed, and the header is in none of the
// packages that the course needs.
#include "common/simulator/gpu/gpu_watch.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>

namespace gridstride::sim {
namespace {

using NvmlDevice = struct nvmlDevice_st*;
constexpr int success = 0;
constexpr unsigned clock_of_multiprocessors = 1, clock_of_memory = 2, sensor_of_gpu = 0;

struct Nvml {
  explicit Nvml(void* library) {
    const auto find = [library]<class Function>(Function*& function, const char* name) {
      function = reinterpret_cast<Function*>(dlsym(library, name));
    };
    find(init, "nvmlInit_v2");
    find(by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
    find(clock, "nvmlDeviceGetClockInfo");
    find(temperature, "nvmlDeviceGetTemperature");
    find(reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons == nullptr) find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    find(ecc_mode, "nvmlDeviceGetEccMode");
    find(mig_mode, "nvmlDeviceGetMigMode");
  }

  /// 24 bytes: the process, the memory that it holds, and where it is within a divided GPU.
  struct Process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
  };

  int (*init)() = nullptr;
  int (*by_pci_bus_id)(const char*, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*processes)(NvmlDevice, unsigned*, Process*) = nullptr;
  int (*ecc_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
};

class NvmlWatch final : public GpuWatch {
 public:
  NvmlWatch(const Nvml& nvml, NvmlDevice device) : nvml_(nvml), device_(device) {}

  GpuSample sample() override {
    GpuSample out;
    out.clock = number(nvml_.clock, clock_of_multiprocessors);
    out.memory_clock = number(nvml_.clock, clock_of_memory);
    out.temperature = number(nvml_.temperature, sensor_of_gpu);
    unsigned long long reasons = 0;
    if (nvml_.reasons != nullptr && nvml_.reasons(device_, &reasons) == success)
      out.reasons = reasons;
    std::array<Nvml::Process, 256> found{};
    unsigned count = found.size();
    if (nvml_.processes != nullptr && nvml_.processes(device_, &count, found.data()) == success)
      out.processes = static_cast<int>(count);
    return out;
  }
  bool ecc() const override { return is_on(nvml_.ecc_mode); }
  bool mig() const override { return is_on(nvml_.mig_mode); }

 private:
  int number(int (*function)(NvmlDevice, unsigned, unsigned*), unsigned which) const {
    unsigned value = 0;
    if (function == nullptr || function(device_, which, &value) != success) return 0;
    return static_cast<int>(value);
  }
  bool is_on(int (*function)(NvmlDevice, unsigned*, unsigned*)) const {
    unsigned now = 0, later = 0;
    return function != nullptr && function(device_, &now, &later) == success && now == 1;
  }

  Nvml nvml_;
  NvmlDevice device_;
};

}  // namespace

std::unique_ptr<GpuWatch> GpuWatch::open(const std::string& pci_bus_id, const char* library_name) {
  // Never closed: other threads may be in it when the program ends.
  void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const Nvml nvml(library);
  NvmlDevice device = nullptr;
  if (nvml.init == nullptr || nvml.by_pci_bus_id == nullptr || nvml.init() != success ||
      nvml.by_pci_bus_id(pci_bus_id.c_str(), &device) != success)
    return nullptr;
  return std::make_unique<NvmlWatch>(nvml, device);
}

std::string line_of(const GpuSample& sample) {
  std::ostringstream words;
  words << sample.clock << ' ' << sample.memory_clock << ' ' << sample.temperature << ' '
        << sample.reasons << ' ' << sample.processes << ' ' << sample.own_processes.value_or(0);
  return words.str();
}

GpuSample sample_in(const std::string& line) {
  std::istringstream words(line);
  GpuSample sample;
  int own = 0;
  if (!(words >> sample.clock >> sample.memory_clock >> sample.temperature >> sample.reasons >>
        sample.processes >> own))
    return {};
  sample.own_processes = own;
  return sample;
}

}  // namespace gridstride::sim
