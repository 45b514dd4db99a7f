// What a lab's grader.cpp is written with.
//
//     #include "grader/judge/lab.h"
//     #include "labs/reduction/reduction.h"
//
//     int main(int argc, char** argv) {
//       gridstride::Lab lab("reduction", argc, argv);
//       lab.contract<decltype(reduce_sum)>("reduce_sum", [](auto& suite) { … });
//       return lab.run();
//     }
//
// In cases/, suite.h says what a suite takes, output.h how outputs are judged, and call.h how
// arguments are given.
// The program needs no more: options, sandbox, runners, devices, GoogleTest and Google Benchmark,
// verdicts and reports are the judge's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/suite.h"

namespace gridstride {

class Lab {
 public:
  /// Reads the command line; run() reports what is wrong with it.
  Lab(std::string name, int argc, char** argv);
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  /// The cases of one function of the contract. `define` takes a Suite<Function>&; it runs within
  /// run(), once lab.toml has been read.
  template <class Function, class Define>
  void contract(std::string function, Define define) {
    const auto* arguments = Signature<Function>::arguments;
    add_contract(std::move(function), {arguments, arguments + Signature<Function>::count},
                 [define = std::move(define)](SuiteData& data) {
                   auto suite = std::make_shared<Suite<Function>>(data);
                   define(*suite);
                   data.suite = std::move(suite);
                 });
  }

  /// Grades what the command line asks for; returns the process's exit code (results.h).
  int run();

 private:
  void add_contract(std::string function, std::vector<ArgumentInfo> arguments,
                    std::function<void(SuiteData&)> define);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gridstride
