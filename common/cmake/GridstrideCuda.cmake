# Finds nvcc where the toolkit's installer leaves it, the compiler it works with, and settles what it
# generates code for.
#
# Included before project(), because CMake tests the compiler there. `native` is never used: it asks a
# GPU, and most machines that build the course have none. PTX alone runs everywhere: the simulator
# reads it and a driver compiles it for the GPU it finds.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
endif()

if(DEFINED ENV{CUDACXX})
  set(gridstride_nvcc "$ENV{CUDACXX}")
else()
  file(GLOB gridstride_toolkits LIST_DIRECTORIES true "/usr/local/cuda-*")
  list(SORT gridstride_toolkits COMPARE NATURAL ORDER DESCENDING)
  list(TRANSFORM gridstride_toolkits APPEND "/bin")
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin ${gridstride_toolkits})
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "The CUDA toolkit was not found: there is no nvcc on PATH or under "
                        "/usr/local. Install it (https://developer.nvidia.com/cuda-downloads) or set "
                        "CUDACXX to the path of nvcc.")
  endif()
  set(gridstride_nvcc "${CMAKE_CUDA_COMPILER}")
endif()

# The host compiler: CMake's variables come first, then nvcc's own (NVCC_CCBIN), then what nvcc takes.
if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
  set(gridstride_host_compiler_script "${CMAKE_CURRENT_SOURCE_DIR}/common/tools/host_compiler.sh")
  execute_process(COMMAND "${gridstride_host_compiler_script}" "${gridstride_nvcc}"
                  OUTPUT_VARIABLE gridstride_host_compiler OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE gridstride_host_compiler_missing)
  if(gridstride_host_compiler_missing)
    message(FATAL_ERROR "${gridstride_nvcc} takes none of the C++ compilers on this machine: they are "
                        "newer than the toolkit. Install ${gridstride_host_compiler}, or a newer "
                        "toolkit, or set CUDAHOSTCXX to a compiler that it takes.")
  endif()
  if(gridstride_host_compiler)
    set(CMAKE_CUDA_HOST_COMPILER "${gridstride_host_compiler}" CACHE FILEPATH
        "What nvcc hands host code to")
  endif()
endif()

# `lab sim FILE.cu` compiles without CMake, and reads it there.
if(CMAKE_CUDA_HOST_COMPILER)
  file(WRITE "${CMAKE_BINARY_DIR}/host_compiler.txt" "${CMAKE_CUDA_HOST_COMPILER}")
else()
  file(REMOVE "${CMAKE_BINARY_DIR}/host_compiler.txt")
endif()

# Headers of ours that stand before the system's: see there.
set(gridstride_glibc_overlay "${CMAKE_CURRENT_SOURCE_DIR}/common/glibc_overlay")
if(NOT CMAKE_CUDA_FLAGS MATCHES "glibc_overlay")
  set(CMAKE_CUDA_FLAGS "-isystem \"${gridstride_glibc_overlay}\" $ENV{CUDAFLAGS} ${CMAKE_CUDA_FLAGS}"
      CACHE STRING "Flags of every compilation with nvcc" FORCE)
endif()

# For those who start nvcc themselves.
set(gridstride_nvcc_options -isystem "${gridstride_glibc_overlay}")
if(CMAKE_CUDA_HOST_COMPILER)
  list(APPEND gridstride_nvcc_options -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
endif()
