# Packages: the distribution's where it has them, else fetched at the version named here.
#
# No version is asked for, because a bound shuts out what would do. What counts is whether a package
# has what the course uses: common/cmake/packages/<name>.cpp uses it and is compiled: all of
# them at once, and none again that was looked at before.
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

# gridstride_compiles(RESULT WORDS TARGETS NAME…): whether packages/NAME.cpp compile with these targets.
function(gridstride_compiles result words targets)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  list(TRANSFORM ARGN REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/common/cmake/packages/\\1.cpp" OUTPUT_VARIABLE sources)
  try_compile(compiles "${CMAKE_BINARY_DIR}/packages/${result}" SOURCES ${sources}
              LINK_LIBRARIES ${targets} CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON OUTPUT_VARIABLE said)
  set(${result} "${compiles}" PARENT_SCOPE)
  set(${words} "${said}" PARENT_SCOPE)
  unset(compiles CACHE)
endfunction()

# gridstride_serves(NAME TARGET TITLE PLACE TAG): what stands in PLACE is taken if it has what the course uses,
# which gridstride_all_serve() finds out. TAG is what would be fetched in its place; "" for nothing.
function(gridstride_serves name target title place tag)
  set(looked_at "${title} in ${place} for ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  if(GRIDSTRIDE_SERVED_BY_${name} STREQUAL looked_at)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY gridstride_to_look_at ${name})
  foreach(what IN ITEMS target title place tag looked_at)
    set_property(GLOBAL PROPERTY gridstride_${name}_${what} "${${what}}")
  endforeach()
endfunction()

# gridstride_all_serve(): stops unless each package has what the course uses.
function(gridstride_all_serve)
  get_property(names GLOBAL PROPERTY gridstride_to_look_at)
  if(NOT names)
    return()
  endif()
  foreach(name IN LISTS names)
    foreach(what IN ITEMS target title place tag looked_at)
      get_property(${name}_${what} GLOBAL PROPERTY gridstride_${name}_${what})
    endforeach()
    list(APPEND targets ${${name}_target})
  endforeach()
  gridstride_compiles(serve words "${targets}" ${names}) # at once, for it takes less time
  foreach(name IN LISTS names)
    if(NOT serve)
      gridstride_compiles(serves words "${${name}_target}" ${name})
      if(NOT serves)
        set(otherwise "")
        if(${name}_tag)
          set(otherwise ", or remove it: then ${${name}_tag} is fetched")
        endif()
        message(FATAL_ERROR "${${name}_title} is installed (${${name}_place}), but it lacks what the course "
                            "uses. Install a newer version${otherwise}. The compiler said:\n${words}")
      endif()
    endif()
    set(GRIDSTRIDE_SERVED_BY_${name} "${${name}_looked_at}" CACHE INTERNAL "")
  endforeach()
endfunction()

# gridstride_package(NAME TARGET REPOSITORY TAG [OPTIONS …]): find_package, and gridstride_serves() for what was
# found, unless that is the version of TAG; else gridstride_fetch.
function(gridstride_package name target repository tag)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    gridstride_fetch(${name} "${repository}" "${tag}" ${ARGN})
    return()
  endif()
  string(REGEX MATCH "[0-9.]+$" known "${tag}")
  if(${name}_VERSION VERSION_EQUAL known)
    return()
  endif()
  gridstride_serves(${name} ${target} "${name} ${${name}_VERSION}" "${${name}_DIR}" "${tag}")
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
# Taken as gridstride_format: common/format_functions.cpp says why.
gridstride_package(fmt fmt::fmt https://github.com/fmtlib/fmt.git 9.1.0)

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

# utfcpp: headers only, under a target name that changed between versions.
add_library(gridstride_utfcpp INTERFACE)
find_path(UTFCPP_INCLUDE_DIR utf8.h PATH_SUFFIXES utf8cpp)
if(UTFCPP_INCLUDE_DIR)
  target_include_directories(gridstride_utfcpp SYSTEM INTERFACE "${UTFCPP_INCLUDE_DIR}")
  gridstride_serves(utfcpp gridstride_utfcpp utfcpp "${UTFCPP_INCLUDE_DIR}" v4.0.5)
else()
  gridstride_fetch(utfcpp https://github.com/nemtrif/utfcpp.git v4.0.5 FOLDER source)
  FetchContent_GetProperties(utfcpp SOURCE_DIR fetched)
  target_include_directories(gridstride_utfcpp SYSTEM INTERFACE "${fetched}/source")
endif()

# libelf is elfutils', which is built with autotools: fetched, its sources are compiled here, without
# those that unpack compressed sections and so need zlib.
add_library(gridstride_libelf INTERFACE)
find_path(LIBELF_INCLUDE_DIR gelf.h)
find_library(LIBELF_LIBRARY elf)
if(LIBELF_INCLUDE_DIR AND LIBELF_LIBRARY)
  target_include_directories(gridstride_libelf SYSTEM INTERFACE "${LIBELF_INCLUDE_DIR}")
  target_link_libraries(gridstride_libelf INTERFACE "${LIBELF_LIBRARY}")
  gridstride_serves(libelf gridstride_libelf libelf "${LIBELF_LIBRARY}" elfutils-0.188)
else()
  enable_language(C)
  gridstride_fetch(elfutils https://sourceware.org/git/elfutils.git elfutils-0.188 FOLDER libelf)
  FetchContent_GetProperties(elfutils SOURCE_DIR fetched)
  file(GLOB sources "${fetched}/libelf/*.c")
  list(FILTER sources EXCLUDE REGEX "/elf_compress[^/]*$")
  add_library(elfutils_libelf STATIC ${sources})
  file(WRITE "${PROJECT_BINARY_DIR}/packages/elfutils/config.h" "#include <eu-config.h>\n")
  target_compile_definitions(elfutils_libelf PRIVATE _GNU_SOURCE HAVE_CONFIG_H HAVE_ERROR_H
    HAVE_VISIBILITY HAVE_DECL_MEMPCPY HAVE_DECL_MEMRCHR HAVE_DECL_POWEROF2 HAVE_DECL_RAWMEMCHR
    HAVE_DECL_REALLOCARRAY)
  target_include_directories(elfutils_libelf PRIVATE "${PROJECT_BINARY_DIR}/packages/elfutils"
                                                     "${fetched}/lib")
  target_include_directories(elfutils_libelf SYSTEM PUBLIC "${fetched}/libelf")
  target_compile_options(elfutils_libelf PRIVATE -w)
  target_link_libraries(gridstride_libelf INTERFACE elfutils_libelf)
endif()

# libseccomp's sources come without their generated tables, so it is not fetched: a grader that is built
# without it refuses no system calls, and `./lab doctor` says so.
add_library(gridstride_seccomp INTERFACE)
find_path(SECCOMP_INCLUDE_DIR seccomp.h)
find_library(SECCOMP_LIBRARY seccomp)
if(SECCOMP_INCLUDE_DIR AND SECCOMP_LIBRARY)
  target_include_directories(gridstride_seccomp SYSTEM INTERFACE "${SECCOMP_INCLUDE_DIR}")
  target_link_libraries(gridstride_seccomp INTERFACE "${SECCOMP_LIBRARY}")
  target_compile_definitions(gridstride_seccomp INTERFACE GRIDSTRIDE_HAS_SECCOMP)
else()
  message(NOTICE "libseccomp is not installed: student code will be kept from no system call. "
                 "`./lab doctor` says how to install it")
endif()

# SQLite and libarchive are for whole classes (`lab class`) alone. Their sources are not built with CMake
# alone, so they are not fetched: without them the rest is built, and `./lab class` says what is missing.
find_package(SQLite3 QUIET)
find_package(LibArchive QUIET)
set(GRIDSTRIDE_CLASSES OFF)
if(SQLite3_FOUND AND LibArchive_FOUND)
  set(GRIDSTRIDE_SQLITE SQLite3::SQLite3) # from CMake 4.3 on
  if(NOT TARGET SQLite3::SQLite3)
    set(GRIDSTRIDE_SQLITE SQLite::SQLite3)
  endif()
  gridstride_serves(SQLite3 ${GRIDSTRIDE_SQLITE} SQLite "${SQLite3_INCLUDE_DIRS}" "")
  gridstride_serves(LibArchive LibArchive::LibArchive libarchive "${LibArchive_INCLUDE_DIRS}" "")
  set(GRIDSTRIDE_CLASSES ON)
else()
  message(NOTICE "SQLite or libarchive is not installed: there will be no `./lab class`.")
endif()

gridstride_all_serve()

# With GRIDSTRIDE_PORTABLE the shared libraries that a bare machine may lack are copied beside the
# programs: a folder built here then runs there.
if(GRIDSTRIDE_PORTABLE)
  set(libraries)
  foreach(library LIBELF_LIBRARY SECCOMP_LIBRARY)
    if(${library})
      list(APPEND libraries "${${library}}")
    endif()
  endforeach()
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
    list(APPEND libraries "${library}")
  endforeach()
  list(FILTER libraries INCLUDE REGEX "\\.so")
  foreach(library IN LISTS libraries)
    execute_process(COMMAND "${CMAKE_READELF}" --dynamic "${library}" OUTPUT_VARIABLE dynamic
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "soname: \\[([^]]+)\\]" soname "${dynamic}")
    file(REAL_PATH "${library}" library)
    configure_file("${library}" "${PROJECT_BINARY_DIR}/lib/${CMAKE_MATCH_1}" COPYONLY)
  endforeach()
endif()
