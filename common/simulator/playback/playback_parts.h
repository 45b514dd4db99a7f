// What every page that plays a recording holds, as text: the files of page/, scripts one behind the other.
#pragma once

#include <string_view>

namespace gridstride::sim {

extern const std::string_view playback_style, playback_script;

}  // namespace gridstride::sim
