// What a stream can be given to do, as a value: checked when it is made, executed when it is due.
#pragma once

#include <variant>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/runtime/cudart.h"

namespace gridstride::sim {

class Runtime;

struct KernelWork {
  const void* function = nullptr;  ///< host function or handle
  dim3 grid, block;
  std::size_t shared = 0;  ///< dynamic, bytes
  bool cooperative = false;
  std::vector<std::byte> arguments;  ///< as the kernel's parameters lie
};

/// A copy of extent.width bytes from srcPtr.ptr to dstPtr.ptr, or of a box.
struct CopyWork {
  cudaMemcpy3DParms what{};
  bool plain = false;
};

/// `depth` slices of rows that are params.pitch bytes apart, slices `slice_rows` rows.
struct FillWork {
  cudaMemsetParams params{};
  std::size_t depth = 1, slice_rows = 0;
};

struct HostWork {
  cudaHostNodeParams function{};
};

struct RecordWork {
  cudaEvent_t event = nullptr;
};

struct WaitWork {
  cudaEvent_t event = nullptr;
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork>;

/// All of these throw DeviceError.

/// What is to be done is checked as far as the real runtime checks it without doing it.
KernelWork kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                       void** arguments, std::size_t shared, bool cooperative);
CopyWork plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
CopyWork row_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                  std::size_t width, std::size_t height, cudaMemcpyKind kind);
FillWork plain_fill(void* to, int value, std::size_t bytes);

/// Address of [offset, offset + bytes) in a variable.
void* place_in(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes);

/// Does it now.
void execute(Runtime& runtime, const Work& work, StreamId stream);

/// What every call that gives work to a stream does.
void submit(Runtime& runtime, cudaStream_t stream, const Work& work);

// transfers.cpp
void execute_copy(Runtime& runtime, const CopyWork& copy, StreamId stream);
void execute_fill(Runtime& runtime, const FillWork& fill, StreamId stream);

}  // namespace gridstride::sim
