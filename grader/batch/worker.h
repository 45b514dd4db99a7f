// A process that draws tasks from a gradebook until there are none: one of several on this machine, or one
// of an array on several.
#pragma once

#include <filesystem>
#include <string>

#include "grader/gradebook/gradebook.h"

namespace gridstride {

struct WorkerOptions {
  std::filesystem::path results;
  int jobs = 1;  ///< cores that are this worker's
  int gpu = -1;  ///< of several GPUs the one that is used; -1: as the environment says
  std::filesystem::path gpu_lock;  ///< see GradingRoom
  std::string host;                ///< see GradingRoom
  std::int64_t parent = 0;         ///< the worker ends with this process; 0: with none
};

/// Grades until no task is open and none is in other workers' hands: theirs come back when they die.
/// Returns the exit code; throws Interrupted, and then its task is open again.
int run_worker(const WorkerOptions& options);

/// This machine's name in gradebooks.
std::string host_name();
/// Whether the process of a worker on this machine is there still.
bool lives(const Worker& worker);
/// Opens the tasks of workers that are gone, and removes their temporary files from this machine.
void bury_workers(Gradebook& book);

}  // namespace gridstride
