// What gridstride-supervisor is given by those who start it, and what it answers.
#pragma once

namespace gridstride {

/// The supervisor's descriptors. From `program` on they are the program's 0, 1, 2, 3, …; descriptor
/// 2 is our own standard error, for a supervisor that cannot even be loaded.
enum SupervisorDescriptor : int {
  supervisor_control = 0,  ///< closed by us to stop the program, as SIGTERM does
  supervisor_report = 1,   ///< one SupervisorReport
  supervisor_start = 3,    ///< a 0 of type int once it runs; then errno if the program cannot
  supervisor_program = 4,
};

/// What it writes once, when nothing of the program is left.
struct SupervisorReport {
  int wait_status = 0;   ///< of the program, as waitpid gives it
  bool stopped = false;  ///< the control pipe closed, or SIGTERM came, before the program ended
};

/// Its arguments; after them the folders that the program may write to, the variables, as
/// NAME=VALUE, and the program's command.
enum SupervisorArgument : int {
  supervisor_folder = 1,   ///< where the program starts
  supervisor_cpu_seconds,  ///< limits of each process; 0: none
  supervisor_file_bytes,   ///< of each file
  supervisor_processes,    ///< of the program's user
  supervisor_open_files,   ///< of each process
  supervisor_drop_root,    ///< 0 or 1
  supervisor_descriptors,  ///< how many descriptors the program gets
  supervisor_filter,       ///< 0, or 1: behind them stands a filter of system calls
  supervisor_group,        ///< 0, or 1: behind those stands the entrance of a control group
  supervisor_folders,      ///< how many there are; 0: no folder is closed to the program
  supervisor_variables,    ///< how many there are
  supervisor_fixed_arguments,
};

}  // namespace gridstride
