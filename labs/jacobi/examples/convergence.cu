// The convergence curve as a picture: the residual after 0, 1, 2, … sweeps, of four ways to
// iterate.
//
//     nvcc -std=c++20 -I. -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
//          -o convergence labs/jacobi/examples/convergence.cu labs/jacobi/3_stop.cu
//     ./lab sim -- ./convergence                with a GPU: ./convergence
//
// draws convergence.svg, which a browser opens. Prints: Jacobi: converged after 30 sweeps
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/example.h"
#include "labs/jacobi/jacobi.h"

namespace {

using jacobi::Method;
using jacobi::Outcome;

constexpr std::int64_t n = 64;  // a multiple of 32, so that rows stand close
constexpr int most_sweeps = 40;

/// 1 everywhere, and in the diagonal one and a half times the sum of the rest of the row. A x = f
/// has the solution 1, 1, … 1 where f is the sum of a row.
std::vector<float> matrix() {
  std::vector<float> a(n * n, 1.0f);
  for (std::int64_t i = 0; i < n; ++i) a[i * n + i] = 1.5f * (n - 1);
  return a;
}

struct System {
  DeviceArray<float> a{matrix()}, f{std::vector<float>(n, 2.5f * (n - 1))};

  /// From 0, by the stage that is compiled with this.
  Outcome solved(Method method, float alpha, float tolerance, int sweeps) const {
    DeviceArray<float> x(n);
    DeviceArray<Outcome> outcome(1);
    DeviceArray<char> scratch(jacobi::scratch_bytes(n));
    solve(a.data(), n, f.data(), x.data(), outcome.data(), n, method, alpha, tolerance, sweeps,
          {scratch.data(), scratch.bytes()}, nullptr);
    check(cudaGetLastError());
    return outcome.to_host()[0];
  }
};

struct Curve {
  std::string name, colour;
  Method method;
  float alpha;
  std::vector<float> residuals = {};
};

/// Sweeps to the right, residuals upwards, each grid line ten times the one below.
void draw(const std::vector<Curve>& curves, const char* path) {
  constexpr int left = 60, top = 20, width = 560, height = 300, lowest = -4, highest = 6;
  const auto px = [](double sweeps) { return left + sweeps * width / most_sweeps; };
  const auto py = [](double residual) {
    const double power =
        std::clamp(std::log10(std::max(residual, 1e-30)), 1.0 * lowest, 1.0 * highest);
    return top + height * (highest - power) / (highest - lowest);
  };
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 370' font-family='sans-serif' "
         "font-size='12'>\n<rect width='640' height='370' fill='white'/>\n";
  for (int power = lowest; power <= highest; power += 2) {
    const double y = py(std::pow(10.0, power));
    svg << "<path d='M" << left << " " << y << "h" << width << "' stroke='#ddd'/><text x='"
        << left - 8 << "' y='" << y + 4 << "' text-anchor='end'>1e" << power << "</text>\n";
  }
  for (int sweeps = 0; sweeps <= most_sweeps; sweeps += 10)
    svg << "<text x='" << px(sweeps) << "' y='340' text-anchor='middle'>" << sweeps << "</text>\n";
  svg << "<text x='340' y='360' text-anchor='middle'>sweeps</text>\n";
  int line = 0;
  for (const Curve& curve : curves) {
    svg << "<polyline fill='none' stroke-width='2' stroke='" << curve.colour << "' points='";
    for (std::size_t k = 0; k < curve.residuals.size(); ++k)
      svg << px(static_cast<double>(k)) << "," << py(curve.residuals[k]) << " ";
    svg << "'/>\n<text x='400' y='" << 150 + 16 * line++ << "' fill='" << curve.colour << "'>"
        << curve.name << "</text>\n";
  }
  svg << "</svg>\n";
  if (!svg.flush())
    throw std::runtime_error(std::string(path) +
                             ": cannot be written; is the folder yours, is the disk full?");
}

}  // namespace

int main() try {
  const System system;
  const float row_sum = 2.5f * (n - 1);
  std::vector<Curve> curves = {
      {"Jacobi", "#1b6ca8", Method::jacobi, 0},
      {"Richardson, alpha = -1.2 / row sum", "#2a9d4b", Method::richardson, -1.2f / row_sum},
      {"Richardson, alpha = -0.3 / row sum", "#b8860b", Method::richardson, -0.3f / row_sum},
      {"Richardson, alpha = -2.6 / row sum", "#c0392b", Method::richardson, -2.6f / row_sum}};
  const char* names[] = {"converged", "diverged", "out of sweeps"};
  for (Curve& curve : curves) {
    for (int sweeps = 0; sweeps <= most_sweeps; ++sweeps) {
      const Outcome outcome = system.solved(curve.method, curve.alpha, 0, sweeps);
      curve.residuals.push_back(outcome.residual);
      if (outcome.status != jacobi::Status::out_of_sweeps) break;
    }
    const Outcome outcome = system.solved(curve.method, curve.alpha, 1e-3f, 1000);
    std::printf("%s: %s after %d sweeps, residual %g\n", curve.name.c_str(),
                names[static_cast<int>(outcome.status)], outcome.sweeps, outcome.residual);
  }
  draw(curves, "convergence.svg");
} catch (const std::exception& error) {
  std::fprintf(stderr, "convergence: %s\n", error.what());
  return 1;
}
