// The sections of debug information that a module's text holds, as bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

#include "common/simulator/debug_info/dwarf.h"

namespace gridstride::sim::ptx {

/// Text between the braces, by the name without the dot: "debug_info".
using SectionTexts = std::map<std::string_view, std::string_view>;
/// The address (DebugSections::code_address) of each label of code.
using CodeLabels = std::unordered_map<std::string_view, std::uint64_t>;

/// Bytes as the directives .b8 to .b64 say them. A name among them stands for the place of a label in
/// code or in a section; any other is a symbol. All empty where there is no .debug_info, and where a
/// text holds anything else.
DebugSections debug_sections(const SectionTexts& texts, const CodeLabels& code);

}  // namespace gridstride::sim::ptx
