// Workers on this machine, how far they are, and how long it will take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grader/gradebook/gradebook.h"

namespace gridstride {

struct LocalOptions {
  std::filesystem::path results;
  int workers = 1;
  int jobs = 1;      ///< cores of each worker
  std::string host;  ///< that has the device; empty: this one
  int gpus = 0;  ///< that workers use, worker i the GPU i modulo this; 0 on the simulated device
};

/// Grades all open tasks, and shows how far it is (progress_report.h). Of workers that share a GPU one is
/// on it, and the others compile meanwhile. Throws Interrupted, when all workers have ended and all tasks
/// are written or open, and std::runtime_error when workers die again and again.
void run_local_workers(Gradebook& book, const LocalOptions& options);

}  // namespace gridstride
