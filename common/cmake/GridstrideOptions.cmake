# Settings that every target of ours shares, as one interface library.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know that nvcc 12 learnt it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Programs stand in bin/, the simulated runtime in lib/sim/, stage libraries in stages/: the programs
# find each other relative to themselves, so a build folder can be carried to another machine.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

option(BUILD_TESTING "Build the tests" ON)
option(GRIDSTRIDE_WARNINGS_AS_ERRORS "Warn of our own code, and treat warnings as errors" ON)
option(GRIDSTRIDE_SANITIZE "Build host code with the address and undefined-behaviour sanitizers" OFF)
option(GRIDSTRIDE_FUZZ "Build the fuzz targets, and host code for them; needs Clang" OFF)
option(GRIDSTRIDE_TOGETHER "Compile several sources as one, which takes a third of the time" ON)
option(GRIDSTRIDE_PORTABLE "Bring along every shared library that a bare machine may lack" OFF)

add_library(gridstride_options INTERFACE)
target_include_directories(gridstride_options INTERFACE "${PROJECT_SOURCE_DIR}")
set(gridstride_host_options)
if(GRIDSTRIDE_WARNINGS_AS_ERRORS) # who is to be graded can do nothing about a warning in our code, and waits for it
  list(APPEND gridstride_host_options -Wall -Wextra -Wpedantic -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND gridstride_host_options -Wshadow=local)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND gridstride_host_options -Wno-restrict) # false alarms on "text" + std::string
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC looks for memory that it no longer needs from 128 MB on, and that takes a tenth of its time. Large sources take
  # a gigabyte in any case.
  list(APPEND gridstride_host_options --param=ggc-min-heapsize=1000000)
endif()
if(GRIDSTRIDE_SANITIZE)
  list(APPEND gridstride_host_options -fsanitize=address,undefined -fno-sanitize-recover=undefined
       -fno-omit-frame-pointer)
  target_link_options(gridstride_options INTERFACE -fsanitize=address,undefined)
endif()
if(GRIDSTRIDE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "Fuzz targets need Clang: cmake --preset fuzz")
  endif()
  set(gridstride_fuzz_options -fsanitize=fuzzer-no-link,address,undefined
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  list(APPEND gridstride_host_options ${gridstride_fuzz_options})
  target_link_options(gridstride_options INTERFACE ${gridstride_fuzz_options})
endif()
target_compile_options(gridstride_options
                       INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${gridstride_host_options}>")

if(GRIDSTRIDE_PORTABLE)
  # $ORIGIN in place of absolute paths, so that a carried folder uses the libraries it carries.
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
endif()
