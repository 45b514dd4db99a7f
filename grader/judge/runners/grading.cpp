// Where a stage's random numbers come from.
#include "grader/judge/runners/grading.h"

#include <string>

namespace gridstride {

RandomKey Grading::key(const std::string& stage, const std::string& source) const {
  const std::string name = lab.name + "/" + stage;
  if (gpu) return seed ? RandomKey::derived(*seed, name) : RandomKey::fresh();
  return RandomKey::derived(seed.value_or(0), name).with(source);
}

}  // namespace gridstride
