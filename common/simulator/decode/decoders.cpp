// The column of opcodes.def that names decoders.
#include <string_view>

#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/decode/decode.h"

namespace gridstride::sim {
namespace {

#define OPCODE(name, decoder, ...) decoder,
/// In the order of opcodes().
constexpr Decoder decoders[] = {
#include "common/simulator/analysis/opcodes.def"
};

}  // namespace

Decoder decoder_of(std::string_view opcode) {
  const Opcode* row = find_opcode(opcode);
  return row ? decoders[row - opcodes().data()] : nullptr;
}

}  // namespace gridstride::sim
