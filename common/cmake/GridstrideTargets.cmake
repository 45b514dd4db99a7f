# The kinds of target this project has.
include(GoogleTest)

# gridstride_files(VARIABLE FOLDER [CONFIGURE_DEPENDS] PATTERN…): files in FOLDER, whatever its own name is,
# that match. file(GLOB) alone takes brackets of FOLDER for a pattern.
function(gridstride_files variable folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "CONFIGURE_DEPENDS" "" "")
  string(REGEX REPLACE "([[*?])" "[\\1]" folder "${folder}")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND "${folder}/" OUTPUT_VARIABLE patterns)
  set(again)
  if(arg_CONFIGURE_DEPENDS)
    set(again CONFIGURE_DEPENDS)
  endif()
  file(GLOB found ${again} ${patterns})
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# gridstride_glob(VARIABLE FOLDER PATTERN…): the same, and the build looks again for new ones.
macro(gridstride_glob variable folder)
  gridstride_files(${variable} "${folder}" CONFIGURE_DEPENDS ${ARGN})
endmacro()

# gridstride_bytes(VARIABLE FILE…): what the files hold, one behind the other, as the elements of an array of
# char; the build is configured again when one changes.
function(gridstride_bytes variable)
  set(all "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND all "${bytes}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

# gridstride_together(TARGET [EACH SOURCE…]): compiles several sources as one, because most of the time that a
# small source takes goes to the headers it shares with the next. Those after EACH stay alone: the ones with
# loops that matter, where it gains nothing, and who else must not see another source's names.
function(gridstride_together target)
  cmake_parse_arguments(arg "" "" "EACH" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GRIDSTRIDE_TOGETHER} UNITY_BUILD_BATCH_SIZE 64)
  set_source_files_properties(${arg_EACH} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# gridstride_group(NAME SOURCE…): of a HOT library, sources that are compiled as one.
function(gridstride_group name)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
endfunction()

# gridstride_precompiled(NAME HEADERS … [OPTIONS …] [DEPENDS …]): headers compiled once for targets that have these
# options and say gridstride_reads_precompiled(); DEPENDS has the libraries of headers that are not the system's. Code
# stays as it is; only reading what all include is saved. The options must be the same to the last: GCC 12 takes
# another level of optimization, and then dies of it.
function(gridstride_precompiled name)
  cmake_parse_arguments(arg "" "" "HEADERS;OPTIONS;DEPENDS" ${ARGN})
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "// Nothing but headers.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE gridstride_options ${arg_DEPENDS})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# gridstride_reads_precompiled(TARGET NAME): not with a compiler cache, which it would defeat, nor where sources are
# kept apart so that each shows what it includes.
function(gridstride_reads_precompiled target name)
  if(NOT GRIDSTRIDE_TOGETHER OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "cache")
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  target_compile_options(${target} PRIVATE -fPIC) # also of a program's sources, or they could not share it
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 forgets that a precompiled <string> is the system's, and warns of "text" + std::string in it.
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
  endif()
endfunction()

# gridstride_library(NAME [HOT] SOURCES … [EACH SOURCE…] [DEPENDS …]): a static library of ours. What runs for each
# instruction of a kernel is HOT, and compiled with the simulator's flags; all else is cold. The sources are compiled
# together, but those after EACH.
function(gridstride_library name)
  cmake_parse_arguments(arg "HOT" "" "SOURCES;EACH;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES} ${arg_EACH})
  target_link_libraries(${name} PUBLIC gridstride_options ${arg_DEPENDS})
  if(arg_HOT)
    target_compile_options(${name} PRIVATE ${GRIDSTRIDE_SIM_FLAGS})
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${GRIDSTRIDE_TOGETHER} UNITY_BUILD_MODE GROUP)
    gridstride_group(${name} ${arg_SOURCES})
    gridstride_reads_precompiled(${name} sim_precompiled)
  else()
    gridstride_together(${name})
    gridstride_cold(${name})
    gridstride_reads_precompiled(${name} gridstride_precompiled)
  endif()
endfunction()

# gridstride_program(NAME [HOT] SOURCES … [DEPENDS …]): a program of ours, in bin/. It looks for libraries in lib/
# first, where a handout has them; the old kind of run path counts for what these need, too. What
# runs for each element of a stage's inputs is HOT.
function(gridstride_program name)
  cmake_parse_arguments(arg "HOT" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gridstride_options ${arg_DEPENDS})
  gridstride_together(${name})
  if(NOT arg_HOT)
    gridstride_cold(${name})
    gridstride_reads_precompiled(${name} gridstride_precompiled)
  endif()
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
  target_link_options(${name} PRIVATE LINKER:--disable-new-dtags)
endfunction()

# gridstride_cold(TARGET…): what runs once for each command or kernel. Optimizing it takes longer than it gains,
# and a first `./lab grade` waits for it.
function(gridstride_cold)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# gridstride_unoptimized(SOURCE…): of this folder, what reads a command line. CLI11 is templates throughout.
function(gridstride_unoptimized)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O0>
                              SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# gridstride_test(NAME [ALONE] [HOT] SOURCES … [DEPENDS …] [FILTERS PART=FILTER…]): a GoogleTest program, its cases known to
# CTest: each as a test, or those of each FILTER as one, NAME.PART, where most of the time goes to what they share. ALONE: it looks at
# the whole machine, so nothing else may run meanwhile. HOT: it runs for longer than it is compiled, as what reads much
# JSON does. Its sources are compiled together, a few at a time: what they
# declare for themselves needs a name of its own. Without BUILD_TESTING the target is there, for those who add
# to it, but nothing builds it.
function(gridstride_test name)
  cmake_parse_arguments(arg "ALONE;HOT" "" "SOURCES;DEPENDS;FILTERS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gridstride_options ${arg_DEPENDS} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${GRIDSTRIDE_TOGETHER} UNITY_BUILD_BATCH_SIZE 8)
  if(arg_HOT)
    gridstride_cold(${name})
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
    gridstride_reads_precompiled(${name} test_precompiled)
  endif()
  if(NOT BUILD_TESTING)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(arg_FILTERS)
    foreach(filter IN LISTS arg_FILTERS)
      string(REGEX MATCH "^[A-Za-z0-9_]+" part "${filter}")
      string(REGEX REPLACE "^[A-Za-z0-9_]+=" "" filter "${filter}")
      add_test(NAME ${name}.${part} COMMAND ${name} "--gtest_filter=${filter}" "--gtest_brief=1")
      set_tests_properties(${name}.${part} PROPERTIES FAIL_REGULAR_EXPRESSION " 0 tests from 0 ")
    endforeach()
    return()
  endif()
  set(serial FALSE)
  if(arg_ALONE)
    set(serial TRUE)
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                       PROPERTIES RUN_SERIAL ${serial})
endfunction()

# gridstride_sheets(VARIABLE FOLDER SIZE SOURCE…): files in FOLDER that include so many of the sources each, for nvcc to
# compile them together: most of its time goes to headers. Names of the sources must be unique among them.
function(gridstride_sheets variable folder size)
  file(MAKE_DIRECTORY "${folder}")
  set(sheets)
  set(together)
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left source)
    list(APPEND together "${source}")
    list(LENGTH together count)
    if(left AND count LESS size)
      continue()
    endif()
    list(LENGTH sheets number)
    gridstride_sheet("${folder}/sheet_${number}.cu" ${together})
    list(APPEND sheets "${folder}/sheet_${number}.cu")
    set(together)
  endwhile()
  set(${variable} "${sheets}" PARENT_SCOPE)
endfunction()

# gridstride_sheet(FILE SOURCE…): writes one.
function(gridstride_sheet file)
  list(JOIN ARGN "\"\n#include \"" text)
  file(CONFIGURE OUTPUT "${file}" CONTENT "// Compiled together.\n#include \"${text}\"\n" @ONLY)
endfunction()

# gridstride_fuzz(NAME SOURCES … [DEPENDS …]): a libFuzzer program, in fuzz/. With GRIDSTRIDE_FUZZ only.
function(gridstride_fuzz name)
  if(NOT GRIDSTRIDE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gridstride_options ${arg_DEPENDS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
endfunction()
