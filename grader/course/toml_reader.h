// Reads a TOML table key by key, with errors that say where, what was expected and what was found.
//
// Included by the sources that read a file alone, and by no header: toml++ is seen nowhere else.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// One table of a TOML file. Every key that is read counts as known; finish() refuses the others,
/// so a slip of the pen is an error and not a silent default. All errors are ConfigErrors.
class TomlReader {
 public:
  /// `file` is how messages name the file, `what` how they name the table: "[[stage]]".
  TomlReader(const toml::table& table, std::string file, std::string what);

  /// A string that is not empty.
  std::string text(const std::string& key);
  /// The same, or `otherwise` when the key is missing.
  std::string text_or(const std::string& key, const std::string& otherwise);
  /// true or false; `otherwise` when the key is missing.
  bool flag(const std::string& key, bool otherwise = false);
  /// A number that is not negative, or `otherwise` when the key is missing.
  double number_or(const std::string& key, double otherwise);
  /// An array of strings that are not empty; an empty array when the key is missing.
  std::vector<std::string> texts(const std::string& key);
  /// A table of numbers, none negative; an empty one when the key is missing. Where `names` is not
  /// empty those are the only keys allowed.
  std::map<std::string, double> numbers(const std::string& key,
                                        const std::vector<std::string>& names = {});
  /// Calls `visit` for each table of an array that holds at least one.
  void tables(const std::string& key, const std::function<void(TomlReader&)>& visit);

  /// Refuses keys that nobody asked for, and names the nearest one that somebody did.
  void finish() const;

  /// Throws "file:line:column: message", at the value of `key`, or at the table where it is
  /// missing.
  [[noreturn]] void fail_at(const std::string& key, const std::string& message) const;
  /// "file:line:column" of the same, for what shows to be wrong later.
  std::string place_of(const std::string& key) const;

 private:
  const toml::node* find(const std::string& key);
  const toml::node& require(const std::string& key, const std::string& what);
  double read_number(const toml::node& node, const std::string& key) const;
  std::string read_text(const toml::node& node, const std::string& key) const;
  void refuse_unknown(const toml::table& table, const std::vector<std::string>& known,
                      const std::string& what) const;
  [[noreturn]] void fail(const toml::source_region& where, const std::string& message) const;

  const toml::table& table_;
  std::string file_, what_;
  std::set<std::string> known_;
};

/// Parses `text`; syntax errors are ConfigErrors in the same form.
toml::table parse_toml(std::string_view text, const std::string& file);
/// The same with a whole file, of 1 MiB at most, which messages call `shown`; one that cannot be read is a
/// ConfigError as well.
toml::table read_toml(const std::filesystem::path& file, const std::string& shown);

}  // namespace gridstride
