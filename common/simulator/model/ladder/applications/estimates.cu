// Values that are found step by step: states of what is observed with noise (Kalman), the solution of
// a sparse system by conjugate gradients, and yields of bonds by Newton's method.
#include <cooperative_groups.h>

#include <algorithm>
#include <array>

#include "ladder.h"

namespace ladder::estimates {

// Kalman filters: places and speeds in a plane, of which places are observed.
constexpr int series = 8192, steps = 64, order = 4;

struct Motion {
  float step[order][order], noise[order], of_observation;
};
constexpr Motion motion = {{{0.99F, 0.02F, 0.5F, 0},
                            {-0.02F, 0.99F, 0, 0.5F},
                            {-0.01F, 0, 0.97F, 0.1F},
                            {0, -0.01F, -0.1F, 0.97F}},
                           {0.01F, 0.01F, 0.04F, 0.04F},
                           0.5F};
__constant__ Motion moved;

template <class T>
struct State {
  T x[order], p[order][order];
};

/// What is known after a step and an observation.
template <class T>
__host__ __device__ void filtered(State<T>& s, const Motion& m, float2 observed) {
  T x[order], half[order][order];
#pragma unroll
  for (int r = 0; r < order; ++r) {
    x[r] = 0;
#pragma unroll
    for (int c = 0; c < order; ++c) {
      x[r] += m.step[r][c] * s.x[c];
      half[r][c] = 0;
#pragma unroll
      for (int k = 0; k < order; ++k) half[r][c] += m.step[r][k] * s.p[k][c];
    }
  }
#pragma unroll
  for (int r = 0; r < order; ++r) {
#pragma unroll
    for (int c = 0; c < order; ++c) {
      s.p[r][c] = r == c ? T(m.noise[r]) : T(0);
#pragma unroll
      for (int k = 0; k < order; ++k) s.p[r][c] += half[r][k] * m.step[c][k];
    }
  }
  const T a = s.p[0][0] + m.of_observation, b = s.p[0][1], d = s.p[1][1] + m.of_observation;
  const T scale = T(1) / (a * d - b * b), dx = observed.x - x[0], dy = observed.y - x[1];
  T top[2][order];
#pragma unroll
  for (int c = 0; c < order; ++c) top[0][c] = s.p[0][c], top[1][c] = s.p[1][c];
#pragma unroll
  for (int r = 0; r < order; ++r) {
    const T first = (s.p[r][0] * d - s.p[r][1] * b) * scale;
    const T second = (s.p[r][1] * a - s.p[r][0] * b) * scale;
    s.x[r] = x[r] + first * dx + second * dy;
#pragma unroll
    for (int c = 0; c < order; ++c) s.p[r][c] -= first * top[0][c] + second * top[1][c];
  }
}

template <class T>
__host__ __device__ State<T> unknown() {
  State<T> s = {};
  for (int k = 0; k < order; ++k) s.p[k][k] = T(1);
  return s;
}

/// Entry `k * step_stride + i * stride` is of step k of series i.
__global__ void series_a_thread(const float2* observed, float2* places, int stride,
                                int step_stride) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  State<float> s = unknown<float>();
  for (int k = 0; k < steps; ++k) {
    const int at = k * step_stride + i * stride;
    filtered(s, moved, observed[at]);
    places[at] = {s.x[0], s.x[1]};
  }
}

__device__ float of_lane(float value, int lane) {
  return __shfl_sync(0xffffffffU, value, lane, order);
}

/// Four lanes a series, a row of the covariance each; series lie one behind the other.
__global__ void series_four_lanes(const float2* observed, float2* places) {
  const int n = blockIdx.x * 128 + threadIdx.x, i = n / order, r = n % order;
  float row[order], step[order], x = 0;
#pragma unroll
  for (int c = 0; c < order; ++c) {
    row[c] = r == c ? 1.0F : 0.0F;
    step[c] = moved.step[r][c];
  }
  const float noise = moved.noise[r];
  for (int k = 0; k < steps; ++k) {
    const float2 seen = observed[i * steps + k];
    float next = 0, half[order] = {};
#pragma unroll
    for (int j = 0; j < order; ++j) {
      next += step[j] * of_lane(x, j);
#pragma unroll
      for (int c = 0; c < order; ++c) half[c] += step[j] * of_lane(row[c], j);
    }
#pragma unroll
    for (int c = 0; c < order; ++c) {
      row[c] = r == c ? noise : 0.0F;
#pragma unroll
      for (int j = 0; j < order; ++j) row[c] += half[j] * moved.step[c][j];
    }
    float top[2][order];
#pragma unroll
    for (int c = 0; c < order; ++c) top[0][c] = of_lane(row[c], 0), top[1][c] = of_lane(row[c], 1);
    const float a = top[0][0] + moved.of_observation, b = top[0][1];
    const float d = top[1][1] + moved.of_observation, scale = 1.0F / (a * d - b * b);
    const float first = (row[0] * d - row[1] * b) * scale;
    const float second = (row[1] * a - row[0] * b) * scale;
    x = next + first * (seen.x - of_lane(next, 0)) + second * (seen.y - of_lane(next, 1));
#pragma unroll
    for (int c = 0; c < order; ++c) row[c] -= first * top[0][c] + second * top[1][c];
    const float y = of_lane(x, 1);
    if (r == 0) places[i * steps + k] = {x, y};
  }
}

