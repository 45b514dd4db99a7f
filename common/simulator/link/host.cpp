// ssh does all that is hard: host keys, authentication, one connection for many device processes.
#include "common/simulator/link/host.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/simulator/link/programs.h"
#include "common/subprocess.h"

namespace gridstride::sim::link {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view prefix = "ssh:";
constexpr const char* cache = R"("${XDG_CACHE_HOME:-$HOME/.cache}/gridstride")";
/// Longer paths are none for a socket, and ssh puts some characters behind it.
constexpr std::size_t longest_socket_path = 80;
/// What ssh ends with when the connection is lost, or was never made.
constexpr int ssh_failed = 255;
/// What a lost connection interrupts is done again, so often in all.
constexpr int most_tries = 3;

/// What the host needs: itself and the devices, a real GPU's where that is built.
std::vector<std::string> files_in(const fs::path& programs) {
  std::vector<std::string> files = {link_program, device_program};
  std::error_code ignored;
  if (fs::exists(programs / gpu_device_program, ignored)) files.emplace_back(gpu_device_program);
  for (const std::string& name : files) {
    if (!fs::exists(programs / name, ignored))
      throw HostError(name + " is not built. Repair: build the target " + name +
                      " (./lab grade does it).");
  }
  return files;
}

std::string version_of(const fs::path& programs) {
  std::vector<std::string> command = {"bash", "-c", "cat -- \"$@\" | sha256sum", "bash"};
  for (const std::string& file : files_in(programs)) command.push_back((programs / file).string());
  const std::string digits = output_of(command).substr(0, 16);
  if (digits.size() != 16) throw HostError("There is no sha256sum. Repair: install coreutils.");
  return digits;
}

}  // namespace

bool is_host_name(const std::string& text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 127 &&
           std::string_view("'\"`$\\;&|<>(){}*?!,").find(c) == std::string::npos;
  });
}

std::string host_in(const std::string& device) {
  if (!device.starts_with(prefix)) return "";
  return device.substr(prefix.size(), device.find(',') - prefix.size());
}

std::string kind_in(const std::string& device) {
  if (!device.starts_with(prefix)) return device;
  const auto comma = device.find(',');
  return comma == std::string::npos ? "auto" : device.substr(comma + 1);
}

std::string device_of(const std::string& host, const std::string& kind) {
  return host.empty() ? kind : std::string(prefix) + host + "," + kind;
}

std::string simulated(const std::string& device) { return device_of(host_in(device), "sim"); }

std::string wrong_device(const std::string& device, const std::vector<std::string>& names) {
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const std::string kind = kind_in(device);
  if (is_known(device) || (is_host_name(host_in(device)) && (kind == "auto" || is_known(kind))))
    return "";
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return "expected " + known + " or ssh:HOST, found '" + device + "'";
}

LinkHost::LinkHost(std::string name, fs::path programs, Asking asking)
    : name_(std::move(name)),
      programs_(std::move(programs)),
      asking_(asking),
      version_(version_of(programs_)) {
  if (!is_host_name(name_)) throw HostError("'" + name_ + "' is no name of a host.");
  if (find_program("ssh").empty())
    throw HostError("There is no ssh. Repair: apt-get install openssh-client.");
  Said said = look();
  need_kind(said.kind);
  if (said.missing) {
    copy_programs();
    said = look();
  }
  if (!said.ready)
    throw HostError("The device programs do not run on " + name_ +
                    ": what is said above comes from there. They were built here, and need the C "
                    "library of this machine or a newer one. Repair: use a host that has it, or "
                    "build the course on a system as old as that.");
}

LinkHost::~LinkHost() {
  Subprocess close;
  close.command = ssh("", false);
  close.command.resize(close.command.size() - 3);  // --, the host, the script
  close.command.insert(close.command.end(), {"-O", "exit", "--", name_});
  close.hide_errors = true;
  close.on_line = [](std::string_view) {};
  try {
    run_process(close);
  } catch (const std::exception&) {
    // It closes by itself when nobody has used it for a minute.
  }
}

std::vector<std::string> LinkHost::ssh(const std::string& script, bool wants_to_ask) const {
  const bool may_ask = wants_to_ask && asking_ == Asking::allowed;
  const std::string socket = (folder_.path() / "c").string();
  const bool fits = socket.size() <= longest_socket_path;
  std::vector<std::string> words = {"ssh", "-T", "-a", "-x"};
  for (const std::string& option :
       {std::string(fits ? "ControlMaster=auto" : "ControlMaster=no"),
        "ControlPath=" + (fits ? socket : "none"), std::string("ControlPersist=60"),
        // A connection that is silent for a quarter of a minute is lost.
        std::string("ServerAliveInterval=5"), std::string("ServerAliveCountMax=3"),
        std::string("ConnectTimeout=20"), std::string("ClearAllForwardings=yes"),
        std::string(may_ask ? "BatchMode=no" : "BatchMode=yes"),
        // What keeps a later one from being made is said by the verdict.
        std::string(wants_to_ask ? "LogLevel=INFO" : "LogLevel=QUIET")}) {
    words.emplace_back("-o");
    words.push_back(option);
  }
  // Whatever shell the user has there, this is sh's.
  for (const std::string& word : {std::string("--"), name_, "exec sh -c '" + script + "'"})
    words.push_back(word);
  return words;
}

