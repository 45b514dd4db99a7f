// Memory that runs out when the program says so, also for the runtime's library, which allocates
// with these as well. A file of its own: in CUDA code they would be device functions, too.
#include <cstddef>
#include <cstdlib>
#include <new>

bool no_memory = false;

void* operator new(std::size_t bytes) {
  void* memory = no_memory ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
