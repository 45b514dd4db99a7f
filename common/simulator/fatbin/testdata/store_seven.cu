// The kernel in the containers beside this file. Written by
//   for m in none speed size balance; do
//     nvcc -fatbin -arch=compute_75 -compress-mode=$m store_seven.cu -o $m.fatbin
//   done
//   nvcc -fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=sm_80 \
//     -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=compute_90a \
//     -rdc=true -lineinfo store_seven.cu -o several.fatbin
//   nvcc -fatbin -gencode arch=compute_80,code=sm_80 store_seven.cu -o machine_code.fatbin
__global__ void store_seven(int* out) { out[threadIdx.x] = 7; }
