// See arrays.h.
#include "common/simulator/runtime/memory/arrays.h"

#include <cstdint>

#include "common/simulator/base/cuda_error.h"

namespace gridstride::sim {
namespace {

// No program looks into an array handle; small numbers are nobody's memory.
constexpr std::uintptr_t first_array_handle = 0x100000;

ArrayId id_of(cudaArray_const_t handle) {
  return reinterpret_cast<std::uintptr_t>(handle) - first_array_handle;
}

}  // namespace

cudaArray_t ArrayRegistry::add(const ArrayRecord& record) {
  arrays_[record.id] = record;
  return reinterpret_cast<cudaArray_t>(record.id + first_array_handle);
}

const ArrayRecord& ArrayRegistry::find(cudaArray_const_t handle) const {
  const auto found = arrays_.find(id_of(handle));
  if (found == arrays_.end()) {
    throw DeviceError(error_invalid_handle, false, "this array does not exist, or no longer");
  }
  return found->second;
}

void ArrayRegistry::remove(cudaArray_const_t handle) { arrays_.erase(id_of(handle)); }

TexelFormat format_of(const cudaChannelFormatDesc& channels) {
  const auto refuse = [] {
    throw DeviceError(error_invalid_channel_descriptor, false,
                      "texels have 1, 2 or 4 channels of 8, 16 or 32 bits each, floats of 16 or "
                      "32; other formats are not supported by the simulated GPU");
  };
  const int bits[4] = {channels.x, channels.y, channels.z, channels.w};
  TexelFormat format;
  format.bits = static_cast<std::uint8_t>(channels.x);
  format.channels = 0;
  while (format.channels < 4 && bits[format.channels] != 0) ++format.channels;
  for (unsigned i = 0; i < 4; ++i) {
    if (bits[i] != (i < format.channels ? channels.x : 0)) refuse();
  }
  switch (channels.f) {
    case cudaChannelFormatKindSigned:
      format.kind = TexelKind::signed_integer;
      break;
    case cudaChannelFormatKindUnsigned:
      format.kind = TexelKind::unsigned_integer;
      break;
    case cudaChannelFormatKindFloat:
      format.kind = TexelKind::floating;
      break;
    default:
      refuse();
  }
  const bool width = channels.x == 16 || channels.x == 32 ||
                     (channels.x == 8 && format.kind != TexelKind::floating);
  if (!width || format.channels == 0 || format.channels == 3) refuse();
  return format;
}

}  // namespace gridstride::sim
