// Reads a device profile and scales it down.
#include "common/simulator/model/profile.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/model/profile_texts.h"

namespace gridstride::sim {
namespace {

/// One table of the file: every key must be read, every value must be a positive number.
class Table {
 public:
  Table(const toml::table& table, std::string name, const std::string& file)
      : table_(table), name_(std::move(name)), file_(file) {}

  double number(const char* key) {
    known_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) fail(table_, "expected the number " + path(key) + ", which is missing");
    const auto value = node->value<double>();
    if (!node->is_number() || !value || !(*value > 0) || !(*value < 1e18)) {
      fail(*node, "expected " + path(key) + " to be a positive number");
    }
    return *value;
  }

  std::uint64_t integer(const char* key) {
    const double value = number(key);
    const toml::node& node = *table_.get(key);
    if (!node.is_integer()) fail(node, "expected " + path(key) + " to be a whole number");
    return static_cast<std::uint64_t>(value);
  }

  /// 0 when the device has no such thing.
  std::uint64_t integer_if_there(const char* key) {
    return table_.contains(key) ? integer(key) : 0;
  }

  std::uint32_t small(const char* key) {
    const std::uint64_t value = integer(key);
    if (value > 0x7fffffff) {
      fail(*table_.get(key), "expected " + path(key) + " to be below 2147483648");
    }
    return static_cast<std::uint32_t>(value);
  }

  std::string text(const char* key) {
    known_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) fail(table_, "expected the text " + path(key) + ", which is missing");
    if (!node->is_string()) fail(*node, "expected " + path(key) + " to be a text");
    return **node->as_string();
  }

  Table table(const char* key) {
    known_.insert(key);
    const toml::table* inner = table_[key].as_table();
    if (inner == nullptr) fail(table_, "expected the table [" + path(key) + "], which is missing");
    return Table(*inner, path(key) + ".", file_);
  }

  /// A misspelt key would otherwise silently leave a figure unused.
  void finish() const {
    for (const auto& [key, node] : table_) {
      if (!known_.contains(key.str())) {
        fail(node, "unknown key " + name_ + std::string(key.str()));
      }
    }
  }

 private:
  std::string path(const char* key) const { return name_ + key; }

  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw ProfileError(fmt::format("{}:{}: {}", file_, node.source().begin.line, message));
  }

  const toml::table& table_;
  std::string name_;
  const std::string& file_;
  std::set<std::string, std::less<>> known_;
};

MultiprocessorLimits read_limits(Table table) {
  MultiprocessorLimits limits;
  limits.threads = table.small("threads");
  limits.blocks = table.small("blocks");
  limits.registers = table.small("registers");
  limits.l1_bytes = table.integer("l1_bytes");
  limits.shared_bytes = table.integer("shared_bytes");
  limits.shared_per_block = table.integer("shared_per_block");
  limits.shared_per_block_optin = table.integer("shared_per_block_optin");
  limits.shared_reserved = table.integer_if_there("shared_reserved");
  limits.shared_granularity = table.integer("shared_granularity");
  limits.register_granularity = table.small("register_granularity");
  limits.threads_per_block = table.small("threads_per_block");
  limits.registers_per_thread = table.small("registers_per_thread");
  table.finish();
  return limits;
}

LatencyTable read_latency(Table table) {
  LatencyTable latency;
  latency.arithmetic = table.number("arithmetic");
  latency.special = table.number("special");
  latency.double_precision = table.number("double_precision");
  latency.shared = table.number("shared");
  latency.constant = table.number("constant");
  latency.global_dram = table.number("global_dram");
  latency.global_l1 = table.number("global_l1");
  latency.constant_load = table.number("constant_load");
  latency.constant_cycles = table.number("constant_cycles");
  latency.constant_miss = table.number("constant_miss");
  latency.texture = table.number("texture");
  latency.global_l2 = table.number("global_l2");
  latency.shared_atomic = table.number("shared_atomic");
  latency.global_atomic = table.number("global_atomic");
  latency.shuffle = table.number("shuffle");
  latency.barrier = table.number("barrier");
  latency.barrier_warp = table.number("barrier_warp");
  latency.branch = table.number("branch");
  latency.guard = table.number("guard");
  latency.shared_cas_iteration = table.number("shared_cas_iteration");
  latency.match_value = table.number("match_value");
  latency.shared_wavefront = table.number("shared_wavefront");
  latency.global_sector = table.number("global_sector");
  latency.global_line = table.number("global_line");
  latency.line_there = table.number("line_there");
  latency.line_missing = table.number("line_missing");
  latency.device_launch = table.number("device_launch");
  latency.device_launch_lane = table.number("device_launch_lane");
  table.finish();
  return latency;
}

/// Bandwidths of the memory system, of the whole device times `scale`.
void read_throughput(Table table, double scale, Throughputs& out) {
  out.dram_read = table.number("dram_read") * scale;
  // Copying moves as many bytes in as out: 2 / copy = 1 / read + 1 / write.
  const double copy = table.number("dram_copy") * scale;
  out.dram_write = 1 / (2 / copy - 1 / out.dram_read);
  out.l2 = table.number("l2") * scale;
  out.l2_lines = table.number("l2_lines") * scale;
  out.l2_rewrites = table.number("l2_rewrites") * scale;
  out.l2_atomics = table.number("l2_atomics") * scale;
  out.dram_lone_reads = table.number("dram_lone_reads") * scale;
  out.l2_atomics_sector = table.number("l2_atomics_sector") * scale;
  out.l2_atomics_float_sector = table.number("l2_atomics_float_sector") * scale;
  out.l2_atomics_piece = table.number("l2_atomics_piece") * scale;
  table.finish();
}

