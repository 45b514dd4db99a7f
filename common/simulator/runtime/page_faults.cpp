// The handler runs on the thread that touched the page, in the middle of its code, whatever that
// is. So it asks without a lock, and answers with calls that POSIX allows in a handler, until it
// knows that the page is managed memory. From there on it calls the runtime, which takes its lock
// and copies from the device. That is safe because the fault comes from an access to that page, and
// no code that holds a lock of the C library, or is in the middle of changing the runtime's own
// state, touches managed memory; the runtime's lock may be held by the same thread
// (cudaMallocManaged(&node->next, …)), so it is a recursive one.
#include "common/simulator/runtime/page_faults.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "common/simulator/runtime/memory/host_range.h"
#include "common/simulator/runtime/memory/managed_pages.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

struct sigaction previous {};

/// From what the processor said of the fault.
HostAccess access_in([[maybe_unused]] const void* context) {
#ifdef __x86_64__
  // Bit 1 of the page fault's error code (Intel SDM, volume 3A, 4.7): a write.
  const auto* machine = static_cast<const ucontext_t*>(context);
  const bool write = (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0;
  return write ? HostAccess::write : HostAccess::read;
#else
  return HostAccess::unknown;
#endif
}

/// Text on stderr without stdio, which takes locks.
class Message {
 public:
  Message& add(std::string_view text) {
    const std::size_t count = std::min(text.size(), sizeof text_ - size_);
    std::copy_n(text.data(), count, text_ + size_);
    size_ += count;
    return *this;
  }
  Message& add_address(const void* pointer) {
    char digits[2 * sizeof pointer];
    const auto number = reinterpret_cast<std::uintptr_t>(pointer);
    const char* end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
    return add("0x").add({digits, static_cast<std::size_t>(end - digits)});
  }
  void write() const {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text_, size_);
  }

 private:
  char text_[256];
  std::size_t size_ = 0;
};

bool resolve(const void* address, HostAccess access) {
  if (!is_managed_page(address_of(address))) return false;
  Runtime& runtime = Runtime::instance();
  const std::scoped_lock lock(runtime.mutex());
  return runtime.resolve_fault(address, access);
}

std::string_view words_for(HostAccess access) {
  switch (access) {
    case HostAccess::read:
      return "reads from";
    case HostAccess::write:
      return "writes to";
    case HostAccess::unknown:
      break;
  }
  return "touches";
}

void on_fault(int, siginfo_t* what, void* context) {
  const int error = errno;  // of the code that was interrupted
  const void* address = what->si_addr;
  if (is_in_device_range(address_of(address))) {
    const HostAccess access = access_in(context);
    if (resolve(address, access)) {
      errno = error;
      return;
    }
    Message message;
    message.add("gridstride: the host ").add(words_for(access)).add(" ").add_address(address);
    message.add(
        ", which is an address of the device: copy with cudaMemcpy, or allocate with "
        "cudaMallocManaged\n");
    message.write();
  }
  sigaction(SIGSEGV, &previous, nullptr);  // the access faults once more, and ends there
}

}  // namespace

void handle_page_faults() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous);
}

}  // namespace gridstride::sim