// Conjugate gradients: 4.2 times an unknown less its neighbours on a grid, 16 iterations.
constexpr int side = 256, unknowns = side * side, iterations = 16, grid = unknowns / 256;

/// `squares[k]` is that of the residual before iteration k, `curves[k]` direction times matrix times
/// direction in it; both begin as zeros.
struct System {
  float *x, *residual, *direction, *other, *product;
  double *squares, *curves;
};

template <class Value>
__host__ __device__ float times_matrix(int i, Value value) {
  const int x = i % side, y = i / side;
  float sum = 4.2F * value(i);
  if (x > 0) sum -= value(i - 1);
  if (x < side - 1) sum -= value(i + 1);
  if (y > 0) sum -= value(i - side);
  if (y < side - 1) sum -= value(i + side);
  return sum;
}

__global__ void multiply(System s) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  s.product[i] = times_matrix(i, [&](int k) { return s.direction[k]; });
}

__global__ void add_dot(const float* a, const float* b, double* sum) {
  __shared__ double of_warps[32];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const double all = block_sum(double(a[i]) * b[i], of_warps);
  if (threadIdx.x == 0) atomicAdd(sum, all);
}

__global__ void step_along(System s, int k) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const auto part = float(s.squares[k] / s.curves[k]);
  s.x[i] += part * s.direction[i];
  s.residual[i] -= part * s.product[i];
}

__global__ void turn(System s, int k) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  s.direction[i] = s.residual[i] + float(s.squares[k + 1] / s.squares[k]) * s.direction[i];
}

/// The new direction from the old one in `direction` to `other`, its product, and their sum.
__global__ void turn_and_multiply(System s, int k) {
  __shared__ double of_warps[32];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float part = k == 0 ? 0.0F : float(s.squares[k] / s.squares[k - 1]);
  const auto turned = [&](int at) { return s.residual[at] + part * s.direction[at]; };
  const float own = turned(i), product = times_matrix(i, turned);
  s.other[i] = own;
  s.product[i] = product;
  const double all = block_sum(double(own) * product, of_warps);
  if (threadIdx.x == 0) atomicAdd(s.curves + k, all);
}

__global__ void step_and_square(System s, int k) {
  __shared__ double of_warps[32];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const auto part = float(s.squares[k] / s.curves[k]);
  s.x[i] += part * s.other[i];
  const float left = s.residual[i] - part * s.product[i];
  s.residual[i] = left;
  const double all = block_sum(double(left) * left, of_warps);
  if (threadIdx.x == 0) atomicAdd(s.squares + k + 1, all);
}

/// All iterations in one launch of as many blocks as run at once.
__global__ void all_iterations(System s) {
  __shared__ double of_warps[32];
  const auto all_blocks = cooperative_groups::this_grid();
  const int first = blockIdx.x * 256 + threadIdx.x, stride = gridDim.x * 256;
  const auto add = [&](double own, double* sum) {
    own = block_sum(own, of_warps);
    if (threadIdx.x == 0) atomicAdd(sum, own);
    all_blocks.sync();
  };
  double square = 0;
  for (int i = first; i < unknowns; i += stride) square += double(s.residual[i]) * s.residual[i];
  add(square, s.squares);
  for (int k = 0; k < iterations; ++k) {
    double curve = 0;
    for (int i = first; i < unknowns; i += stride) {
      const float product = times_matrix(i, [&](int at) { return s.direction[at]; });
      s.product[i] = product;
      curve += double(s.direction[i]) * product;
    }
    add(curve, s.curves + k);
    const auto part = float(s.squares[k] / s.curves[k]);
    square = 0;
    for (int i = first; i < unknowns; i += stride) {
      s.x[i] += part * s.direction[i];
      const float left = s.residual[i] - part * s.product[i];
      s.residual[i] = left;
      square += double(left) * left;
    }
    add(square, s.squares + k + 1);
    const auto turned = float(s.squares[k + 1] / s.squares[k]);
    for (int i = first; i < unknowns; i += stride) {
      s.direction[i] = s.residual[i] + turned * s.direction[i];
    }
    all_blocks.sync();
  }
}

