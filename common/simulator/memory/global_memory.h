// The simulated GPU's DRAM: an address range of its own and what is allocated in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/base/handles.h"
#include "common/simulator/memory/initialised_bytes.h"

namespace gridstride::sim {

/// One live or released allocation, or a module variable.
struct Allocation {
  enum class Origin : std::uint8_t {
    host,        ///< cudaMalloc
    variable,    ///< of a module
    heap,        ///< malloc in a kernel
    parameters,  ///< of a launch that a kernel prepares
    array,       ///< CUDA array
    managed,     ///< cudaMallocManaged
    condition,   ///< of a graph: a word that kernels set by its address
    pinned,      ///< cudaMallocHost: lies on the host, and uses up nothing here
  };
  DeviceAddress begin = 0;
  std::uint64_t size = 0;
  bool live = true;
  bool read_only = false;  ///< constant variables
  std::string name;        ///< of a module variable; empty for cudaMalloc
  /// "the 3rd cudaMalloc": counted from 1 for each call that a program makes; 0 otherwise.
  std::uint64_t serial = 0;
  Origin origin = Origin::host;
  /// Says where the program made it ("in line 12 of sort.cu"), or who made it, or "", to stand
  /// behind a comma; null when nobody knows.
  std::function<std::string()> made_in;
  std::uint64_t order = 0;  ///< of allocations, of whatever origin
  std::uint64_t span = 0;   ///< addresses that it takes, the gap behind it included
};

/// Owns the backing store. Device addresses start at `base` and are reserved but inaccessible on
/// the host, so a host dereference faults. Not thread-safe.
class GlobalMemory {
 public:
  /// Lowest device address.
  static constexpr DeviceAddress base = 0x0a00'0000'0000;

  explicit GlobalMemory(std::uint64_t capacity);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// 0 when `bytes` do not fit. Addresses are multiples of 512; between allocations lies a gap, so
  /// that one past the end never is another allocation.
  DeviceAddress allocate(std::uint64_t bytes, std::string name = {}, bool read_only = false);
  /// For the GPU itself; nothing that cudaFree takes.
  DeviceAddress allocate_as(std::uint64_t bytes, Allocation::Origin origin);
  /// On pages (4096 bytes) that hold nothing else, so that the host can have memory of its own at
  /// the same addresses. With a name it is a module's variable.
  DeviceAddress allocate_pages(std::uint64_t bytes, Allocation::Origin origin,
                               std::string name = {});
  /// False when `address` is not the start of a live allocation of that origin.
  bool release(DeviceAddress address, Allocation::Origin origin = Allocation::Origin::host);
  /// As release(), and nothing remembers it: its addresses are free if they are the highest ones.
  void forget(DeviceAddress address, Allocation::Origin origin);
  /// See Allocation; `address` is the start of one.
  void set_made_in(DeviceAddress address, std::function<std::string()> site);
  /// Where `text` stands in device memory, with a zero behind it; kept for good, each text once. 0
  /// when memory is full.
  DeviceAddress constant_text(const std::string& text);
  /// Makes a released allocation one of `bytes` bytes, which must need the same span of addresses.
  /// False when they do not fit.
  bool revive(DeviceAddress address, std::uint64_t bytes);
  /// Addresses that an allocation of `bytes` bytes takes, the gap behind it included.
  static std::uint64_t span_of(std::uint64_t bytes);

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }

  /// The live allocation that holds `address`, or null. Stays valid until it is released.
  const Allocation* find(DeviceAddress address) const;
  /// The nearest allocation, live or released, for messages; null when there never was one.
  /// Released ones are remembered until their addresses are handed out again, which is as late as
  /// possible.
  const Allocation* nearest(DeviceAddress address) const;

  /// One past the highest address handed out so far.
  DeviceAddress end() const { return base + next_; }

  /// Host address of device address `address`; no check.
  std::byte* host(DeviceAddress address) const { return backing_ + (address - base); }
  /// True when [address, address+bytes) lies in one live allocation.
  bool contains(DeviceAddress address, std::uint64_t bytes) const;

  /// What the program was given and has not given back, oldest first.
  std::vector<Allocation> unreleased() const;

  /// Which bytes hold a value, by offset from `base`. A new allocation has none; module variables
  /// and whatever else has a name begin as zeros.
  InitialisedBytes& initialised() { return initialised_; }
  const InitialisedBytes& initialised() const { return initialised_; }

 private:
  /// Adds a live allocation; `what` has all but its address and serial number.
  DeviceAddress add(Allocation what, std::uint64_t alignment);
  std::optional<DeviceAddress> place(std::uint64_t bytes, std::uint64_t alignment);
  static bool is_free(const Allocation& one);
  std::optional<DeviceAddress> reuse(std::uint64_t bytes, std::uint64_t alignment);
  std::optional<DeviceAddress> reuse_several(std::uint64_t bytes, std::uint64_t alignment);
  std::uint64_t& used_by(Allocation::Origin origin);

  std::uint64_t capacity_ = 0, used_ = 0;
  std::uint64_t pinned_ = 0;  ///< bytes of live pinned allocations
  std::map<Allocation::Origin, std::uint64_t> serials_;
  std::uint64_t allocated_ = 0;         ///< allocations so far
  std::uint64_t range_ = 0, next_ = 0;  ///< bytes of address space, and of those handed out
  bool reserved_ = false;               ///< this instance holds the inaccessible host range
  std::byte* mapped_ = nullptr;
  std::byte* backing_ = nullptr;      ///< there, from where large pages begin
  std::uint64_t on_large_pages_ = 0;  ///< allocations that were to be
  InitialisedBytes initialised_;
  std::map<DeviceAddress, Allocation> allocations_;
  std::map<std::string, DeviceAddress> texts_;
};

}  // namespace gridstride::sim
