# Finds nvcc where the toolkit's installer leaves it, and settles what it generates code for.
#
# Included before project(), because CMake tests the compiler there. `native` is never used: it asks a
# GPU, and most machines that build the course have none. PTX alone runs everywhere: the simulator
# reads it and a driver compiles it for the GPU it finds.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
endif()

if(NOT DEFINED ENV{CUDACXX})
  file(GLOB gridstride_toolkits LIST_DIRECTORIES true "/usr/local/cuda-*")
  list(SORT gridstride_toolkits COMPARE NATURAL ORDER DESCENDING)
  list(TRANSFORM gridstride_toolkits APPEND "/bin")
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin ${gridstride_toolkits})
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "The CUDA toolkit was not found: there is no nvcc on PATH or under "
                        "/usr/local. Install it (https://developer.nvidia.com/cuda-downloads) or set "
                        "CUDACXX to the path of nvcc.")
  endif()
endif()
