// For tests: OpenSSH's server as an ordinary process on a port of this machine, with keys of its own, and an
// `ssh` that knows it as the host gpu1.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/unique_fd.h"

namespace gridstride {

class TestSshd {
 public:
  static std::filesystem::path program() {
    return std::filesystem::exists("/usr/sbin/sshd") ? std::filesystem::path("/usr/sbin/sshd")
                                                     : find_program("sshd");
  }

  /// Programs are kept in `cache` there; empty: in a folder of its own. `environment` is what they find, NAME=VALUE.
  explicit TestSshd(std::filesystem::path cache = {}, const std::string& environment = {})
      : cache_(std::move(cache)) {
    if (cache_.empty()) cache_ = folder_.path() / "cache";
    const std::string home = folder_.path().string() + "/", port = std::to_string(free_port());
    for (const char* key : {"host", "user"})
      run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home + key});
    write_file(home + "sshd.conf", "Port " + port + "\nListenAddress 127.0.0.1\nHostKey " + home +
                                       "host\nAuthorizedKeysFile " + home +
                                       "user.pub\nPidFile none\nStrictModes no\nUsePAM no\n"
                                       "PasswordAuthentication no\nPermitRootLogin yes\n"
                                       "SetEnv XDG_CACHE_HOME=" +
                                       cache_.string() + " " + environment + "\n");
    write_file(home + "ssh.conf", "Host gpu1\n  HostName 127.0.0.1\n  Port " + port +
                                      "\n  IdentityFile " + home +
                                      "user\n  IdentitiesOnly yes\n  UserKnownHostsFile " + home +
                                      "known\n  StrictHostKeyChecking accept-new\n");
    std::filesystem::create_directories(bin());
    write_file(bin() / "ssh", "#!/bin/sh\nexec /usr/bin/ssh -F '" + home + "ssh.conf' \"$@\"\n");
    std::filesystem::permissions(bin() / "ssh", std::filesystem::perms(0755));
    if (::geteuid() == 0) std::filesystem::create_directories("/run/sshd");  // it insists
    start();
    for (int i = 0; i < 200; ++i) {
      if (!output_of({(bin() / "ssh").string(), "-q", "gpu1", "echo", "yes"}).empty()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw std::runtime_error("sshd does not answer");
  }
  ~TestSshd() { stop(); }
  TestSshd(const TestSshd&) = delete;
  TestSshd& operator=(const TestSshd&) = delete;

  /// Its `ssh` lies there.
  std::filesystem::path bin() const { return folder_.path() / "bin"; }
  const std::filesystem::path& cache() const { return cache_; }

  /// Ends all connections. How many there were.
  int drop_connections() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream file(entry.path() / "stat");
      std::string text, state;
      std::getline(file, text);
      std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
      pid_t parent = 0;
      if (rest >> state >> parent && parent == pid_ && state != "Z")
        count += ::kill(std::stoi(name), SIGKILL) == 0 ? 1 : 0;
    }
    return count;
  }
  /// Nobody can connect any more.
  void stop() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGSTOP);  // nobody new, while those that are there are ended
    drop_connections();
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  static void run(const std::vector<std::string>& command) {
    Subprocess process;
    process.command = command;
    if (!run_process(process).succeeded()) throw std::runtime_error(command[0] + " failed");
  }
  static int free_port() {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd.get(), plain, size) != 0 || ::getsockname(fd.get(), plain, &size) != 0)
      throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
  }
  void start() {
    const std::string config = (folder_.path() / "sshd.conf").string(),
                      log = (folder_.path() / "log").string(), program = TestSshd::program();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::execl(program.c_str(), program.c_str(), "-D", "-E", log.c_str(), "-f", config.c_str(),
            static_cast<char*>(nullptr));
    ::_exit(127);
  }

  TemporaryFolder folder_;
  std::filesystem::path cache_;
  pid_t pid_ = -1;
};

}  // namespace gridstride
