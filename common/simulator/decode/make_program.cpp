// Places a module's variables in device memory and decodes its kernels.
#include "common/simulator/decode/make_program.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/decode/kernel_builder.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/program/program.h"
#include "common/simulator/ptx/toolkit_calls.h"
#include "common/text.h"

namespace gridstride::sim {
namespace {

void place_variables(Program& program, GlobalMemory& memory, KernelSymbols& symbols,
                     ModuleInfo& info) {
  for (const ptx::Variable& variable : program.module.variables) {
    const bool constant = variable.space == ptx::Space::constant;
    if (variable.space != ptx::Space::global && !constant) continue;
    if (variable.is_extern) continue;  // nobody defines it: refused where it is used
    const std::string title = demangled(variable.name);
    const std::uint64_t size = std::max<std::uint64_t>(variable.size, 1);
    const DeviceAddress address =
        variable.is_managed ? memory.allocate_pages(size, Allocation::Origin::variable, title)
                            : memory.allocate(size, title, constant);
    if (address == 0) {
      throw Unsupported("the variable " + title + " of " + std::to_string(variable.size) +
                        " bytes does not fit into the device's memory");
    }
    program.variables[variable.name] = address;
    symbols.addresses[variable.name] = address;
    info.symbols.push_back({variable.name, address, variable.size, constant, variable.is_managed});
  }
}

void initialise_variables(const Program& program, GlobalMemory& memory,
                          const KernelSymbols& symbols) {
  for (const ptx::Variable& variable : program.module.variables) {
    const auto it = program.variables.find(variable.name);
    if (it == program.variables.end()) continue;
    std::byte* to = memory.host(it->second);
    if (!variable.initial.empty()) {
      std::memcpy(to, variable.initial.data(),
                  std::min<std::size_t>(variable.initial.size(), variable.size));
    }
    for (const auto& relocation : variable.relocations) {
      std::uint64_t value = 0;
      if (const auto a = symbols.addresses.find(relocation.symbol); a != symbols.addresses.end()) {
        value = a->second;
      } else if (const auto f = symbols.functions.find(relocation.symbol);
                 f != symbols.functions.end()) {
        value = function_address_base + f->second;
      } else {
        throw Unsupported("the initial value of " + demangled(variable.name) +
                          ", the address of '" + relocation.symbol + "',");
      }
      value += static_cast<std::uint64_t>(relocation.addend);
      if (relocation.at + 8 <= variable.size) std::memcpy(to + relocation.at, &value, 8);
    }
  }
}

/// Whether a kernel of this name is one of Thrust's or CUB's own. Templates begin with what they return.
bool is_of_library(std::string_view name) {
  constexpr std::string_view returns = "void ";
  if (name.starts_with(returns)) name.remove_prefix(returns.size());
  return name.starts_with("thrust::") || name.starts_with("cub::");
}

KernelInfo info_of(const KernelCode& kernel, std::uint64_t constant_bytes) {
  KernelInfo info;
  info.name = kernel.kernel->name;
  for (const ParamSlot& parameter : kernel.parameters) {
    info.parameters.push_back({parameter.offset, parameter.bytes});
  }
  info.argument_bytes = kernel.argument_bytes;
  info.static_shared = kernel.static_shared - kernel.reserved_shared;
  info.constant_bytes = constant_bytes;
  info.local_bytes = kernel.local_stack;
  if (kernel.kernel->max_threads != 0) info.max_threads = kernel.kernel->max_threads;
  return info;
}

/// In relocatable code the name of a function that only its file knows is "__nv_static_<count>_",
/// so many characters for the file, "_", and the name that it would have otherwise.
std::string without_file(const std::string& name) {
  constexpr std::string_view prefix = "__nv_static_";
  if (!name.starts_with(prefix)) return name;
  const char* end = name.data() + name.size();
  std::size_t count = 0;
  const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, count);
  const auto rest = static_cast<std::size_t>(end - at);
  if (error != std::errc() || rest < 3 || count > rest - 3) return name;
  return std::string(at + count + 2, end);
}

}  // namespace

std::string demangled(const std::string& name) {
  constexpr std::size_t most_bytes = 2000;  // each launch is reported under its kernel's name
  const std::string plain = without_file(name);
  // "s" alone would be taken for a type, short.
  if (!plain.starts_with("_Z")) return shorten_middle(plain, most_bytes);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status), &std::free);
  return shorten_middle(status == 0 ? text.get() : plain.c_str(), most_bytes);
}

std::string variable_title(const std::string& name) {
  // The linker and the parser tell equal names apart by a suffix behind '#'.
  std::string plain = name.substr(0, name.find('#')), part;
  // Of a struct that the compiler has taken apart, each member is a variable: "cursors_$_0".
  constexpr std::string_view apart = "_$_";
  if (const std::size_t at = plain.rfind(apart); at != std::string::npos) {
    const std::string number = plain.substr(at + apart.size());
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos) {
      part = "." + number;
      plain.erase(at);
    }
  }
  std::string title = demangled(plain);
  if (const std::size_t scope = title.rfind("::"); scope != std::string::npos) {
    title.erase(0, scope + 2);
  }
  return title + part;
}

std::optional<std::size_t> Program::kernel_at(std::uint64_t pointer) const {
  const std::uint64_t index = pointer - function_address_base;
  if (index >= module.functions.size()) return std::nullopt;
  const auto found = kernel_of.find(static_cast<std::uint32_t>(index));
  if (found == kernel_of.end()) return std::nullopt;
  return found->second;
}

std::shared_ptr<const Program> make_program(ptx::Module module, GlobalMemory& memory,
                                            ModuleInfo& info) {
  auto program = std::make_shared<Program>();
  program->module = std::move(module);
  ptx::expand_toolkit_calls(program->module);
  KernelSymbols symbols;
  for (std::uint32_t i = 0; i < program->module.functions.size(); ++i) {
    symbols.functions[program->module.functions[i].name] = i;
  }
  place_variables(*program, memory, symbols, info);
  initialise_variables(*program, memory, symbols);

  std::uint64_t constant_bytes = 0;
  for (const SymbolInfo& symbol : info.symbols)
    constant_bytes += symbol.is_constant ? symbol.size : 0;
  for (std::uint32_t i = 0; i < program->module.functions.size(); ++i) {
    const ptx::Function& function = program->module.functions[i];
    if (!function.is_kernel || function.is_extern) continue;
    program->kernel_of[i] = program->kernels.size();
    program->kernels.emplace_back();
    KernelCode& kernel = program->kernels.back();
    kernel.name = demangled(function.name);
    kernel.is_of_library = is_of_library(kernel.name);
    try {
      build_kernel(*program, i, symbols, kernel);
    } catch (const Unsupported& error) {
      // Only who launches it need know: a module may hold kernels that nobody calls.
      kernel.unsupported = error.what();
    }
    if (kernel.uses_grid_workspace && program->grid_workspace == 0) {
      program->grid_workspace = memory.allocate(64, "grid synchronisation workspace");
    }
    KernelInfo about = info_of(kernel, constant_bytes);
    about.id = info.kernels.size();
    info.kernels.push_back(std::move(about));
  }
  return program;
}

}  // namespace gridstride::sim
