// A figure where it is shown: in a page of Markdown, whose words about it come from the recording too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/simulator/playback/figure.h"

namespace gridstride::cli {

/// `page` with alt text and caption as `figure` has them: each line "![…](figures/NAME.svg)" gets the alt text, and the
/// paragraph in italics under it is the caption. Empty where the page does not show it.
std::string with_figure(const std::string& page, const std::string& name,
                        const sim::DrawnFigure& figure);

/// The same for the pages beside the folder `figures` that `svg` is in, where it is in one: those that show it.
std::vector<std::filesystem::path> update_pages(const std::filesystem::path& svg,
                                                const sim::DrawnFigure& figure);

}  // namespace gridstride::cli
