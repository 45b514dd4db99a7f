// See the header. What is written in another way than these functions know stays without a name.
#include "common/simulator/playback/source_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where `word` stands by itself, from `from` on.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (auto at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool before = at == 0 || !is_word(text[at - 1]);
    const std::size_t behind = at + word.size();
    if (before && (behind >= text.size() || !is_word(text[behind]))) return at;
  }
  return std::string_view::npos;
}

/// Comments become spaces, so that places stay.
std::string without_comments(std::string text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*')) continue;
    const bool line = text[i + 1] == '/';
    const auto end = std::min(line ? text.find('\n', i) : text.find("*/", i + 2), text.size() - 1);
    for (const auto stop = line ? end : std::min(end + 2, text.size()); i < stop; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }
  return text;
}

/// A number, or a name that `constexpr … name = number` gives one; 0 when it is anything else.
std::uint32_t value_of(const std::string& source, std::string expression, int depth = 0) {
  std::erase_if(expression,
                [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  if (expression.empty() || depth > 8) return 0;
  for (const char operation : {'+', '-', '*', '/'}) {
    const std::size_t at = expression.rfind(operation);
    if (at == std::string::npos || at == 0) continue;
    const std::uint32_t a = value_of(source, expression.substr(0, at), depth + 1);
    const std::uint32_t b = value_of(source, expression.substr(at + 1), depth + 1);
    if (a == 0 || b == 0) return 0;
    return operation == '+' ? a + b : operation == '-' ? a - b : operation == '*' ? a * b : a / b;
  }
  if (std::ranges::all_of(expression, [](unsigned char c) { return std::isdigit(c) != 0; }))
    return expression.size() < 9 ? static_cast<std::uint32_t>(std::stoul(expression)) : 0;
  for (auto at = find_word(source, expression); at != std::string::npos;
       at = find_word(source, expression, at + 1)) {
    std::size_t behind = at + expression.size();
    while (behind < source.size() && source[behind] == ' ') ++behind;
    if (behind >= source.size() || source[behind] != '=' || source[behind + 1] == '=') continue;
    const std::size_t end = source.find_first_of(";,)", behind);
    if (end == std::string::npos) continue;
    if (const auto value = value_of(source, source.substr(behind + 1, end - behind - 1), depth + 1))
      return value;
  }
  return 0;
}

DeclaredName declared(const std::string& text) {
  DeclaredName one;
  const std::string plain = text.substr(0, text.find('='));
  std::size_t end = plain.find('[');
  end = end == std::string::npos ? plain.size() : end;
  while (end > 0 && !is_word(plain[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(plain[begin - 1])) --begin;
  one.name = plain.substr(begin, end - begin);
  const std::string type = plain.substr(0, begin);
  one.is_pointer = type.find('*') != std::string::npos || plain.find('[') != std::string::npos;
  one.is_object = find_word(type, "cudaTextureObject_t") != std::string::npos ||
                  find_word(type, "cudaSurfaceObject_t") != std::string::npos;
  one.type = element_type(type);
  return one;
}

}  // namespace

ElementType element_type(std::string_view type) {
  // Longer names first: "unsigned long long" holds "long".
  static constexpr std::array<std::pair<std::string_view, ElementType>, 33> known{{
      {"uint64_t", {'u', 8}}, {"int64_t", {'i', 8}},  {"uint32_t", {'u', 4}},
      {"int32_t", {'i', 4}},  {"uint16_t", {'u', 2}}, {"int16_t", {'i', 2}},
      {"uint8_t", {'u', 1}},  {"int8_t", {'i', 1}},   {"size_t", {'u', 8}},
      {"double2", {'f', 8}},  {"double4", {'f', 8}},  {"double", {'f', 8}},
      {"float2", {'f', 4}},   {"float3", {'f', 4}},   {"float4", {'f', 4}},
      {"float", {'f', 4}},    {"uint2", {'u', 4}},    {"uint3", {'u', 4}},
      {"uint4", {'u', 4}},    {"int2", {'i', 4}},     {"int3", {'i', 4}},
      {"int4", {'i', 4}},     {"uchar4", {'u', 1}},   {"ulonglong2", {'u', 8}},
      {"half", {'f', 2}},     {"__half", {'f', 2}},   {"bool", {'u', 1}},
      {"ull", {'u', 8}},      {"unsigned", {'u', 4}}, {"short", {'i', 2}},
      {"char", {'i', 1}},     {"long", {'i', 8}},     {"int", {'i', 4}},
  }};
  const bool is_unsigned = find_word(type, "unsigned") != std::string_view::npos;
  for (const auto& [name, meaning] : known) {
    if (name == "unsigned" || find_word(type, name) == std::string_view::npos) continue;
    return {is_unsigned ? 'u' : meaning.kind, meaning.bytes};
  }
  return is_unsigned ? ElementType{'u', 4} : ElementType{};
}

std::string short_name(const std::string& kernel) {
  // A namespace that has no name may stand in one that nvcc has named after the file.
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::size_t begin = 0;
  for (std::size_t at = kernel.find(unnamed);
       at != std::string::npos && at == kernel.find_first_of("(<", begin);
       at = kernel.find(unnamed, begin))
    begin = at + unnamed.size();
  std::string name;
  int depth = 0;
  for (const char c : kernel.substr(begin)) {
    if (c == '<') ++depth;
    if (c == '(' && depth == 0) break;
    if (depth == 0) name += c;
    if (c == '>') --depth;
  }
  if (const auto space = name.rfind(' '); space != std::string::npos) name = name.substr(space + 1);
  if (const auto scope = name.rfind("::"); scope != std::string::npos)
    name = name.substr(scope + 2);
  return name;
}

std::vector<DeclaredName> kernel_parameters(const std::string& text, const std::string& kernel) {
  const std::string source = without_comments(text), name = short_name(kernel);
  for (auto global = find_word(source, "__global__"); global != std::string::npos;
       global = find_word(source, "__global__", global + 1)) {
    const std::size_t end = source.find_first_of("{;", global);
    const std::size_t at = find_word(source, name, global);
    if (at == std::string::npos || at > end) continue;
    std::size_t i = source.find('(', at);
    if (i == std::string::npos) continue;
    std::vector<DeclaredName> parameters;
    std::string one;
    int depth = 0;
    for (; i < source.size(); ++i) {
      const char c = source[i];
      if (c == '(' || c == '<' || c == '[') ++depth;
      if (c == ')' || c == '>' || c == ']') --depth;
      if (depth == 0 || (c == ',' && depth == 1)) {
        if (one.find_first_not_of(" \n\t(") != std::string::npos)
          parameters.push_back(declared(one));
        one.clear();
        if (depth == 0) return parameters;
        continue;
      }
      if (c != '(' || depth > 1) one += c;
    }
  }
  return {};
}

DeclaredName shared_variable(const std::string& text, const std::string& name) {
  const std::string source = without_comments(text);
  for (auto shared = find_word(source, "__shared__"); shared != std::string::npos;
       shared = find_word(source, "__shared__", shared + 1)) {
    const std::size_t begin = shared + std::string_view("__shared__").size();
    const std::size_t end = source.find(';', begin);
    const std::size_t at = find_word(source, name, begin);
    if (end == std::string::npos || at == std::string::npos || at > end) continue;
    DeclaredName found;
    found.name = name;
    found.type = element_type(source.substr(begin, at - begin));
    const std::size_t behind = std::min(end, source.find(',', at));  // the next variable
    for (std::size_t i = source.find('[', at); i < behind; i = source.find('[', i + 1)) {
      const std::size_t close = source.find(']', i);
      if (close == std::string::npos || close > end) break;
      found.extents.push_back(value_of(source, source.substr(i + 1, close - i - 1)));
    }
    found.is_pointer = !found.extents.empty();
    return found;
  }
  return {};
}

}  // namespace gridstride::sim
