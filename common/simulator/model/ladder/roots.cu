// Small equations solved many times: eigenvalues of symmetric matrices of three rows, by a formula
// in float and in double and by rotations; and Kepler's equation by Newton's steps, with the GPU's
// own sine, in float and in double.
#include "ladder.h"

namespace ladder::roots {

constexpr int matrices = 1 << 20, threads = 256;

template <class T>
struct Symmetric {
  T xx, xy, xz, yy, yz, zz;
};

template <class T>
struct Three {
  T a, b, c;
};

__host__ __device__ float sine(float v) { return sinf(v); }
__host__ __device__ double sine(double v) { return sin(v); }
__host__ __device__ float cosine(float v) { return cosf(v); }
__host__ __device__ double cosine(double v) { return cos(v); }
__host__ __device__ float angle(float v) { return acosf(v); }
__host__ __device__ double angle(double v) { return acos(v); }
__host__ __device__ float root(float v) { return sqrtf(v); }
__host__ __device__ double root(double v) { return sqrt(v); }

/// From the angle between the roots of the characteristic polynomial; the largest first.
template <class T>
__host__ __device__ Three<T> by_formula(Symmetric<T> m) {
  const T mean = (m.xx + m.yy + m.zz) / 3;
  const T x = m.xx - mean, y = m.yy - mean, z = m.zz - mean;
  const T beside = m.xy * m.xy + m.xz * m.xz + m.yz * m.yz;
  const T size = root((x * x + y * y + z * z + 2 * beside) / 6);
  const T determinant =
      x * (y * z - m.yz * m.yz) - m.xy * (m.xy * z - m.yz * m.xz) + m.xz * (m.xy * m.yz - y * m.xz);
  T r = determinant / (2 * size * size * size);
  r = r < -1 ? T(-1) : r > 1 ? T(1) : r;
  const T phi = angle(r) / 3, third = T(2.0943951023931955);
  const T first = mean + 2 * size * cosine(phi), last = mean + 2 * size * cosine(phi + third);
  return {first, 3 * mean - first - last, last};
}

/// Makes `between` of two axes zero; the third axis has `p` and `q` to them.
__device__ void rotate(float& one, float& other, float& between, float& p, float& q) {
  if (between == 0) return;
  const float theta = (other - one) / (2 * between);
  const float t = copysignf(1, theta) / (fabsf(theta) + sqrtf(theta * theta + 1));
  const float c = rsqrtf(t * t + 1), s = t * c;
  one -= t * between;
  other += t * between;
  between = 0;
  const float before = p;
  p = c * before - s * q;
  q = s * before + c * q;
}

__device__ Three<float> by_rotations(Symmetric<float> m) {
  for (int sweep = 0; sweep < 4; ++sweep) {
    rotate(m.xx, m.yy, m.xy, m.xz, m.yz);
    rotate(m.xx, m.zz, m.xz, m.xy, m.yz);
    rotate(m.yy, m.zz, m.yz, m.xy, m.xz);
  }
  const float most = fmaxf(m.xx, fmaxf(m.yy, m.zz)), least = fminf(m.xx, fminf(m.yy, m.zz));
  return {most, m.xx + m.yy + m.zz - most - least, least};
}

/// An array for each of the six.
__host__ __device__ Symmetric<float> matrix(const float* in, int i) {
  return {in[i],
          in[i + matrices],
          in[i + 2 * matrices],
          in[i + 3 * matrices],
          in[i + 4 * matrices],
          in[i + 5 * matrices]};
}

template <class T>
__host__ __device__ Symmetric<T> as(Symmetric<float> m) {
  return {T(m.xx), T(m.xy), T(m.xz), T(m.yy), T(m.yz), T(m.zz)};
}

template <class T>
__global__ void formulas(const float* in, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const Three<T> values = by_formula(as<T>(matrix(in, i)));
  out[i] = float(values.a);
  out[i + matrices] = float(values.b);
  out[i + 2 * matrices] = float(values.c);
}

__global__ void rotations(const float* in, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const Three<float> values = by_rotations(matrix(in, i));
  out[i] = values.a;
  out[i + matrices] = values.b;
  out[i + 2 * matrices] = values.c;
}

constexpr int orbits = 1 << 19, steps = 6;

struct Quick {
  __device__ static float sine(float v) { return __sinf(v); }
  __device__ static float cosine(float v) { return __cosf(v); }
};
struct Exact {
  template <class T>
  __host__ __device__ static T sine(T v) {
    return roots::sine(v);
  }
  template <class T>
  __host__ __device__ static T cosine(T v) {
    return roots::cosine(v);
  }
};

/// E - e sin E = M.
template <class Functions, class T>
__host__ __device__ T anomaly(T mean, T e) {
  T guess = mean;
  for (int k = 0; k < steps; ++k) {
    guess -= (guess - e * Functions::sine(guess) - mean) / (1 - e * Functions::cosine(guess));
  }
  return guess;
}

template <class T, class Functions>
__global__ void anomalies(const float* mean, const float* e, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = float(anomaly<Functions>(T(mean[i]), T(e[i])));
}

Kernels eigenvalues() {
  const Array<float> in(6 * matrices, [](std::uint32_t i) { return 2 * fraction(i) - 0.7F; }),
      out(3 * matrices);
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<matrices / threads, threads>>>(in.device(), out.device()); },
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(matrices, [&](std::size_t i) {
                      const Three<double> all = by_formula(as<double>(matrix(&in[0], int(i))));
                      return std::abs(got[i] - all.a) < 2e-3 &&
                             std::abs(got[i + matrices] - all.b) < 2e-3 &&
                             std::abs(got[i + 2 * matrices] - all.c) < 2e-3;
                    });
                  }};
  };
  return {way("formula", formulas<float>), way("formula in double", formulas<double>),
          way("rotations", rotations)};
}

Kernels orbits_of_planets() {
  const Array<float> mean(orbits, [](std::uint32_t i) { return 0.1F + 6 * fraction(i); }),
      e(orbits, [](std::uint32_t i) { return 0.5F * fraction(~i); }), out(orbits);
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{
        name, [=] { out.clear(); },
        [=] { kernel<<<orbits / threads, threads>>>(mean.device(), e.device(), out.device()); },
        [=] {
          const std::vector<float> got = out.read();
          return sampled(orbits, [&](std::size_t i) {
            return near(got[i], anomaly<Exact>(double(mean[i]), double(e[i])), 1e-3);
          });
        }};
  };
  return {way("own sine", anomalies<float, Quick>), way("float", anomalies<float, Exact>),
          way("double", anomalies<double, Exact>)};
}

}  // namespace ladder::roots
