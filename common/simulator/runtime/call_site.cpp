// Walks up the stack until it is out of this library; addr2line knows lines and functions.
#include "common/simulator/runtime/call_site.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"

namespace gridstride::sim {
namespace {

constexpr int most_frames = 32;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// "main()" of "main", "solve(int)" of what has its arguments already.
std::string with_brackets(const std::string& function) {
  return function.find('(') == std::string::npos ? function + "()" : function;
}

std::string demangled_name(const char* name) {
  if (!std::string_view(name).starts_with("_Z")) return name;  // "f" alone would be float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

/// What addr2line says of an address, counted from where `file` is loaded; empty when it knows
/// nothing or is not there. CUDA's own header wraps calls in templates, which are passed over where
/// the call was inlined into them.
std::string looked_up(const std::string& file, std::uintptr_t offset) {
  char address[32];
  std::snprintf(address, sizeof address, "0x%zx", static_cast<std::size_t>(offset));
  try {
    std::istringstream answer(output_of({"addr2line", "-C", "-f", "-i", "-e", file, address}));
    std::string function, place, wrapper;
    while (std::getline(answer, function) && std::getline(answer, place)) {
      place = place.substr(0, place.find(" (discriminator"));
      const std::size_t colon = place.rfind(':');
      const bool has_line = colon != std::string::npos && place[0] != '?' &&
                            colon + 1 < place.size() && place[colon + 1] != '?';
      if (!has_line)
        return function.empty() || function[0] == '?' ? "" : "in " + with_brackets(function);
      const std::string header = base_name(place.substr(0, colon));
      if (header != "cuda_runtime.h") return "in line " + place.substr(colon + 1) + " of " + header;
      wrapper = "in " + with_brackets(function);
    }
    return wrapper;
  } catch (const std::exception&) {
    // A message without a line is better than none.
  }
  return "";
}

/// The address of a call is the one before that to which it returns.
std::string words_for(const void* return_address) {
  const auto at = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::uintptr_t offset = at - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const std::string known = looked_up(info.dli_fname, offset);
  if (!known.empty()) return known;
  if (info.dli_sname != nullptr) return "in " + with_brackets(demangled_name(info.dli_sname));
  char text[32];
  std::snprintf(text, sizeof text, "+0x%zx", static_cast<std::size_t>(offset));
  return "in " + base_name(info.dli_fname) + text;
}

struct HostFrame {
  const void* at = nullptr;
  Dl_info where{};
};

/// From the one that called this library on, the innermost first, as far as known.
std::vector<HostFrame> frames_of_program() {
  void* addresses[most_frames];
  const int count = backtrace(addresses, most_frames);
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&calling_site), &own);
  std::vector<HostFrame> frames;
  for (int i = 0; i < count; ++i) {
    // An address to which a call returns may be the next function's already.
    HostFrame frame{addresses[i], {}};
    void* const call = static_cast<char*>(addresses[i]) - 1;
    const bool known = dladdr(call, &frame.where) != 0 && frame.where.dli_fname != nullptr;
    if (frames.empty() && (!known || frame.where.dli_fbase == own.dli_fbase)) continue;
    if (!known) break;
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace

std::function<std::string()> calling_site() {
  const std::vector<HostFrame> frames = frames_of_program();
  if (frames.empty()) return nullptr;
  // The second one counts where the first is a template of CUDA's header that was not inlined.
  std::vector<const void*> callers = {frames[0].at};
  if (frames.size() > 1) callers.push_back(frames[1].at);
  return [callers] {
    std::string words;
    for (const void* at : callers) {
      words = words_for(at);
      if (!words.starts_with("in cudaError cuda")) break;
    }
    return words;
  };
}

std::string calling_function() {
  const std::vector<HostFrame> frames = frames_of_program();
  if (frames.empty()) return "";
  for (const HostFrame& frame : frames) {
    if (frame.where.dli_fbase != frames.front().where.dli_fbase) break;
    if (frame.where.dli_sname == nullptr) continue;
    return "in " + with_brackets(demangled_name(frame.where.dli_sname));
  }
  return "in " + base_name(frames.front().where.dli_fname);
}

}  // namespace gridstride::sim
