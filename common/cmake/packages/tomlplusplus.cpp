// What the course uses of toml++.
#include <toml++/toml.h>

#include <string>

long run(const std::string& file) {
  try {
    const toml::table lab = toml::parse_file(file);
    long sum = 0;
    for (const auto& [key, node] : lab)
      if (node.type() == toml::node_type::integer)
        sum += node.value<long>().value_or(0) + static_cast<long>(node.source().begin.line) +
               static_cast<long>(key.length());
    if (const toml::array* stages = lab["stages"].as_array())
      sum += static_cast<long>(stages->size());
    return sum;
  } catch (const toml::parse_error& error) {
    return static_cast<long>(error.source().begin.line);
  }
}
