// cub::DeviceRadixSort
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <functional>
#include <numeric>

#include "library_test.h"

int main() {
  for (const int n : sizes) {
    std::vector<int> values = numbers(n, 1 << 30);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = -values[i];
    std::vector<int> up = values, down = values, order(n), places(n);
    std::sort(up.begin(), up.end());
    std::sort(down.begin(), down.end(), std::greater<>());
    std::iota(order.begin(), order.end(), 0);
    places = order;
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return values[a] < values[b]; });
    OnDevice<int> in(values), out(n), device_order(order), device_places(n);
    cub_call([&](void* t, std::size_t& b) { return cub::DeviceRadixSort::SortKeys(t, b, in.get(), out.get(), n); });
    same("SortKeys", n, up, out.host());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortKeysDescending(t, b, in.get(), out.get(), n);
    });
    same("SortKeysDescending", n, down, out.host());
    cub_call([&](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortPairs(t, b, in.get(), out.get(), device_order.get(),
                                             device_places.get(), n);
    });
    same("SortPairs", n, up, out.host());
    same("SortPairs", n, places, device_places.host());
  }
}