// Yields: what a bond pays each half year, for how long, and its price.
constexpr int bonds = 8192, most_payments = 60, most_steps = 20;

struct Bond {
  double coupon, price;
  int payments;
};

/// What the price at a yield is too high by, and how it changes with the yield.
struct Excess {
  double value, slope;
};

/// Each payment by its own power.
__device__ Excess excess_by_powers(const Bond& bond, double yield) {
  Excess all = {-bond.price, 0};
  for (int k = 1; k <= bond.payments; ++k) {
    const double paid = bond.coupon + (k == bond.payments ? 100.0 : 0.0);
    all.value += paid / pow(1 + yield, double(k));
    all.slope -= k * paid / pow(1 + yield, double(k + 1));
  }
  return all;
}

__host__ __device__ Excess excess_by_factors(const Bond& bond, double yield) {
  const double factor = 1 / (1 + yield);
  Excess all = {-bond.price, 0};
  double worth = 1;
  for (int k = 1; k <= bond.payments; ++k) {
    worth *= factor;
    const double now = worth * (bond.coupon + (k == bond.payments ? 100.0 : 0.0));
    all.value += now;
    all.slope -= k * now;
  }
  all.slope *= factor;
  return all;
}

template <class Of>
__host__ __device__ double yield_of(const Bond& bond, Of excess) {
  double yield = 0.03;
  for (int k = 0; k < most_steps; ++k) {
    const Excess now = excess(bond, yield);
    const double change = now.value / now.slope;
    yield -= change;
    if (fabs(change) < 1e-10) break;
  }
  return yield;
}

__global__ void yields_by_powers(const Bond* all, double* yields) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  yields[i] = yield_of(all[i], excess_by_powers);
}

__global__ void yields_by_factors(const Bond* all, double* yields) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  yields[i] = yield_of(all[i], excess_by_factors);
}

/// A warp a bond: a lane has each 32nd payment.
__global__ void bond_a_warp(const Bond* all, double* yields) {
  const int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const double yield = yield_of(all[i], [=](const Bond& bond, double tried) {
    const double factor = 1 / (1 + tried);
    // Powers of two of the factor, chosen by the bits of the payment's number.
    double worth = 1, power = factor;
    for (int bit = 1; bit < 64; bit *= 2) {
      if (((lane + 1) & bit) != 0) worth *= power;
      if (bit < 32) power *= power;
    }
    Excess sum = {0, 0};
    for (int k = lane + 1; k <= bond.payments; k += 32, worth *= power) {
      const double now = worth * (bond.coupon + (k == bond.payments ? 100.0 : 0.0));
      sum.value += now;
      sum.slope -= k * now;
    }
    return Excess{warp_sum(sum.value) - bond.price, warp_sum(sum.slope) * factor};
  });
  if (lane == 0) yields[i] = yield;
}

Kernels kalman_filters() {
  check(cudaMemcpyToSymbol(moved, &motion, sizeof motion));
  const auto seen = [](std::uint32_t i) {
    const float t = float(i % steps), speed = fraction(i / steps) - 0.5F;
    return float2{speed * t + fraction(2 * i) - 0.5F, 3 - speed * t + fraction(2 * i + 1) - 0.5F};
  };
  const Array<float2> observed(series * steps, seen);
  const Array<float2> by_step(
      series * steps, [=](std::uint32_t i) { return seen(i % series * steps + i / series); });
  const Array<float2> places(series * steps);
  const auto way = [=](const char* name, bool is_by_step, std::function<void()> launch) {
    const auto right = [=] {
      const std::vector<float2> got = places.read();
      return sampled(series, [&](std::size_t i) {
        State<double> s = unknown<double>();
        for (std::size_t k = 0; k < steps; ++k) {
          filtered(s, motion, observed[i * steps + k]);
          const float2 at = got[is_by_step ? k * series + i : i * steps + k];
          if (std::abs(at.x - s.x[0]) > 1e-3 || std::abs(at.y - s.x[1]) > 1e-3) return false;
        }
        return true;
      });
    };
    return Kernel{name, [=] { places.clear(); }, launch, right};
  };
  return {way("a thread a series, series one behind the other", false,
              [=] {
                series_a_thread<<<series / 64, 64>>>(observed.device(), places.device(), steps, 1);
              }),
          way("a thread a series, steps one behind the other", true,
              [=] {
                series_a_thread<<<series / 64, 64>>>(by_step.device(), places.device(), 1, series);
              }),
          way("four lanes a series", false, [=] {
            series_four_lanes<<<series / 32, 128>>>(observed.device(), places.device());
          })};
}

