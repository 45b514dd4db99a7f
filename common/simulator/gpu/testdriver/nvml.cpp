// The driver's management library (NVML) of tests: its answers stand in the environment, in
// GRIDSTRIDE_TEST_NVML="<clock> <memory's clock> <temperature> <reasons> <processes>".
#include <array>
#include <cstddef>
#include <cstdlib>
#include <sstream>

namespace {

constexpr int success = 0, not_found = 6;
struct Device {};
Device the_gpu;

unsigned long long answer(std::size_t which) {
  const char* text = std::getenv("GRIDSTRIDE_TEST_NVML");
  std::istringstream words(text != nullptr ? text : "");
  std::array<unsigned long long, 5> numbers{};
  for (auto& number : numbers) words >> number;
  return numbers.at(which);
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return std::getenv("GRIDSTRIDE_TEST_NVML") != nullptr ? success : not_found; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, Device** device) {
  if (id[0] != '0') return not_found;
  *device = &the_gpu;
  return success;
}

int nvmlDeviceGetClockInfo(Device*, unsigned type, unsigned* clock) {
  constexpr unsigned of_memory = 2;
  *clock = static_cast<unsigned>(answer(type == of_memory ? 1 : 0));
  return success;
}

int nvmlDeviceGetTemperature(Device*, unsigned, unsigned* degrees) {
  *degrees = static_cast<unsigned>(answer(2));
  return success;
}

int nvmlDeviceGetCurrentClocksEventReasons(Device*, unsigned long long* reasons) {
  *reasons = answer(3);
  return success;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Device*, unsigned* count, void*) {
  *count = static_cast<unsigned>(answer(4));
  return success;
}
}
