// A test's program: takes as much as it gets of one thing, says how much in MiB or why it gets no
// more, and keeps it.
#include <fcntl.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t piece = std::size_t{32} << 20;
constexpr int pieces = 64;

[[noreturn]] void refused(const char* what) {
  std::printf("%s: %s\n", what, std::strerror(errno));
  std::fflush(stdout);
  ::_exit(1);
}

void fill(int file) {
  const std::vector<char> bytes(piece, 'x');
  if (::write(file, bytes.data(), bytes.size()) < 0) refused("write");
}

void* map(int flags) {
  void* const memory = ::mmap(nullptr, piece, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) refused("mmap");
  std::memset(memory, 'x', piece);
  return memory;
}

void take_one(const std::string& kind, int number) {
  if (kind == "memfd") {
    const int file = ::memfd_create("hoard", 0);
    if (file < 0) refused("memfd_create");
    fill(file);
  } else if (kind == "sysv") {
    const int id = ::shmget(IPC_PRIVATE, piece, IPC_CREAT | 0600);
    if (id < 0) refused("shmget");
    void* const memory = ::shmat(id, nullptr, 0);
    ::shmctl(id, IPC_RMID, nullptr);
    std::memset(memory, 'x', piece);
  } else if (kind == "messages") {
    const int id = ::msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (id < 0) refused("msgget");
  } else if (kind == "queue") {
    const std::string name = "/gridstride." + std::to_string(number);
    const mqd_t queue = ::mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, nullptr);
    if (queue < 0) refused("mq_open");
    ::mq_unlink(name.c_str());
  } else if (kind == "unmapped") {
    // The pages stay; the process that wrote them does not have them any more.
    ::madvise(map(MAP_SHARED | MAP_ANONYMOUS), piece, MADV_DONTNEED);
  } else if (kind == "plain") {
    map(MAP_PRIVATE | MAP_ANONYMOUS);
  } else if (kind == "huge") {
    map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB);
  } else if (kind == "sockets") {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) refused("socketpair");
  } else if (kind == "ring") {
    io_uring_params parameters{};
    if (::syscall(SYS_io_uring_setup, 4096, &parameters) < 0) refused("io_uring_setup");
  } else if (kind == "namespace") {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) refused("unshare");
  } else if (kind == "hidden") {
    if (::prctl(PR_SET_DUMPABLE, 0) != 0) refused("prctl");
  } else if (kind == "shm") {
    const int file =
        ::open(("/dev/shm/gridstride." + std::to_string(::getpid()) + "." + std::to_string(number))
                   .c_str(),
               O_CREAT | O_RDWR, 0600);
    if (file < 0) refused("open");
    fill(file);
    ::close(file);
  } else if (kind == "files") {
    const int file =
        ::open((std::string(::getenv("TMPDIR")) + "/" + std::to_string(number)).c_str(),
               O_CREAT | O_RDWR, 0600);
    if (file < 0) refused("open");
    fill(file);
    ::close(file);
  } else if (kind == "nameless") {
    const int file = ::open(::getenv("TMPDIR"), O_TMPFILE | O_RDWR, 0600);
    if (file < 0) refused("open");
    fill(file);
  } else if (kind == "pipes") {
    int ends[2];
    if (::pipe(ends) != 0) refused("pipe");
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::string kind = words[1];
  const int most = kind == "pipes" ? 100'000 : pieces;
  for (int number = 0; number < most; ++number) take_one(kind, number);
  std::printf("took all\n");
  std::fflush(stdout);
  ::sleep(60);
}
