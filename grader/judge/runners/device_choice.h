// Which device grades: a GPU when one answers, else the simulated one.
#pragma once

#include <string>

#include "grader/judge/runners/grading.h"

namespace gridstride {

/// Sets grading.gpu, grading.device and grading.hardware from "auto", "gpu" or "sim". A GPU answers
/// when a runner that has loaded no student code says so. Throws CannotGrade when the device that
/// was asked for cannot be had.
void choose_device(Grading& grading, const std::string& wanted);

}  // namespace gridstride
