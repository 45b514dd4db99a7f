// Where a stage's random numbers come from.
#include "grader/judge/grading.h"

#include "common/files.h"

namespace gridstride {

RandomKey Grading::key(const std::string& stage, const std::filesystem::path& library) const {
  const std::string name = lab.name + "/" + stage;
  if (gpu) return seed ? RandomKey::derived(*seed, name) : RandomKey::fresh();
  return RandomKey::derived(seed.value_or(0), name).with(read_file(library, std::size_t{1} << 30));
}

}  // namespace gridstride
