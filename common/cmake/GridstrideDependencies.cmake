# Packages: the distribution's where it has them, else fetched at the version named here.
#
# The versions are those of Debian 12, which is what the course is tested with.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(CUDAToolkit REQUIRED)

# gridstride_fetch(NAME REPOSITORY TAG [FOLDER of its CMakeLists.txt] [OPTIONS name=value …])
function(gridstride_fetch name repository tag)
  cmake_parse_arguments(arg "" "FOLDER" "OPTIONS" ${ARGN})
  message(STATUS "${name} is not installed: fetching ${tag} from ${repository}")
  foreach(option IN LISTS arg_OPTIONS)
    string(REPLACE "=" ";" option "${option}")
    list(GET option 0 key)
    list(GET option 1 value)
    set(${key} "${value}" CACHE INTERNAL "")
  endforeach()
  set(source_subdir)
  if(arg_FOLDER)
    set(source_subdir SOURCE_SUBDIR "${arg_FOLDER}")
  endif()
  FetchContent_Declare(${name} GIT_REPOSITORY "${repository}" GIT_TAG "${tag}" GIT_SHALLOW ON SYSTEM
                       ${source_subdir})
  FetchContent_MakeAvailable(${name})
endfunction()

find_package(GTest 1.12 QUIET)
if(NOT GTest_FOUND)
  gridstride_fetch(googletest https://github.com/google/googletest.git release-1.12.1
                   OPTIONS INSTALL_GTEST=OFF BUILD_GMOCK=OFF)
endif()

# From 1.8 on, names that the timing code uses changed.
find_package(benchmark 1.7.0...<1.8 QUIET)
if(NOT benchmark_FOUND)
  gridstride_fetch(benchmark https://github.com/google/benchmark.git v1.7.1
                   OPTIONS BENCHMARK_ENABLE_TESTING=OFF BENCHMARK_ENABLE_INSTALL=OFF
                           BENCHMARK_ENABLE_WERROR=OFF)
endif()

find_package(CLI11 2.1 QUIET)
if(NOT CLI11_FOUND)
  gridstride_fetch(CLI11 https://github.com/CLIUtils/CLI11.git v2.1.2
                   OPTIONS CLI11_BUILD_TESTS=OFF CLI11_BUILD_EXAMPLES=OFF CLI11_BUILD_DOCS=OFF)
endif()

find_package(nlohmann_json 3.11 QUIET)
if(NOT nlohmann_json_FOUND)
  gridstride_fetch(nlohmann_json https://github.com/nlohmann/json.git v3.11.2
                   OPTIONS JSON_BuildTests=OFF)
endif()

find_package(tomlplusplus 3.3 QUIET)
if(NOT tomlplusplus_FOUND)
  gridstride_fetch(tomlplusplus https://github.com/marzer/tomlplusplus.git v3.3.0)
endif()

# zstd and lz4 come under many target names; ours are gridstride_zstd and gridstride_lz4. Static
# archives are preferred: they make the simulated runtime independent of what the machine has.
add_library(gridstride_zstd INTERFACE)
find_package(zstd 1.4 QUIET)
if(NOT zstd_FOUND)
  gridstride_fetch(zstd https://github.com/facebook/zstd.git v1.5.4 FOLDER build/cmake
                   OPTIONS ZSTD_BUILD_PROGRAMS=OFF ZSTD_BUILD_SHARED=OFF ZSTD_BUILD_TESTS=OFF)
  FetchContent_GetProperties(zstd SOURCE_DIR fetched)
  target_include_directories(gridstride_zstd SYSTEM INTERFACE "${fetched}/lib")
  target_link_libraries(gridstride_zstd INTERFACE libzstd_static)
elseif(TARGET zstd::libzstd_static)
  target_link_libraries(gridstride_zstd INTERFACE zstd::libzstd_static)
else()
  target_link_libraries(gridstride_zstd INTERFACE zstd::libzstd_shared)
endif()

add_library(gridstride_lz4 INTERFACE)
find_path(LZ4_INCLUDE_DIR lz4.h)
find_library(LZ4_LIBRARY NAMES liblz4.a lz4)
if(LZ4_INCLUDE_DIR AND LZ4_LIBRARY)
  target_include_directories(gridstride_lz4 SYSTEM INTERFACE "${LZ4_INCLUDE_DIR}")
  target_link_libraries(gridstride_lz4 INTERFACE "${LZ4_LIBRARY}")
else()
  gridstride_fetch(lz4 https://github.com/lz4/lz4.git v1.9.4 FOLDER build/cmake
                   OPTIONS LZ4_BUILD_CLI=OFF LZ4_BUILD_LEGACY_LZ4C=OFF)
  FetchContent_GetProperties(lz4 SOURCE_DIR fetched)
  target_include_directories(gridstride_lz4 SYSTEM INTERFACE "${fetched}/lib")
  target_link_libraries(gridstride_lz4 INTERFACE lz4_static)
endif()

# With GRIDSTRIDE_PORTABLE the shared libraries that a bare machine may lack are copied beside the
# programs: a folder built here then runs there.
if(GRIDSTRIDE_PORTABLE)
  foreach(package benchmark::benchmark tomlplusplus::tomlplusplus)
    get_target_property(imported ${package} IMPORTED)
    if(NOT imported)
      continue() # fetched: linked statically
    endif()
    get_target_property(library ${package} IMPORTED_LOCATION_NONE)
    if(NOT library)
      get_target_property(library ${package} IMPORTED_LOCATION)
    endif()
    if(library MATCHES "\\.so")
      execute_process(COMMAND "${CMAKE_READELF}" --dynamic "${library}" OUTPUT_VARIABLE dynamic
                      COMMAND_ERROR_IS_FATAL ANY)
      string(REGEX MATCH "soname: \\[([^]]+)\\]" soname "${dynamic}")
      file(REAL_PATH "${library}" library)
      configure_file("${library}" "${PROJECT_BINARY_DIR}/lib/${CMAKE_MATCH_1}" COPYONLY)
    endif()
  endforeach()
endif()
