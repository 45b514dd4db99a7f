// Holds docs/runtime-calls.md against the library: what it calls supported is, the rest is refused.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstddef>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace gridstride::sim {
namespace {

std::string content(const char* file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::set<std::string> names_in(const std::string& text) {
  static const std::regex name("`(cuda[A-Za-z0-9]+)`");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

/// A call that is not implemented is a weak symbol: see unsupported.cpp.in.
bool is_refused(void* library, const std::string& name) {
  void* function = dlsym(library, name.c_str());
  EXPECT_NE(function, nullptr) << name;
  Dl_info info;
  ElfW(Sym)* symbol = nullptr;
  if (function == nullptr ||
      dladdr1(function, &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr) {
    return false;
  }
  return ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
}

TEST(EntryPoints, AreSupportedOrRefusedAsTheBookSays) {
  const std::string book = content(GRIDSTRIDE_RUNTIME_CALLS);
  const std::size_t supported_at = book.find("\n## Supported\n");
  const std::size_t refused_at = book.find("\n## Refused by name\n");
  ASSERT_LT(supported_at, refused_at);
  ASSERT_NE(refused_at, std::string::npos);
  const auto supported = names_in(book.substr(supported_at, refused_at - supported_at));
  const auto refused = names_in(book.substr(refused_at));

  void* library = dlopen(GRIDSTRIDE_SIM_LIBRARY "/libcudart.so.13", RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  std::size_t calls = 0;
  std::istringstream entry_points(content(GRIDSTRIDE_ENTRY_POINTS));
  for (std::string name; std::getline(entry_points, name);) {
    const bool own_name = name.starts_with("cuda") && name.find("_pt") == std::string::npos;
    if (!own_name) continue;
    ++calls;
    EXPECT_EQ(refused.contains(name), is_refused(library, name)) << name;
    EXPECT_NE(refused.contains(name), supported.contains(name)) << name;
  }
  EXPECT_EQ(calls, supported.size() + refused.size());
}

}  // namespace
}  // namespace gridstride::sim
