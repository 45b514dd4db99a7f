// Workers on a cluster: a job array of Slurm's, whose tasks draw from the same gradebook.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/gradebook/gradebook.h"

namespace gridstride {

struct SlurmOptions {
  std::filesystem::path results;
  int workers = 1;                  ///< tasks of the array
  bool on_gpu = false;              ///< each asks for one GPU
  std::vector<std::string> sbatch;  ///< options for sbatch, as they are: "--partition=main"
};

/// Submits the array and waits until all tasks are graded. A worker that is lost, with its node or
/// without, gives its task back: at once where its process is known to be gone, else when it has said nothing for
/// two minutes; where no worker is left, the array is submitted again. Throws Interrupted, after the array has
/// been cancelled, and std::runtime_error where sbatch refuses, or an array ends and has graded nothing.
void run_slurm_workers(Gradebook& book, const SlurmOptions& options);

}  // namespace gridstride
