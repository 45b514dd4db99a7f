# Settings that every target of ours shares, as one interface library.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Programs stand in bin/, the simulated runtime in lib/sim/, stage libraries in stages/: the programs
# find each other relative to themselves, so a build folder can be carried to another machine.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

option(GRIDSTRIDE_WARNINGS_AS_ERRORS "Treat warnings in our own code as errors" ON)
option(GRIDSTRIDE_SANITIZE "Build host code with the address and undefined-behaviour sanitizers" OFF)

add_library(gridstride_options INTERFACE)
target_include_directories(gridstride_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(gridstride_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow=local)
if(GRIDSTRIDE_WARNINGS_AS_ERRORS)
  target_compile_options(gridstride_options INTERFACE -Werror)
endif()
if(GRIDSTRIDE_SANITIZE)
  target_compile_options(gridstride_options INTERFACE -fsanitize=address,undefined
                                                     -fno-omit-frame-pointer)
  target_link_options(gridstride_options INTERFACE -fsanitize=address,undefined)
endif()
