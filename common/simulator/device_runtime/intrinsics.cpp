// See intrinsics.h. Arguments lie in the caller's .param variables, results go there.
#include "common/simulator/device_runtime/intrinsics.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/round_up.h"
#include "common/simulator/device_runtime/intrinsic_arguments.h"
#include "common/simulator/device_runtime/print_buffer.h"
#include "common/simulator/exec/device_runtime.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/call_site.h"

namespace gridstride::sim {
namespace {

/// The arguments of one call of printf, read one after the other.
class PrintfArguments {
 public:
  PrintfArguments(const Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address)
      : warp_(warp), inst_(inst), lane_(lane), address_(address) {}

  std::uint64_t next(std::uint32_t bytes) {
    ++count_;
    offset_ = round_up(offset_, bytes);
    check_written(warp_, inst_, lane_, address_ + offset_, bytes);
    const std::byte* at = resolve_generic(warp_, lane_, address_ + offset_, bytes);
    if (!at)
      warp_.grid->findings.bad_local(thread_of(warp_, lane_), inst_.source, offset_, bytes,
                                     Access::load, local_frame(warp_));
    std::uint64_t value = 0;
    std::memcpy(&value, at, bytes);
    offset_ += bytes;
    return value;
  }
  std::uint64_t count() const { return count_; }

 private:
  const Warp& warp_;
  const Inst& inst_;
  std::uint32_t lane_;
  std::uint64_t address_, offset_ = 0, count_ = 0;
};

template <class... Values>
void append(std::string& out, const std::string& format, Values... values) {
  const int length = std::snprintf(nullptr, 0, format.c_str(), values...);
  if (length <= 0) return;
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(length) + 1);
  std::snprintf(out.data() + before, out.size() - before, format.c_str(), values...);
  out.pop_back();  // the zero
}

/// An integer argument that is printed as one of `bytes` bytes: those below 4 come as an int.
std::uint64_t integer(PrintfArguments& arguments, std::uint32_t bytes, bool is_signed) {
  const std::uint64_t bits = arguments.next(std::max(bytes, 4u));
  const std::uint32_t unused = 64 - 8 * bytes;
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused)
                   : bits << unused >> unused;
}

/// One conversion: `spec` is what stands between '%' and the letter, without length modifiers.
void convert(std::string& out, std::string spec, char letter, std::uint32_t bytes,
             PrintfArguments& arguments, const Warp& warp, const Inst& inst, std::uint32_t lane) {
  switch (letter) {
    case 'd':
    case 'i':
      append(out, '%' + spec + "lld", static_cast<long long>(integer(arguments, bytes, true)));
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      append(out, '%' + spec + "ll" + letter,
             static_cast<unsigned long long>(integer(arguments, bytes, false)));
      break;
    case 'c':
      append(out, '%' + spec + 'c', static_cast<int>(arguments.next(4)));
      break;
    case 'p':
      append(out, "0x%llx", static_cast<unsigned long long>(arguments.next(8)));
      break;
    case 's':
      append(out, '%' + spec + 's', text_at(warp, inst, lane, arguments.next(8)).c_str());
      break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      append(out, '%' + spec + letter, std::bit_cast<double>(arguments.next(8)));
      break;
    default:
      out += '%' + spec + letter;  // printed as it stands, as the device does
  }
}

bool is_one_of(char letter, std::string_view letters) {
  return letters.find(letter) != std::string_view::npos;
}