/// What the iterations come to on the host, in `double`.
std::vector<double> solution_of(const Array<float>& right_side) {
  std::vector<double> x(unknowns), residual(unknowns), direction, product(unknowns);
  for (std::size_t i = 0; i < unknowns; ++i) residual[i] = right_side[i];
  direction = residual;
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < unknowns; ++i) sum += a[i] * b[i];
    return sum;
  };
  double square = dot(residual, residual);
  for (int k = 0; k < iterations; ++k) {
    for (std::size_t i = 0; i < unknowns; ++i) {
      const std::size_t column = i % side, row = i / side;
      product[i] = 4.2F * direction[i] - (column > 0 ? direction[i - 1] : 0) -
                   (column < side - 1 ? direction[i + 1] : 0) -
                   (row > 0 ? direction[i - side] : 0) - (row < side - 1 ? direction[i + side] : 0);
    }
    const double part = square / dot(direction, product);
    for (std::size_t i = 0; i < unknowns; ++i) {
      x[i] += part * direction[i];
      residual[i] -= part * product[i];
    }
    const double next = dot(residual, residual);
    for (std::size_t i = 0; i < unknowns; ++i) {
      direction[i] = residual[i] + next / square * direction[i];
    }
    square = next;
  }
  return x;
}

Kernels conjugate_gradients() {
  const Array<float> right_side(unknowns, [](std::uint32_t i) { return fraction(i) - 0.3F; });
  const Array<float> x(unknowns), residual(unknowns), direction(unknowns), other(unknowns);
  const Array<float> product(unknowns);
  const Array<double> sums(2 * iterations + 1);
  const System s = {x.device(),
                    residual.device(),
                    direction.device(),
                    other.device(),
                    product.device(),
                    sums.device(),
                    sums.device() + iterations + 1};
  const auto way = [=](const char* name, std::function<void()> launch) {
    const auto renew = [=, kept = std::array<Array<float>, 2>{other, product}] {
      x.clear();
      sums.clear();
      for (const Array<float>& to : {residual, direction}) {
        check(cudaMemcpy(to.device(), right_side.device(), unknowns * sizeof(float),
                         cudaMemcpyDeviceToDevice));
      }
    };
    const auto right = [=] {
      const std::vector<float> got = x.read();
      const std::vector<double> wanted = solution_of(right_side);
      for (std::size_t i = 0; i < unknowns; ++i) {
        if (std::abs(got[i] - wanted[i]) > 1e-4) return false;
      }
      return true;
    };
    return Kernel{name, renew, launch, right};
  };
  int processors = 0, of_processor = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_processor, all_iterations, 256, 0));
  const int at_once = std::min(grid, processors * of_processor);
  return {way("five launches an iteration",
              [=] {
                add_dot<<<grid, 256>>>(s.residual, s.residual, s.squares);
                for (int k = 0; k < iterations; ++k) {
                  multiply<<<grid, 256>>>(s);
                  add_dot<<<grid, 256>>>(s.direction, s.product, s.curves + k);
                  step_along<<<grid, 256>>>(s, k);
                  add_dot<<<grid, 256>>>(s.residual, s.residual, s.squares + k + 1);
                  turn<<<grid, 256>>>(s, k);
                }
              }),
          way("two launches an iteration",
              [=] {
                System now = s;
                add_dot<<<grid, 256>>>(s.residual, s.residual, s.squares);
                for (int k = 0; k < iterations; ++k) {
                  turn_and_multiply<<<grid, 256>>>(now, k);
                  step_and_square<<<grid, 256>>>(now, k);
                  std::swap(now.direction, now.other);
                }
              }),
          way("one cooperative launch", [=] {
            System all = s;
            void* arguments[] = {&all};
            check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(all_iterations),
                                              dim3(at_once), dim3(256), arguments, 0, nullptr));
          })};
}

Kernels yields_of_bonds() {
  const Array<Bond> all(bonds, [](std::uint32_t i) {
    return Bond{0.5 + 4.0 * double(fraction(i)), 80 + 40 * double(fraction(i + 300000)),
                1 + int(mixed(i + 700000) % most_payments)};
  });
  const Array<double> yields(bonds);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { yields.clear(); }, launch,
                  [=] {
                    const std::vector<double> got = yields.read();
                    return sampled(bonds, [&](std::size_t i) {
                      return std::abs(got[i] - yield_of(all[i], excess_by_factors)) < 1e-9;
                    });
                  }};
  };
  return {way("a power a payment",
              [=] { yields_by_powers<<<bonds / 64, 64>>>(all.device(), yields.device()); }),
          way("a factor a payment",
              [=] { yields_by_factors<<<bonds / 64, 64>>>(all.device(), yields.device()); }),
          way("a warp a bond",
              [=] { bond_a_warp<<<bonds / 8, 256>>>(all.device(), yields.device()); })};
}

}  // namespace ladder::estimates
