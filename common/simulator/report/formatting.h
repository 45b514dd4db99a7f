// Figures in sentences, the same way in every report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gridstride::sim {

std::string seconds_text(double seconds);              ///< "12.34 us"
std::string percent_text(double share);                ///< 0.5: "50 %"; below 1 %: "0.4 %"
std::string count_text(double count);                  ///< "4096", "4.2 million"
std::string bytes_text(double bytes);                  ///< "512 bytes", "48 KiB"
std::string number_text(double number);                ///< three digits: "3.5", "32"
std::string rate_text(double rate, const char* unit);  ///< "134 GB/s"
/// The file's name without its folders.
std::string base_name(std::string_view path);
/// A kernel's name with its template's arguments, without its parameters and "(anonymous
/// namespace)::". Left out in the middle where it is longer than 100 bytes.
std::string short_kernel(const std::string& kernel);
/// "line 18", with the file's name where it is not the kernel's main one.
std::string line_text(std::string_view file, std::uint64_t line, std::string_view main_file);

}  // namespace gridstride::sim
