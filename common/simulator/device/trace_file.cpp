// See the header.
#include "common/simulator/device/trace_file.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr std::size_t largest_request = std::size_t{1} << 20;

TraceRequest read_request(const std::filesystem::path& file) {
  const json request =
      json::parse(read_file(file, largest_request), nullptr, /*allow_exceptions=*/false);
  return trace_request_of(request);
}

json dims(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& request) : recorder_(read_request(request)) {}

void TraceFile::begin_call(const std::vector<DeviceAddress>& arguments) {
  const TraceRequest& request = recorder_.request();
  recorder_.restart();
  launches_.clear();
  written_ = false;
  const auto argument = static_cast<std::size_t>(request.argument);
  const bool watches =
      request.argument >= 0 && argument < arguments.size() && arguments[argument] != 0;
  recorder_.watch(watches ? arguments[argument] + request.byte : 0);
}

void TraceFile::end_launch(const std::string& kernel, const LaunchRequest& request) {
  if (launches_.size() < most_launches) launches_.push_back({kernel, request.grid, request.block});
  if (written_) return;
  write();
  written_ = recorder_.trace().has_value();
}

void TraceFile::write() const {
  json launches = json::array();
  for (const Launch& launch : launches_)
    launches.push_back(
        {{"kernel", launch.kernel}, {"grid", dims(launch.grid)}, {"block", dims(launch.block)}});
  json writer, trace;
  if (const auto& last = recorder_.writer())
    writer = {{"launch", last->launch},
              {"kernel", last->kernel},
              {"block", dims(last->block)},
              {"thread", last->thread}};
  json earlier = json::array();
  for (const TraceEarlier& one : recorder_.earlier()) earlier.push_back(to_json(one));
  if (recorder_.trace()) trace = to_json(*recorder_.trace());
  const json all = {{"launches", std::move(launches)},
                    {"trace", std::move(trace)},
                    {"writer", std::move(writer)},
                    {"earlier", std::move(earlier)},
                    {"problem", recorder_.problem()}};
  write_file(recorder_.request().file, all.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace gridstride::sim
