// What every page holds, as text: the files of page/ and third_party/chart.js.
#pragma once

#include <string_view>

namespace gridstride::sim {

extern const std::string_view page_style, page_script, chart_library, chart_license;

}  // namespace gridstride::sim
