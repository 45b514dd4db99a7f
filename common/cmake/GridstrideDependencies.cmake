# Packages: the distribution's where it has them, else fetched at the version named here.
#
# No version is asked for, because a bound shuts out what would do. What counts is whether a package
# has what the course uses: common/cmake/packages/<name>.cpp uses it and is compiled once.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(CUDAToolkit REQUIRED)

# gridstride_fetch(NAME REPOSITORY TAG [FOLDER of its CMakeLists.txt] [OPTIONS name=value …]): the last
# resort, for `./lab` names the system's own package first.
function(gridstride_fetch name repository tag)
  cmake_parse_arguments(arg "" "FOLDER" "OPTIONS" ${ARGN})
  message(NOTICE "${name} is not installed: fetching ${tag} from the network (${repository})")
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

# gridstride_package(NAME TARGET REPOSITORY TAG [OPTIONS …]): find_package, and the proof that what was
# found has what the course uses; else gridstride_fetch.
function(gridstride_package name target repository tag)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    gridstride_fetch(${name} "${repository}" "${tag}" ${ARGN})
    return()
  endif()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(gridstride_${name}_serves "${CMAKE_BINARY_DIR}/packages/${name}"
              SOURCES "${PROJECT_SOURCE_DIR}/common/cmake/packages/${name}.cpp"
              LINK_LIBRARIES ${target} CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
              OUTPUT_VARIABLE words)
  if(NOT gridstride_${name}_serves)
    message(FATAL_ERROR "${name} ${${name}_VERSION} is installed (${${name}_DIR}), but it lacks what "
                        "the course uses. Install a newer version, or remove it: then ${tag} is "
                        "fetched. The compiler said:\n${words}")
  endif()
endfunction()

gridstride_package(GTest GTest::gtest https://github.com/google/googletest.git release-1.12.1
                   OPTIONS INSTALL_GTEST=OFF BUILD_GMOCK=OFF)
gridstride_package(benchmark benchmark::benchmark https://github.com/google/benchmark.git v1.7.1
                   OPTIONS BENCHMARK_ENABLE_TESTING=OFF BENCHMARK_ENABLE_INSTALL=OFF
                           BENCHMARK_ENABLE_WERROR=OFF)
gridstride_package(CLI11 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.1.2
                   OPTIONS CLI11_BUILD_TESTS=OFF CLI11_BUILD_EXAMPLES=OFF CLI11_BUILD_DOCS=OFF)
gridstride_package(nlohmann_json nlohmann_json::nlohmann_json https://github.com/nlohmann/json.git
                   v3.11.2 OPTIONS JSON_BuildTests=OFF)
gridstride_package(tomlplusplus tomlplusplus::tomlplusplus
                   https://github.com/marzer/tomlplusplus.git v3.3.0)
gridstride_package(pugixml pugixml::pugixml https://github.com/zeux/pugixml.git v1.13
                   OPTIONS PUGIXML_INSTALL=OFF)

# zstd and lz4 come under many target names; ours are gridstride_zstd and gridstride_lz4. Static
# archives are preferred: they make the simulated runtime independent of what the machine has.
add_library(gridstride_zstd INTERFACE)
find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(ZSTD_LIBRARY NAMES libzstd.a zstd)
if(ZSTD_INCLUDE_DIR AND ZSTD_LIBRARY)
  target_include_directories(gridstride_zstd SYSTEM INTERFACE "${ZSTD_INCLUDE_DIR}")
  target_link_libraries(gridstride_zstd INTERFACE "${ZSTD_LIBRARY}")
else()
  gridstride_fetch(zstd https://github.com/facebook/zstd.git v1.5.4 FOLDER build/cmake
                   OPTIONS ZSTD_BUILD_PROGRAMS=OFF ZSTD_BUILD_SHARED=OFF ZSTD_BUILD_TESTS=OFF)
  FetchContent_GetProperties(zstd SOURCE_DIR fetched)
  target_include_directories(gridstride_zstd SYSTEM INTERFACE "${fetched}/lib")
  target_link_libraries(gridstride_zstd INTERFACE libzstd_static)
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
  foreach(package benchmark::benchmark tomlplusplus::tomlplusplus pugixml::shared)
    if(NOT TARGET ${package})
      continue() # there is an archive only
    endif()
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
