// Points.
//
// Correctness: all of its points when every case passes. A kernel that is wrong, crashes, hangs or
// runs out of memory in some cases gets half of them times the share of cases that pass: a part of
// the way is worth something, being right is worth more. Nothing for the untouched skeleton, for
// what does not compile and for what is suspicious.
//
// Speed: only for what is right. The points grow evenly from the baseline's speed (a speedup of 1)
// to the required speedup; where no more than the baseline's speed is required, from 0 to what is
// required. Each limit that is not met takes its equal share of them away, but for the one on
// device_to_host_bytes, which takes all: what the host did with these bytes is in no time, so there
// is no speed to give points for.
#pragma once

#include "grader/course/lab_config.h"
#include "grader/report/results.h"

namespace gridstride {

/// Of a stage with `verdict`, `cases`, `speedup` and `limits` filled in.
double score(const StageConfig& config, const StageResult& result);

/// Share of the speed points, 0 to 1, for a speedup; 1 when nothing is required.
double speed_share(double speedup, double required);

}  // namespace gridstride
