// Variables of every kind that debug information tells of. variables.ptx:
//   nvcc -std=c++20 -ptx -G -arch=compute_75 variables.cu
struct Point {
  float x, y;
  int id[3];
  const Point* next;
};

enum class Mode : unsigned { fast, exact };

__constant__ float weights[8];

__device__ __noinline__ float scaled(const Point& point, int times) {
  float sum = point.x;
  for (int i = 0; i < times; ++i) {
    float part = point.y * weights[i];
    sum += part;
  }
  return sum;
}

__global__ void collect(const Point* in, double* out, long count, Mode mode, Point origin) {
  extern __shared__ double totals[];
  __shared__ float tile[4][9];
  float powers[4];
  unsigned char low = threadIdx.x;
  const bool odd = low & 1;
  for (int i = 0; i < 4; ++i) powers[i] = low * i;
  if (mode == Mode::exact && low < count) {
    int i = 7;
    tile[low & 3][i] = scaled(in[low], i) + origin.y;
  }
  totals[low] = powers[low & 3] + odd;
  __syncthreads();
  out[low] = totals[low ^ 1] + tile[low & 3][0];
}
