// A host that has the device: reached by OpenSSH, with the device programs of this course in its cache.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride::sim::link {

/// The host cannot be used; what() ends in the repair.
class HostError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whatever ssh takes for a host: a name from ~/.ssh/config, user@name. Nothing that it would take for an
/// option.
bool is_host_name(const std::string& text);

/// HOST of "ssh:HOST", which names a GPU of that host, or its simulated one where it has none, and of "ssh:HOST,gpu" and
/// "ssh:HOST,sim", which say which; empty for every other device.
std::string host_in(const std::string& device);
/// "gpu", "sim", or "auto" where that does not say which: of a device of this host, the device itself.
std::string kind_in(const std::string& device);
/// The device that kind_in() and host_in() take apart; of this host when `host` is empty.
std::string device_of(const std::string& host, const std::string& kind);
/// The same device, simulated, whatever GPU there is: "ssh:HOST,sim", "sim".
std::string simulated(const std::string& device);

/// What is wrong with the name of a device that is none of `names` and no "ssh:HOST", or says of a host's what is none of
/// `names`; empty: nothing is.
std::string wrong_device(const std::string& device, const std::vector<std::string>& names);

/// Whether ssh may ask for a password or a host's key.
enum class Asking { allowed, never };

class LinkHost {
 public:
  /// Connects, and asks on the terminal for what ssh asks for, where that is allowed. `programs` is the folder of ours: where
  /// the host has other ones, or none, they are copied to ~/.cache/gridstride/VERSION there. Throws
  /// HostError.
  LinkHost(std::string name, std::filesystem::path programs, Asking asking = Asking::allowed);
  /// Closes the connection.
  ~LinkHost();
  LinkHost(const LinkHost&) = delete;
  LinkHost& operator=(const LinkHost&) = delete;

  const std::string& name() const { return name_; }
  /// What stands before a device program's words, so that it runs there: DeviceProcessOptions::launcher.
  std::vector<std::string> launcher() const;
  /// Why no GPU answers there, in one line; empty where one does.
  std::string why_no_gpu() const;
  /// The words of a command that runs one of our programs there; `command` is its name and arguments, for a shell.
  std::vector<std::string> running(const std::string& command) const;
  /// Of the host; 1 where it does not say.
  int cores() const { return cores_; }

 private:
  struct Said {
    bool ready = false, missing = false;
    bool lost = false;  ///< the connection, before all was said
    std::string kind;   ///< "Linux x86_64"
  };
  std::vector<std::string> ssh(const std::string& script, bool wants_to_ask) const;
  /// What the host has. Throws HostError when it cannot be reached.
  Said look();
  Said look_once();
  void copy_programs() const;
  void need_kind(const std::string& kind) const;

  std::string name_;
  std::filesystem::path programs_;
  Asking asking_;
  std::string version_;            ///< of the programs: a hash of them
  TemporaryFolder folder_{"gs-"};  ///< of the connection's socket
  int cores_ = 1;
  bool reached_ = false;  ///< a connection was made once: one that is lost is made again
};

}  // namespace gridstride::sim::link
