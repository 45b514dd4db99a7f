// A warp with nothing but registers, to try single instructions on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/simulator/decode/decode.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {

/// Registers %p0-%p9 (pred), %h (b16), %r (b32), %l (b64), %f (f32), %d (f64), by name.
class TestMachine final : public DecodeContext {
 public:
  TestMachine() : memory_(1 << 16) { warp_.registers = aligned(); }

  /// Parses and decodes one instruction; null when it is refused. Valid as long as the machine.
  const Inst* decode(const std::string& line) {
    modules_.push_back(std::make_unique<ptx::Module>(ptx::parse(
        ".version 9.0\n.target sm_90\n.entry test() { .reg .pred %p<10>; .reg .b16 %h<10>;"
        ".reg .b32 %r<10>; .reg .b64 %l<10>; .reg .f32 %f<10>; .reg .f64 %d<10>;\n" +
        line + "\n}")));
    function_ = &modules_.back()->functions.at(0);
    const ptx::Instruction& instruction = function_->body.at(0);
    programs_.push_back(std::make_unique<Inst>());
    Inst& inst = *programs_.back();
    const Decoder decoder = decoder_of(instruction.opcode);
    if (decoder == nullptr) throw std::runtime_error("no row for the opcode " + instruction.opcode);
    return decoder(instruction, *this, inst) ? &inst : nullptr;
  }

  void run(const Inst& inst, LaneMask mask) {
    (mask == full_mask ? inst.full_handler : inst.handler)(warp_, inst, mask);
  }
  void run(const std::string& line, LaneMask mask = full_mask) {
    const Inst* inst = decode(line);
    if (inst == nullptr) throw std::runtime_error("refused: " + line);
    run(*inst, mask);
  }

  void set(const std::string& name, unsigned lane, std::uint64_t bits) {
    write(register_of(name), bytes_of(name), lane, bits);
  }
  void set(const std::string& name, std::uint64_t bits) {
    for (unsigned lane = 0; lane < warp_size; ++lane) set(name, lane, bits);
  }
  std::uint64_t get(const std::string& name, unsigned lane) {
    const VectorRegister at = register_of(name);
    const std::size_t bytes = bytes_of(name);
    if (bytes == 0) return (*vector_register<LaneMask>(warp_.registers, at) >> lane) & 1u;
    std::uint64_t bits = 0;
    std::memcpy(&bits, warp_.registers + at + lane * bytes, bytes);
    return name[1] == 'h' ? bits & 0xffff : bits;  // what lies above is not the register's
  }

  VectorRegister source(const ptx::Operand& operand, ptx::Type type) override {
    if (operand.kind == ptx::Operand::Kind::reg) return register_of(operand.index);
    if (operand.kind != ptx::Operand::Kind::immediate) throw std::runtime_error("no such source");
    return constant(operand.bits, type);
  }
  VectorRegister destination(const ptx::Operand& operand, ptx::Type) override {
    if (operand.kind == ptx::Operand::Kind::sink) return new_register();
    return register_of(operand.index);
  }
  VectorRegister second_destination(const ptx::Operand& operand) override {
    return operand.second_index < 0 ? no_register : register_of(operand.second_index);
  }
  VectorRegister constant(std::uint64_t bits, ptx::Type type) override {
    const VectorRegister at = new_register();
    if (type == ptx::Type::pred)
      *vector_register<LaneMask>(warp_.registers, at) = bits != 0 ? full_mask : 0;
    else
      for (unsigned lane = 0; lane < warp_size; ++lane)
        write(at, ptx::size_of(type) == 8 ? 8 : 4, lane, bits);
    return at;
  }
  std::uint32_t lane_bytes_of(const ptx::Operand& operand, ptx::Type type) const override {
    if (operand.kind != ptx::Operand::Kind::reg) return ptx::size_of(type) == 8 ? 8 : 4;
    return static_cast<std::uint32_t>(
        bytes_of(function_->registers.at(static_cast<std::size_t>(operand.index)).name));
  }
  VectorRegister carry_flag() override { return register_of("%p9"); }
  void* allocate(std::size_t bytes) override {
    extras_.push_back(std::make_unique<std::byte[]>(bytes));
    return extras_.back().get();
  }

 private:
  std::byte* aligned() {
    void* start = memory_.data();
    std::size_t space = memory_.size();
    return static_cast<std::byte*>(std::align(64, memory_.size() - 64, start, space));
  }
  static std::size_t bytes_of(const std::string& name) {
    return name.at(1) == 'p' ? 0 : name[1] == 'l' || name[1] == 'd' ? 8 : 4;
  }
  VectorRegister new_register() {
    next_ += 32 * 8;
    if (next_ + 32 * 8 > memory_.size() - 64) throw std::runtime_error("out of test registers");
    return next_;
  }
  VectorRegister register_of(const std::string& name) {
    const auto [entry, is_new] = registers_.try_emplace(name, 0);
    if (is_new) entry->second = new_register();
    return entry->second;
  }
  VectorRegister register_of(std::int32_t index) {
    return register_of(function_->registers.at(static_cast<std::size_t>(index)).name);
  }
  void write(VectorRegister at, std::size_t bytes, unsigned lane, std::uint64_t bits) {
    if (bytes == 0) {
      LaneMask& mask = *vector_register<LaneMask>(warp_.registers, at);
      mask = (mask & ~(1u << lane)) | static_cast<LaneMask>(bits & 1) << lane;
    } else {
      std::memcpy(warp_.registers + at + lane * bytes, &bits, bytes);
    }
  }

  std::vector<std::byte> memory_;
  Warp warp_;
  std::uint32_t next_ = 0;
  std::map<std::string, VectorRegister> registers_;
  const ptx::Function* function_ = nullptr;
  std::vector<std::unique_ptr<ptx::Module>> modules_;
  std::vector<std::unique_ptr<Inst>> programs_;
  std::vector<std::unique_ptr<std::byte[]>> extras_;
};

}  // namespace gridstride::sim
