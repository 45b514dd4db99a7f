// toml++ keeps the source region of every node: that is where messages point.
#include "grader/course/toml_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/course/lab_config.h"

namespace gridstride {
namespace {

const char* kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

/// What stands in the file, short enough for a message.
std::string found(const toml::node& node) {
  if (node.is_table() || node.is_array()) return kind_of(node);
  std::ostringstream value;
  node.visit([&value](const auto& typed) { value << toml::node_view<const toml::node>(typed); });
  return std::string(kind_of(node)) + " (" + shorten(clean_text(value.str()), 40) + ")";
}

}  // namespace

TomlReader::TomlReader(const toml::table& table, std::string file, std::string what)
    : table_(table), file_(std::move(file)), what_(std::move(what)) {}

std::string TomlReader::text(const std::string& key) {
  return read_text(require(key, "a string"), key);
}

std::string TomlReader::text_or(const std::string& key, const std::string& otherwise) {
  const toml::node* node = find(key);
  return node == nullptr ? otherwise : read_text(*node, key);
}

bool TomlReader::flag(const std::string& key, bool otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_boolean())
    fail(node->source(), "expected true or false for '" + key + "', found " + found(*node));
  return node->value<bool>().value_or(false);
}

std::vector<std::string> TomlReader::texts(const std::string& key) {
  std::vector<std::string> all;
  const toml::node* node = find(key);
  if (node == nullptr) return all;
  const toml::array* array = node->as_array();
  if (array == nullptr)
    fail(node->source(), "expected an array of strings for '" + key + "', found " + found(*node));
  for (const toml::node& item : *array) all.push_back(read_text(item, key));
  return all;
}

std::map<std::string, double> TomlReader::numbers(const std::string& key,
                                                  const std::vector<std::string>& names) {
  std::map<std::string, double> all;
  const toml::node* node = find(key);
  if (node == nullptr) return all;
  const toml::table* table = node->as_table();
  if (table == nullptr)
    fail(node->source(), "expected a table of numbers for '" + key + "', found " + found(*node));
  if (!names.empty()) refuse_unknown(*table, names, "'" + key + "'");
  for (const auto& [name, value] : *table) {
    all[std::string(name.str())] = read_number(value, std::string(name.str()));
  }
  return all;
}

double TomlReader::number_or(const std::string& key, double otherwise) {
  const toml::node* node = find(key);
  return node == nullptr ? otherwise : read_number(*node, key);
}

double TomlReader::read_number(const toml::node& node, const std::string& key) const {
  const auto number = node.value<double>();
  if (!node.is_number() || !number || !std::isfinite(*number) || *number < 0)
    fail(node.source(),
         "expected a number that is not negative for '" + key + "', found " + found(node));
  return *number;
}

void TomlReader::tables(const std::string& key, const std::function<void(TomlReader&)>& visit) {
  const std::string what = "[[" + key + "]]";
  const toml::node& node = require(key, "at least one " + what);
  const toml::array* array = node.as_array();
  if (array == nullptr || array->empty())
    fail(node.source(), "expected at least one " + what + ", found " + found(node));
  for (const toml::node& item : *array) {
    const toml::table* table = item.as_table();
    if (table == nullptr)
      fail(item.source(), "expected tables in '" + key + "', found " + found(item));
    TomlReader reader(*table, file_, what);
    visit(reader);
    reader.finish();
  }
}

void TomlReader::finish() const { refuse_unknown(table_, {known_.begin(), known_.end()}, what_); }

void TomlReader::fail_at(const std::string& key, const std::string& message) const {
  const toml::node* node = table_.get(key);
  fail(node == nullptr ? table_.source() : node->source(), message);
}

std::string TomlReader::place_of(const std::string& key) const {
  const toml::node* node = table_.get(key);
  const toml::source_position& where =
      node == nullptr ? table_.source().begin : node->source().begin;
  return fmt::format("{}:{}:{}", file_, where.line, where.column);
}

const toml::node* TomlReader::find(const std::string& key) {
  known_.insert(key);
  return table_.get(key);
}

const toml::node& TomlReader::require(const std::string& key, const std::string& what) {
  const toml::node* node = find(key);
  if (node != nullptr) return *node;
  // A key that nobody knows may be this one, misspelt: then that is what to say.
  for (const auto& [name, value] : table_) {
    if (nearest_name(name.str(), {key}) == key && known_.count(std::string(name.str())) == 0)
      fail(name.source(),
           "expected the key '" + key + "' (" + what + "), found '" + clean_text(name.str()) + "'");
  }
  fail(table_.source(), "expected the key '" + key + "' (" + what + ") in " + what_);
}

std::string TomlReader::read_text(const toml::node& node, const std::string& key) const {
  const auto value = node.value_exact<std::string>();
  if (!value) fail(node.source(), "expected a string for '" + key + "', found " + found(node));
  if (value->empty()) fail(node.source(), "expected some text for '" + key + "', found none");
  return *value;
}

void TomlReader::refuse_unknown(const toml::table& table, const std::vector<std::string>& known,
                                const std::string& what) const {
  for (const auto& [name, value] : table) {
    const std::string key(name.str());
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string meant = nearest_name(key, known);
    fail(name.source(), "unknown key '" + clean_text(key) + "' in " + what + ": expected " +
                            (meant.empty() ? listed(known) : "'" + meant + "'"));
  }
}

void TomlReader::fail(const toml::source_region& where, const std::string& message) const {
  throw ConfigError(
      fmt::format("{}:{}:{}: {}", file_, where.begin.line, where.begin.column, message));
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const toml::source_position& where = error.source().begin;
    throw ConfigError(fmt::format("{}:{}:{}: expected TOML: {}", file, where.line, where.column,
                                  clean_text(error.description())));
  }
}

toml::table read_toml(const std::filesystem::path& file, const std::string& shown) {
  constexpr std::size_t most_bytes = 1 << 20;
  std::string text;
  try {
    text = read_file(file, most_bytes);
  } catch (const std::runtime_error& error) {
    throw ConfigError(shown + ": " + error.what());
  }
  return parse_toml(text, shown);
}

}  // namespace gridstride
