// What grade-<lab> --trace wrote of a stage, with its words and sources, ready to be shown.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/simulator/playback/playback.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {

/// The launch that was asked for: `recorded` is what the device wrote (device/trace_file.h). Throws UsageError
/// with the launches there were where it was not among them.
sim::Playback playback_of(const nlohmann::json& recorded, sim::Watched watched,
                          const TraceOptions& options);

/// Of a stage called `title`; nothing where no kernel ran. `headers` is the lab's folder of skeletons, whose
/// headers may be shown. Throws as above.
std::optional<sim::Playback> playback_of_stage(const nlohmann::json& entry,
                                               const std::string& title,
                                               const std::filesystem::path& headers,
                                               const TraceOptions& options);

}  // namespace gridstride::cli
