// The handler runs on the thread that touched the page, in the middle of its code, and calls the
// runtime from there. That is safe because no code that holds a lock of the C library, or is in the
// middle of changing the runtime's own books, touches managed memory; the runtime's lock may be
// held by the same thread (cudaMallocManaged(&node->next, …)), so it is a recursive one.
#include "common/simulator/runtime/page_faults.h"

#include <signal.h>
#include <ucontext.h>

#include <csignal>
#include <cstdio>
#include <mutex>

#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

struct sigaction previous {};

void on_fault(int, siginfo_t* what, void* context) {
  Runtime& runtime = Runtime::instance();
  const void* address = what->si_addr;
  if (Runtime::in_device_range(address)) {
    // Bit 1 of the page fault's error code: a write.
    const auto* machine = static_cast<const ucontext_t*>(context);
    const bool write = (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    const std::scoped_lock lock(runtime.mutex());
    if (runtime.resolve_fault(address, write)) return;
    std::fprintf(stderr,
                 "gridstride: the host %s %p, which is an address of the device: copy with "
                 "cudaMemcpy, or allocate with cudaMallocManaged\n",
                 write ? "writes to" : "reads from", address);
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