std::string formatted(const Warp& warp, const Inst& inst, std::uint32_t lane,
                      const std::string& format, PrintfArguments& arguments) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out.push_back(format[i]);
      continue;
    }
    if (++i >= format.size()) break;
    if (format[i] == '%') {
      out.push_back('%');
      continue;
    }
    std::string spec;
    std::uint32_t bytes = 4, digits = 0;
    for (; i < format.size() && is_one_of(format[i], "-+ #0123456789.*lhzjt"); ++i) {
      if (format[i] == '*') {
        const auto width = static_cast<std::int32_t>(static_cast<std::uint32_t>(arguments.next(4)));
        spec += std::to_string(std::clamp(width, -999, 999));
      } else if (is_one_of(format[i], "lzjt")) {
        bytes = 8;
      } else if (format[i] == 'h') {
        bytes = bytes == 2 ? 1 : 2;
      } else {
        const bool digit = format[i] >= '0' && format[i] <= '9';
        digits = digit ? digits + 1 : 0;
        if (digits <= 3) spec.push_back(format[i]);  // no field is wider than 999
      }
    }
    if (i >= format.size()) break;
    convert(out, spec, format[i], bytes, arguments, warp, inst, lane);
  }
  return out;
}

void intrinsic_printf(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t address = intrinsic_argument(warp, site, 0, lane);
    if (address == 0) {  // the CUDA C++ Programming Guide has the results, "Formatted Output"
      set_intrinsic_result(warp, site, lane, ~std::uint64_t{0});
      continue;
    }
    PrintfArguments arguments(warp, inst, lane, intrinsic_argument(warp, site, 1, lane));
    std::string text = formatted(warp, inst, lane, text_at(warp, inst, lane, address), arguments);
    if (PrintBuffer* printed = warp.grid->request.printed) printed->add(std::move(text));
    set_intrinsic_result(warp, site, lane, arguments.count());
  }
}

void intrinsic_malloc(Warp& warp, const Inst&, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::uint64_t bytes = intrinsic_argument(warp, site, 0, lane);
    set_intrinsic_result(warp, site, lane, warp.grid->allocate_on_heap(bytes));
  });
}

}  // namespace

bool release_on_heap(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address) {
  const Allocation* const block = warp.grid->memory.find(address);
  // Before it is gone, so that a race there can be told with its name.
  if (block && block->begin == address && block->origin == Allocation::Origin::heap)
    RaceObserver::hear_freed(warp, inst, lane, address, block->size);
  return warp.grid->heap().release(address);
}

namespace {

void intrinsic_free(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::uint64_t address = intrinsic_argument(warp, site, 0, lane);
    if (address != 0 && !release_on_heap(warp, inst, lane, address)) {
      warp.grid->findings.bad_free(thread_of(warp, lane), inst.source, address);
    }
  });
  warp.grid->window.forget();
}

void intrinsic_assertfail(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
  const auto text = [&](std::size_t index) {
    return text_at(warp, inst, lane, intrinsic_argument(warp, site, index, lane));
  };
  const std::string path = text(1);  // as the compiler was given it
  warp.grid->findings.bad_instruction(
      thread_of(warp, first_lane(mask)), inst.source,
      "fails the assertion '" + text(0) + "' (" + path.substr(path.rfind('/') + 1) + ", line " +
          std::to_string(intrinsic_argument(warp, site, 2, lane)) + ")",
      error_assert);
}

/// A handle is the address of the condition's word.
void intrinsic_set_conditional(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    GlobalMemory& memory = warp.grid->memory;
    const DeviceAddress handle = intrinsic_argument(warp, site, 0, lane);
    const Allocation* allocation = memory.find(handle);
    if (!allocation || allocation->origin != Allocation::Origin::condition) {
      warp.grid->findings.bad_instruction(thread_of(warp, lane), inst.source,
                                          "sets a condition by a value that is no handle of one",
                                          error_launch_failure);
    }
    const auto value = static_cast<std::uint32_t>(intrinsic_argument(warp, site, 1, lane));
    std::memcpy(memory.host(allocation->begin), &value, sizeof value);
  });
}

}  // namespace

Intrinsic find_intrinsic(const std::string& name) {
  if (name == "vprintf") return intrinsic_printf;
  if (name == "malloc") return intrinsic_malloc;
  if (name == "free") return intrinsic_free;
  if (name == "__assertfail") return intrinsic_assertfail;
  if (name == "cudaGraphSetConditional") return intrinsic_set_conditional;
  if (const Intrinsic launch = find_launch_intrinsic(name)) return launch;
  return find_query_intrinsic(name);
}

}  // namespace gridstride::sim
