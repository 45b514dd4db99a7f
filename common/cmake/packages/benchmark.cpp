// What the course uses of Google Benchmark.
#include <benchmark/benchmark.h>

#include <vector>

class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : benchmark::ConsoleReporter(OO_Tabular) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    name_ = runs.front().run_name.function_name;
  }

 private:
  std::string name_;
};

std::size_t run(int count, char** words) {
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 0;
  benchmark::RegisterBenchmark("stage",
                               [](benchmark::State& state) {
                                 for (auto _ : state) state.SetIterationTime(1);
                                 state.counters["speedup"] =
                                     benchmark::Counter(1, benchmark::Counter::kIsRate);
                                 state.SkipWithError("wrong");
                               })
      ->Iterations(1)
      ->Repetitions(5)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  Reporter reporter;
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  return ran;
}
