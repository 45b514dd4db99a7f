// The judge's end of a device process: the simulated GPU where student code cannot reach it.
//
// One DeviceProcess is one `gridstride-device`: a GPU of its own, with its own memory, errors and
// timeline. The runner gets the client socket and may send it anything. Inputs and outputs of a call
// lie in memory that only judge and device map; when it begins and ends, and what it took (modelled
// seconds, counters, findings), is said over a second socket. The runner never sees either.
//
//     DeviceProcess device({.program = "bin/gridstride-device"});
//     start_runner(device.client_fd());       // GRIDSTRIDE_SIM_SOCKET=<fd> in its environment
//     device.close_client();                  // the runner has its copy
//     const auto memory = device.share(bytes);           // put the inputs there
//     const auto addresses = device.begin_call(regions);  // the clock runs
//     … let the runner make one call with these addresses …
//     CallReport call = device.end_call();               // it stands; the outputs are in `memory`
//
// The device process is single-threaded: it answers control requests between the client's calls, in
// the order in which they arrive. While a kernel runs, an answer waits for its end; a kernel that
// does not end runs into `instruction_budget`, or the request into its timeout, and then kill() is
// the remedy.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/device/device.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

/// The device process could not be started, has died (what() says how) or broke the protocol.
class DeviceProcessError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// It could not do what the judge asked.
class DeviceProcessRefused : public DeviceProcessError {
 public:
  DeviceProcessRefused(const std::string& message, int code)
      : DeviceProcessError(message), code_(code) {}
  int code() const { return code_; }  ///< cudaError_t

 private:
  int code_;
};

/// The device process did not answer in time, most likely because a kernel of the client runs.
class DeviceProcessTimeout : public DeviceProcessError {
 public:
  using DeviceProcessError::DeviceProcessError;
};

/// The connection to another host, on which the device process is, was lost.
class DeviceLinkLost : public DeviceProcessError {
 public:
  using DeviceProcessError::DeviceProcessError;
};

/// What stands in for a device process on another host ends so when the connection is lost: sysexits' EX_TEMPFAIL.
inline constexpr int link_lost_status = 75;

struct DeviceProcessOptions {
  std::filesystem::path program;  ///< gridstride-device
  /// Words before the program's, and whose device it is then: see link/near_end.h. Empty: this host's.
  std::vector<std::string> launcher;
  std::string host;
  std::string profile;                        ///< as profile_named() takes it; empty: the default
  std::uint64_t schedule_seed = 0;            ///< 0: blocks and warps in launch order
  std::uint64_t instruction_budget = 0;       ///< warp instructions of one launch; 0: no limit
  std::chrono::milliseconds timeout{20'000};  ///< for each request, the first included
  std::vector<std::string> options;           ///< more words behind the program's
  std::filesystem::path trace;                ///< a TraceRequest; empty: nothing is recorded
  bool silent = false;                        ///< what it says on standard error is dropped
};

/// A device program that was started, and whose sockets and memory are whoever started it's.
struct StartedDevice {
  pid_t pid = -1;            ///< to be reaped
  UniqueFd client, control;  ///< our ends
};
/// What DeviceProcess begins with. Throws DeviceProcessError.
StartedDevice start_device(const DeviceProcessOptions& options, const SharedBytes& shared);

/// Starts the process, and kills and reaps it in the end. Not thread-safe; movable.
class DeviceProcess {
 public:
  explicit DeviceProcess(const DeviceProcessOptions& options);
  ~DeviceProcess();
  DeviceProcess(DeviceProcess&& other) noexcept;
  DeviceProcess& operator=(DeviceProcess&& other) noexcept;

  /// The socket that one runner uses; close-on-exec, so the runner's starter must pass it on
  /// (dup2 in posix_spawn file actions clears the flag). -1 after close_client().
  int client_fd() const { return client_.get(); }
  /// Closes this process's copy; the runner keeps its own.
  void close_client() { client_.reset(); }

  /// Of the modelled GPU.
  const DeviceProperties& properties() const { return properties_; }

  /// The first `bytes` of the memory that this process and the device share, and nobody else. They
  /// are to be left alone between begin_call() and end_call(). Throws DeviceProcessError.
  std::span<std::byte> share(std::uint64_t bytes);
  /// As Device's. Throws DeviceProcessRefused (no memory; an earlier error that sticks),
  /// DeviceProcessError, DeviceProcessTimeout.
  std::vector<DeviceAddress> begin_call(const std::vector<CallRegion>& regions);
  /// As Device's. Throws DeviceProcessError, DeviceProcessTimeout.
  CallReport end_call();

  /// False once it has ended, for whatever reason.
  bool alive();
  /// Throws DeviceLinkLost where that was the reason.
  void check_link();
  /// Ends it at once; all later requests fail.
  void kill() noexcept;
  pid_t pid() const { return pid_; }

 private:
  /// One request and its reply. Throws DeviceProcessError, DeviceProcessTimeout.
  template <auto function, class... Arguments>
  auto call(const Arguments&... arguments);
  std::vector<std::byte> ask(std::uint16_t number, const std::vector<std::byte>& payload);
  [[noreturn]] void throw_ended();
  void note_link(int status);

  std::string host_;
  bool link_lost_ = false;
  pid_t pid_ = -1;
  UniqueFd client_, control_;
  SharedBytes shared_ = SharedBytes::create();
  std::chrono::milliseconds timeout_{0};
  DeviceProperties properties_;
};

}  // namespace gridstride::sim
