// What a program asks for and the simulated GPU does not know.
#pragma once

#include <stdexcept>
#include <string>

namespace gridstride::sim {

/// Thrown where it is met, often without knowing the place: who knows it catches, and throws it
/// again with the place. what() of one that has a place is a sentence for the user: "the special
/// register %x in k, line 41 of kernel.cu (PTX line 90) is not supported by the simulated GPU".
class Unsupported : public std::runtime_error {
 public:
  /// `feature`: "the special register %x".
  explicit Unsupported(const std::string& feature)
      : std::runtime_error(feature), feature_(feature) {}
  /// `place`: "k, line 41 of kernel.cu". `advice`, what to do instead, may be empty.
  Unsupported(const std::string& feature, const std::string& place, const std::string& advice = "")
      : std::runtime_error(feature + " in " + place + " is not supported by the simulated GPU" +
                           (advice.empty() ? "" : ": " + advice)),
        feature_(feature),
        place_(place) {}

  const std::string& feature() const { return feature_; }
  /// Kernel, source line and line of the PTX, as far as they are known; empty: not yet.
  const std::string& place() const { return place_; }

 private:
  std::string feature_, place_;
};

}  // namespace gridstride::sim
