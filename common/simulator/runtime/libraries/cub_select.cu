// cub::DeviceSelect, cub::DevicePartition
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "library_test.h"

struct Odd {
  __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};

int main() {
  for (const int n : sizes) {
    const std::vector<int> values = numbers(n, 10);
    std::vector<int> odd, even, flags, unique;
    for (const int value : values) {
      flags.push_back(value % 2);
      (value % 2 ? odd : even).push_back(value);
      if (unique.empty() || unique.back() != value) unique.push_back(value);
    }
    std::vector<int> parted = odd;
    parted.insert(parted.end(), even.rbegin(), even.rend());
    OnDevice<int> in(values), device_flags(flags), out(n), count(1);
    const auto check = [&](const char* what, const std::vector<int>& expected, std::size_t chosen) {
      same(what, n, static_cast<int>(chosen), n ? count.first() : 0);
      same(what, n, expected, out.host(expected.size()));
    };
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceSelect::Flagged(t, b, in.get(), device_flags.get(), out.get(), count.get(), n);
    });
    check("Select::Flagged", odd, odd.size());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceSelect::If(t, b, in.get(), out.get(), count.get(), n, Odd{});
    });
    check("Select::If", odd, odd.size());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceSelect::Unique(t, b, in.get(), out.get(), count.get(), n);
    });
    check("Select::Unique", unique, unique.size());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DevicePartition::Flagged(t, b, in.get(), device_flags.get(), out.get(), count.get(), n);
    });
    check("Partition::Flagged", parted, odd.size());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DevicePartition::If(t, b, in.get(), out.get(), count.get(), n, Odd{});
    });
    check("Partition::If", parted, odd.size());
  }
}
