// Records what a GPU makes of single arithmetic instructions: how arithmetic_h200.txt was written.
// Needs a driver, no toolkit:
//   g++ -std=c++20 -O1 record_arithmetic.cpp -ldl -o record_arithmetic
//   cut -d'|' -f1 arithmetic_h200.txt | grep -v '^#' | ./record_arithmetic 32 > recorded.txt
//
// One line for each instruction: the instruction, '|', and for each of 32 lanes its sources and its
// result as hexadecimal bits "source,source>result". Registers are called %r (32 bits), %l (64), %h
// (16), %f, %d and %p; the first one is the destination.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace {

/// A function of the driver, by name.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const symbol = driver != nullptr ? dlsym(driver, name) : nullptr;
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s: not found in libcuda.so.1\n", name);
    std::exit(3);
  }
  return reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
}

void must(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s failed: CUDA error %d\n", what, code);
  std::exit(3);
}

using Values = std::vector<std::uint64_t>;
const Values words{0,          1,          2,          3,          7,          31,
                   32,         33,         63,         100,        255,        0x7fff,
                   0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001,
                   0xffffffff, 0xfffffffe, 0x12345678, 0xdeadbeef, 0x00ff00ff, 0xfffffff9,
                   0x01000001, 0x5};
const Values longs{0,
                   1,
                   2,
                   5,
                   63,
                   64,
                   0x7fffffff,
                   0x80000000,
                   0xffffffff,
                   0x100000000,
                   0x7fffffffffffffff,
                   0x8000000000000000,
                   0x8000000000000001,
                   0xffffffffffffffff,
                   0xfffffffffffffff9,
                   0x123456789abcdef0,
                   0x20000000000001,
                   0xdeadbeefcafef00d};
const Values shorts{0,      1,      2,      3,      0x7f,   0x80,   0xff,   0x100,  0x3555,
                    0x3c00, 0x3c01, 0xbc00, 0x4200, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
                    0x03ff, 0x0400, 0x8000, 0x8001, 0xffff, 0x3f80, 0x7f80, 0x4049, 0x7fff};
const Values floats{
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x3f000000,
    0x3fc00000, 0x40200000, 0xc0200000, 0x3eaaaaab, 0x501502f9, 0xd01502f9, 0x4f000000, 0xcf000000,
    0x4f800000, 0x4b800001, 0x3f800001, 0x40490fdb, 0x7e800001, 0xc2c80000, 0x33800000, 0x5f000000};
const Values doubles{
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0xfff8000000000001, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000,
    0xc004000000000000, 0x3fd5555555555555, 0x41e0000000000000, 0xc1e0000000200000,
    0x41f0000000000000, 0x43e0000000000000, 0xc3e0000000000001, 0x3ff0000000000001,
    0x400921fb54442d18, 0x36a0000000000001, 0x47efffffefffffff, 0x47effffff0000000,
    0x380fffffffffffff, 0x3e70000000000000, 0x40effc0000000001, 0x40c0000000000000};

struct Instruction {
  std::string text;
  std::vector<std::string> registers;  ///< the destination first
};

Instruction analysed(const std::string& text) {
  Instruction result{text, {}};
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1))
    result.registers.push_back(text.substr(at, 3));
  return result;
}

std::uint64_t draw(const Instruction& instruction, char kind, std::mt19937& random) {
  const auto from = [&](const Values& values) { return values[random() % values.size()]; };
  switch (kind) {
    case 'p':
      return random() & 1;
    case 'h':
      return from(shorts);
    case 'f':
      return from(floats);
    case 'd':
      return from(doubles);
    case 'l':
      return from(longs);
    default:
      return instruction.text.find("16x2") != std::string::npos ? from(shorts) << 16 | from(shorts)
                                                                : from(words);
  }
}

