// Which device grades: a GPU when one answers, else the simulated one.
#pragma once

#include <string>

#include "grader/judge/runners/grading.h"

namespace gridstride {

/// Sets grading.gpu, grading.device and grading.hardware from "auto", "gpu", "sim" or "ssh:HOST", and for the last the
/// installation's host. A GPU answers
/// when the device process that drives it says what it is. Throws CannotGrade when the device that
/// was asked for cannot be had.
void choose_device(Grading& grading, const std::string& wanted);

/// "a GPU", "the simulated GPU of gpu1".
std::string kind_of_device(const Grading& grading);
/// Of the simulated device, where nobody says how many.
int calls_at_once(const Grading& grading);

/// Sets grading.thresholds of a real device from thresholds/ of the tree, where there are any. Throws
/// ConfigError.
void choose_thresholds_for(Grading& grading);

}  // namespace gridstride