/// Rates of the multiprocessors: `clocks` is their number times the clock.
void read_per_clock(Table table, double clocks, Throughputs& out) {
  out.issue = table.number("issue") * clocks;
  out.float_issue = table.number("float_issue") * clocks;
  out.integer_issue = table.number("integer_issue") * clocks;
  out.logic_issue = table.number("logic_issue") * clocks;
  out.product_issue = table.number("product_issue") * clocks;
  out.double_issue = table.number("double_issue") * clocks;
  out.special_issue = table.number("special_issue") * clocks;
  out.wavefronts = table.number("wavefronts") * clocks;
  out.cas_iterations = table.number("cas_iterations") * clocks;
  out.cas_passes = table.number("cas_passes") * clocks;
  out.contended_cas_iterations = table.number("contended_cas_iterations") * clocks;
  out.contended_cas_tries = table.number("contended_cas_tries") * clocks;
  out.constant_passes = table.number("constant_passes") * clocks;
  out.constant_lines = table.number("constant_lines") * clocks;
  out.constant_line_loads = table.number("constant_line_loads") * clocks;
  out.constant_misses_apart = table.number("constant_misses_apart") * clocks;
  out.texture_passes = table.number("texture_passes") * clocks;
  out.loads = table.number("loads") * clocks;
  out.store_lines = table.number("store_lines") * clocks;
  out.store_sectors = table.number("store_sectors") * clocks;
  out.blocks = table.number("blocks") * clocks;
  table.finish();
}

void fill_properties(const DeviceProfile& profile, DeviceProperties& out) {
  const MultiprocessorLimits& limits = profile.limits;
  out.shared_per_block = limits.shared_per_block;
  out.shared_per_block_optin = limits.shared_per_block_optin;
  out.shared_per_multiprocessor = limits.shared_bytes;
  out.registers_per_multiprocessor = limits.registers;
  out.warps_per_multiprocessor = limits.threads / 32;
  out.blocks_per_multiprocessor = limits.blocks;
  out.clock_khz = static_cast<std::uint32_t>(profile.clock_hz / 1000);
}

}  // namespace

DeviceProfile parse_profile(std::string_view toml, const std::string& name, Scale size) {
  toml::table parsed;
  try {
    parsed = toml::parse(toml, name);
  } catch (const toml::parse_error& error) {
    throw ProfileError(
        fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
  }
  Table root(parsed, "", name);
  DeviceProfile profile;
  DeviceProperties& properties = profile.properties;
  properties.name = root.text("name");
  properties.capability = root.small("capability");
  const double real = root.small("multiprocessors");
  properties.multiprocessors = root.small("simulated_multiprocessors");
  if (size == Scale::whole) {
    properties.multiprocessors = static_cast<std::uint32_t>(real);
    properties.name += ", whole";
  }
  const double scale = properties.multiprocessors / real;
  profile.clock_hz = root.number("clock_hz");
  properties.memory_clock_khz = root.small("memory_clock_khz");
  properties.memory_bus_bits = root.small("memory_bus_bits");
  properties.global_memory = root.integer("global_memory");
  const auto lines_of = [&](const char* key) {
    const auto bytes = static_cast<double>(root.integer(key)) * scale;
    return static_cast<std::uint64_t>(bytes) / 128 * 128;
  };
  properties.l2_bytes = lines_of("l2_bytes");
  profile.l2_held_bytes = lines_of("l2_held_bytes");
  profile.limits = read_limits(root.table("multiprocessor"));
  read_throughput(root.table("throughput"), scale, profile.throughput);
  read_per_clock(root.table("per_clock"), properties.multiprocessors * profile.clock_hz,
                 profile.throughput);
  profile.latency = read_latency(root.table("latency"));
  Table cost = root.table("cost");
  profile.launch_seconds = cost.number("launch_seconds");
  profile.following_launch_seconds = cost.number("following_launch_seconds");
  profile.host_launch_seconds = cost.number("host_launch_seconds");
  profile.device_launch_start = cost.number("device_launch_start");
  profile.device_launch_interval = cost.number("device_launch_interval");
  profile.transfer_seconds = cost.number("transfer_seconds");
  profile.throughput.host_copy = cost.number("host_copy") * scale;
  profile.throughput_norm = cost.number("throughput_norm");
  profile.latency_norm = cost.number("latency_norm");
  profile.queue_norm = cost.number("queue_norm");
  cost.finish();
  root.finish();
  fill_properties(profile, properties);
  return profile;
}

DeviceProfile load_profile(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw ProfileError(file.string() + ": the device profile cannot be read");
  return parse_profile(text.str(), file.string());
}

DeviceProfile default_profile() { return parse_profile(h200_profile_toml, "h200.toml"); }

namespace {

struct NamedProfile {
  const char* name;
  std::string_view toml;
};
constexpr NamedProfile named_profiles[] = {
    {"h200", h200_profile_toml}, {"a100", a100_profile_toml}, {"t4", t4_profile_toml}};

}  // namespace

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const NamedProfile& profile : named_profiles) names.emplace_back(profile.name);
  return names;
}

DeviceProfile profile_named(const std::string& name) {
  for (const NamedProfile& profile : named_profiles) {
    const std::string file = std::string(profile.name) + ".toml";
    if (name == profile.name) return parse_profile(profile.toml, file);
    if (name == std::string(profile.name) + "-whole") {
      return parse_profile(profile.toml, file, Scale::whole);
    }
  }
  if (!std::filesystem::exists(name)) {
    std::string known;
    for (const std::string& each : profile_names()) known += " " + each;
    throw ProfileError("there is no device profile '" + name + "': neither a file nor one of" +
                       known);
  }
  return load_profile(name);
}

}  // namespace gridstride::sim