std::string ptx_of(const Instruction& instruction) {
  std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %l<10>; .reg .f32 %f<10>;"
      ".reg .f64 %d<10>; .reg .b64 %x<9>; .reg .b32 %y<2>;\n"
      "ld.param.u64 %x1, [in]; ld.param.u64 %x2, [out]; mov.u32 %y1, %tid.x;\n"
      "mad.wide.u32 %x2, %y1, 8, %x2;\nmad.wide.u32 %x1, %y1, 64, %x1;\n";
  for (std::size_t i = 1; i < instruction.registers.size(); ++i) {
    const std::string& name = instruction.registers[i];
    text += "ld.global.u64 %x3, [%x1+" + std::to_string(8 * (i - 1)) + "];\n";
    switch (name[1]) {
      case 'p':
        text += "setp.ne.u64 " + name + ", %x3, 0;\n";
        break;
      case 'h':
        text += "cvt.u16.u64 " + name + ", %x3;\n";
        break;
      case 'r':
        text += "cvt.u32.u64 " + name + ", %x3;\n";
        break;
      case 'f':
        text += "cvt.u32.u64 %y0, %x3; mov.b32 " + name + ", %y0;\n";
        break;
      default:
        text += "mov.b64 " + name + ", %x3;\n";
    }
  }
  text += instruction.text + "\n";
  const std::string& result = instruction.registers[0];
  switch (result[1]) {
    case 'p':
      text += "selp.u64 %x4, 1, 0, " + result + ";\n";
      break;
    case 'h':
      text += "cvt.u64.u16 %x4, " + result + ";\n";
      break;
    case 'r':
      text += "cvt.u64.u32 %x4, " + result + ";\n";
      break;
    case 'f':
      text += "mov.b32 %y0, " + result + "; cvt.u64.u32 %x4, %y0;\n";
      break;
    default:
      text += "mov.b64 %x4, " + result + ";\n";
  }
  return text + "st.global.u64 [%x2], %x4;\nret;\n}\n";
}

}  // namespace

int main(int count, char** arguments) {
  const unsigned cases = count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 32;
  int device = 0;
  void* context = nullptr;
  must(call("cuInit", 0u), "cuInit");
  must(call("cuDeviceGet", &device, 0), "cuDeviceGet");
  must(call("cuDevicePrimaryCtxRetain", &context, device), "cuDevicePrimaryCtxRetain");
  must(call("cuCtxSetCurrent", context), "cuCtxSetCurrent");
  std::uint64_t in = 0, out = 0;
  must(call("cuMemAlloc_v2", &in, std::size_t{cases} * 64), "cuMemAlloc");
  must(call("cuMemAlloc_v2", &out, std::size_t{cases} * 8), "cuMemAlloc");
  std::string line;
  while (std::getline(std::cin, line)) {
    const Instruction instruction = analysed(line);
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(line)));
    Values sources(std::size_t{cases} * 8), results(cases);
    const std::size_t used = instruction.registers.size() - 1;
    for (unsigned lane = 0; lane < cases; ++lane)
      for (std::size_t i = 0; i < used; ++i)
        sources[lane * 8 + i] = draw(instruction, instruction.registers[i + 1][1], random);
    void *module = nullptr, *kernel = nullptr;
    if (const int code = call("cuModuleLoadData", &module, ptx_of(instruction).c_str());
        code != 0) {
      std::fprintf(stderr, "%s: CUDA error %d\n", line.c_str(), code);
      continue;
    }
    must(call("cuModuleGetFunction", &kernel, module, "k"), "cuModuleGetFunction");
    must(call("cuMemcpyHtoD_v2", in, static_cast<const void*>(sources.data()), sources.size() * 8),
         "cuMemcpyHtoD");
    void* parameters[] = {&in, &out};
    must(call("cuLaunchKernel", kernel, 1u, 1u, 1u, cases, 1u, 1u, 0u, static_cast<void*>(nullptr),
              static_cast<void**>(parameters), static_cast<void**>(nullptr)),
         "cuLaunchKernel");
    must(call("cuMemcpyDtoH_v2", static_cast<void*>(results.data()), out, results.size() * 8),
         "cuMemcpyDtoH");
    must(call("cuModuleUnload", module), "cuModuleUnload");
    std::printf("%s|", line.c_str());
    for (unsigned lane = 0; lane < cases; ++lane) {
      for (std::size_t i = 0; i < used; ++i)
        std::printf("%s%llx", i == 0 ? (lane == 0 ? "" : " ") : ",",
                    static_cast<unsigned long long>(sources[lane * 8 + i]));
      std::printf(">%llx", static_cast<unsigned long long>(results[lane]));
    }
    std::printf("\n");
  }
}