std::vector<std::string> LinkHost::running(const std::string& command) const {
  return ssh(std::string("exec ") + cache + "/" + version_ + "/bin/" + command, false);
}

std::vector<std::string> LinkHost::launcher() const {
  const std::vector<std::string> far = running(std::string(link_program) + " far");
  std::vector<std::string> words = {(programs_ / link_program).string(), "near",
                                    std::to_string(far.size())};
  words.insert(words.end(), far.begin(), far.end());
  return words;
}

std::string LinkHost::why_no_gpu() const {
  std::string words;
  Subprocess process;
  process.command = running(std::string(gpu_device_program) + " --why-not");
  process.merge_errors = true;
  process.on_line = [&words](std::string_view line) {
    if (words.empty()) words = line;
  };
  if (run_process(process).succeeded()) return "";
  return words.empty() ? "it does not say why" : words;
}

LinkHost::Said LinkHost::look() {
  for (int tries = 0; tries < most_tries; ++tries) {
    const Said said = look_once();
    reached_ = reached_ || !said.kind.empty();
    if (!said.lost) return said;
    if (!reached_) break;
  }
  throw HostError(
      name_ + " cannot be reached: what ssh says stands above. Repair: `ssh " + name_ +
      " true` has to work" +
      (asking_ == Asking::never
           ? " without a question, by a key that ssh-agent holds or that needs no passphrase"
           : "") +
      "; then run the command again.");
}

LinkHost::Said LinkHost::look_once() {
  Said said;
  const std::string folder = std::string(cache) + "/" + version_;
  Subprocess process;
  process.command =
      ssh("echo \"kind $(uname -s) $(uname -m)\"; echo \"cores $(nproc)\"; if test -x " + folder +
              "/bin/" + link_program + "; then touch " + folder + "; " + folder + "/bin/" +
              link_program + " check; else echo missing; fi",
          true);
  process.on_line = [&](std::string_view line) {
    constexpr std::string_view kind = "kind ", cores = "cores ";
    if (line.starts_with(kind)) said.kind = line.substr(kind.size());
    if (line.starts_with(cores))
      std::from_chars(line.data() + cores.size(), line.data() + line.size(), cores_);
    said.missing = said.missing || line == "missing";
    said.ready = said.ready || line == "ready";
  };
  said.lost = run_process(process).exit_code == ssh_failed;
  return said;
}

void LinkHost::need_kind(const std::string& kind) const {
  if (kind == "Linux x86_64") return;
  throw HostError("The device programs are for Linux on x86_64, and " + name_ + " is " +
                  (kind.empty() ? "something else" : kind) + ". Repair: name another host.");
}

void LinkHost::copy_programs() const {
  const std::string new_folder = std::string("\"$cache/.") + version_ + ".$$\"";
  const std::string folder = "\"$cache/" + version_ + "\"";
  // Copies that nobody has used for a month go.
  const std::string script =
      std::string("umask 077; cache=") + cache + "; mkdir -p \"$cache\" && mkdir -p " + new_folder +
      "/bin && tar -xz -C " + new_folder + "/bin && { mv -T " + new_folder + " " + folder +
      " 2>/dev/null || rm -rf " + new_folder + "; }; find \"$cache\" -mindepth 1 -maxdepth 1 " +
      "-mtime +30 -exec rm -rf {} +; test -x " + folder + "/bin/" + link_program;
  std::vector<std::string> command = {
      "bash", "-c",
      "set -o pipefail; folder=$1 files=$2; shift 2; tar -cz -C \"$folder\" $files | \"$@\"",
      "bash", programs_.string()};
  std::string files;
  for (const std::string& file : files_in(programs_)) files += (files.empty() ? "" : " ") + file;
  command.push_back(files);
  for (const std::string& word : ssh(script, true)) command.push_back(word);
  Subprocess copy;
  copy.command = command;
  int tries = 0, status = 0;
  do status = run_process(copy).exit_code;
  while (status == ssh_failed && ++tries < most_tries);
  if (status == 0) return;
  throw HostError(
      "The device programs could not be copied to ~/.cache/gridstride on " + name_ +
      ": what is said above comes from there. Repair: make room for 20 MiB there, or set "
      "XDG_CACHE_HOME for logins on it.");
}

}  // namespace gridstride::sim::link
