// A signal handler may call little: no memory is taken here, and folders are read by the system call itself.
#include "common/removed_on_signal.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

namespace gridstride {

namespace {

struct Folder {
  std::string path;
  pid_t owner;
};

constexpr std::array endings{SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGPIPE, SIGTERM, SIGXCPU};

std::array<std::atomic<Folder*>, 256> folders{};
std::mutex of_list;  ///< which the handler does without
static_assert(std::atomic<Folder*>::is_always_lock_free);

/// All that is in `folder`, as far as that can be removed; whether anything was.
bool empty_once(int folder) {
  bool removed = false;
  ::lseek(folder, 0, SEEK_SET);
  alignas(dirent64) char entries[4096];
  for (;;) {
    const long size = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (size <= 0) return removed;
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      const char* const name = entry->d_name;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      if (::unlinkat(folder, name, 0) == 0) {
        removed = true;
        continue;
      }
      const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) continue;
      while (empty_once(inner)) {
      }
      ::close(inner);
      removed |= ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
    }
  }
}

/// Other threads and children may still write for a moment.
void remove_folder(const char* path) {
  constexpr int tries = 20;
  constexpr timespec pause{0, 5'000'000};
  for (int i = 0; i < tries; ++i) {
    const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    while (empty_once(folder)) {
    }
    ::close(folder);
    if (::rmdir(path) == 0) return;
    ::nanosleep(&pause, nullptr);
  }
}

void on_signal(int signal) {
  const int error = errno;
  const pid_t self = ::getpid();
  for (auto& place : folders) {
    const Folder* const folder = place.exchange(nullptr);  // whose memory nobody frees any more
    if (folder != nullptr && folder->owner == self) remove_folder(folder->path.c_str());
  }
  errno = error;
  ::raise(signal);  // what it does by itself comes when this function has returned: SA_RESETHAND
}

/// Only where the signal would end the process.
void listen() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : endings) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

EndingSignalsWait::EndingSignalsWait() {
  sigset_t all;
  ::sigemptyset(&all);
  for (const int signal : endings) ::sigaddset(&all, signal);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

EndingSignalsWait::~EndingSignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void remove_on_signal(const std::string& folder) {
  const std::lock_guard<std::mutex> guard(of_list);
  auto* const entry = new Folder{folder, ::getpid()};
  for (auto& place : folders) {
    Folder* nothing = nullptr;
    if (!place.compare_exchange_strong(nothing, entry)) continue;
    listen();
    return;
  }
  delete entry;  // so many at once: this one is left behind
}

void removed_otherwise(const std::string& folder) {
  const std::lock_guard<std::mutex> guard(of_list);
  for (auto& place : folders) {
    Folder* entry = place.load();
    if (entry == nullptr || entry->path != folder) continue;
    if (place.compare_exchange_strong(entry, nullptr)) delete entry;
    return;
  }
}

}  // namespace gridstride
