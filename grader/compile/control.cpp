// Texts and commands of the control run.
#include "grader/compile/control.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "grader/compile/invocation.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

/// Parts of the toolkit that come in packages of their own: how a source names them, and a small
/// header that is there when they are.
constexpr struct {
  std::string_view named, header;
} parts[] = {
    {"<cub/", "cub/version.cuh"},          {"<thrust/", "thrust/version.h"},
    {"<cuda/", "cuda/std/version"},        {"<cooperative_groups", "cooperative_groups.h"},
    {"<cuda_pipeline", "cuda_pipeline.h"}, {"<cuda_fp16", "cuda_fp16.h"},
    {"<cuda_bf16", "cuda_bf16.h"},         {"<mma.h", "mma.h"},
};

/// Host code, device code, a function of the device's mathematical library, a launch.
constexpr std::string_view compiled = R"(
#ifdef __CUDACC__
__global__ void gridstride_control(double* x) { x[threadIdx.x] = exp(x[threadIdx.x]); }
void gridstride_control_launch(double* x) { gridstride_control<<<1, 32>>>(x); }
#else
int gridstride_control(int x) { return x + 1; }
#endif
)";

/// A kernel that launches a kernel needs the device runtime, as stages do that are linked on their
/// own.
constexpr std::string_view linked_on_device = R"(
__global__ void gridstride_control_child() {}
__global__ void gridstride_control() { gridstride_control_child<<<1, 1>>>(); }
)";

constexpr std::string_view linked = "int gridstride_control() { return 0; }\n";

/// What nvcc's objects ask of the CUDA runtime.
constexpr std::string_view linked_with_runtime = R"(
extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" int cudaGetLastError();
int gridstride_control() {
  return __cudaRegisterFatBinary(nullptr) == nullptr ? 0 : cudaGetLastError();
}
)";

/// Of a device link's options, those without which nvcc does not compile for the same GPUs, or on
/// this machine at all.
Words options_of_both(const Words& command) {
  Words kept;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (!word.starts_with("--generate-code=") && !word.starts_with("-ccbin") &&
        !word.starts_with("-isystem"))
      continue;
    kept.push_back(word);
    if ((word == "-ccbin" || word == "-isystem") && i + 1 < command.size())
      kept.push_back(command[++i]);
  }
  return kept;
}

bool contains(const Words& command, std::string_view word) {
  return std::ranges::find(command, word) != command.end();
}

std::string text_to_compile(const GuardedCommand& guarded, const fs::path& source) {
  std::string text;
  for (const fs::path& path : guarded.readable) {
    std::error_code failed;
    if ((path.extension() == ".h" || path.extension() == ".cuh") &&
        fs::is_regular_file(path, failed))
      text += "#include \"" + fs::absolute(path).lexically_normal().string() + "\"\n";
  }
  std::error_code gone;
  const std::string theirs = fs::is_regular_file(source, gone) ? read_file(source) : "";
  for (const auto& part : parts) {
    if (theirs.find(part.named) != std::string::npos)
      text += "#include <" + std::string(part.header) + ">\n";
  }
  return text.append(compiled);
}

/// Runs one step; false when it failed, and then `control` tells of it.
bool run_step(Invocation& step, Control& control) {
  step.run();
  control.wall_seconds = std::max(control.wall_seconds, step.outcome().wall_seconds);
  control.succeeded = step.succeeded();
  if (!control.succeeded) control.words = step.words();
  return control.succeeded;
}

Control control_compilation(const GuardedCommand& guarded, Words command) {
  const TemporaryFolder folder;
  const fs::path text = folder.path() / "control.cu";
  std::string& source = *(std::ranges::find(command, "-c") + 1);
  write_file(text, text_to_compile(guarded, source));
  source = text.string();
  Control control;
  Invocation step(guarded, command, {text});
  run_step(step, control);
  return control;
}

Control control_link(const GuardedCommand& guarded, Words command) {
  const bool on_device = contains(command, "-dlink");
  const TemporaryFolder folder;
  const fs::path text = folder.path() / (on_device ? "control.cu" : "control.cpp");
  Words compilation = {command[0]};
  if (on_device) {
    write_file(text, linked_on_device);
    std::ranges::copy(options_of_both(command), std::back_inserter(compilation));
    compilation.insert(compilation.end(), {"-rdc=true", "-Xcompiler=-fPIC", "-x", "cu"});
  } else {
    write_file(text, contains(command, "-lcudart") ? linked_with_runtime : linked);
    compilation.insert(compilation.end(), {"-fPIC", "-x", "c++"});
  }
  compilation.insert(compilation.end(), {"-c", text.string(), "-o", "control.o"});

  Control control;
  Invocation compile(guarded, compilation, {text});
  if (!run_step(compile, control)) return control;
  const auto is_object = [](const std::string& word) {
    return !word.starts_with("-") && word.ends_with(".o");
  };
  const fs::path object = folder.path() / "control.o";
  fs::copy_file(compile.outputs().product(), object);
  Words link;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (is_object(command[i])) continue;
    link.push_back(command[i]);
    if (command[i] == "-o") {  // what a device link writes is called an object too
      link.push_back(command.at(++i));
      link.push_back(object.string());
    }
  }
  Invocation step(guarded, link);
  run_step(step, control);
  return control;
}

}  // namespace

Control run_control(const GuardedCommand& guarded) {
  return contains(guarded.command, "-c") ? control_compilation(guarded, guarded.command)
                                         : control_link(guarded, guarded.command);
}

}  // namespace gridstride
