# How a lab is built: every stage to a library of its own, and the lab's grader.
#
# What lab.toml names is built, and nothing else: a stage is a file labs/<lab>/<number>_<name>.cu, and
# the solution of the same name stands under solutions/<lab>/. In labs/<lab> lies what students hand in,
# under any name and of any kind, so no file there is looked for: stage-intake copies the named ones into
# the build folder, and the copies are compiled. No stage depends on another, so that one which does not
# compile costs nothing but itself (build with `ninja -k 0`).
#
# Targets:  stages-<lab>     the student's stages and the baseline
#           grader-<lab>     grade-<lab> and every program it starts; what stages need to be built
#           solutions-<lab>  wrong-<lab>  bench-<lab>   (where solutions/ is there)
# A single stage is built by the name of its file: `ninja stages/labs/reduction/3_sequential.so`.

set(gridstride_stage_root "${PROJECT_BINARY_DIR}/stages")
set(gridstride_stage_files so log warnings infrastructure text headers cu) # what a build leaves of a stage

# Compute capability of the simulated GPU that grades are given on (default_profile() in model/profile.h).
file(STRINGS "${PROJECT_SOURCE_DIR}/common/simulator/model/profiles/h200.toml" gridstride_simulated_capability
     REGEX "^capability = [0-9]+")
string(REGEX MATCH "[0-9]+" gridstride_simulated_capability "${gridstride_simulated_capability}")

# gridstride_lab_names(LAB STAGES HEADERS): what LAB's lab.toml names, as variables. Each stage's name
# and the list of headers stand on lines of their own.
function(gridstride_lab_names lab stages headers)
  set(config "${PROJECT_SOURCE_DIR}/labs/${lab}/lab.toml")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${config}")
  file(STRINGS "${config}" tables REGEX "^\\[\\[stage\\]\\]")
  file(STRINGS "${config}" names REGEX "^name *= *[\"'][0-9]+_[a-z0-9_]+[\"'] *$")
  list(LENGTH tables expected)
  list(LENGTH names found)
  if(NOT found EQUAL expected)
    message(FATAL_ERROR "labs/${lab}/lab.toml has ${expected} [[stage]] and ${found} lines such as "
                        "'name = \"3_sequential\"'. Give each stage one.")
  endif()
  list(TRANSFORM names REPLACE "^name *= *[\"']([0-9a-z_]+)[\"'] *$" "\\1")
  set(${stages} "${names}" PARENT_SCOPE)
  file(STRINGS "${config}" line REGEX "^headers *= *\\[")
  string(REGEX MATCHALL "[A-Za-z0-9_-][A-Za-z0-9_.-]*[.](h|cuh)" files "${line}")
  set(${headers} "${files}" PARENT_SCOPE)
endfunction()

# gridstride_needs_relocatable(VARIABLE LAB): whether lab.toml says that the lab's kernels launch
# kernels or call functions of other files.
function(gridstride_needs_relocatable variable lab)
  set(config "${PROJECT_SOURCE_DIR}/labs/${lab}/lab.toml")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${config}")
  file(STRINGS "${config}" relocatable REGEX "^relocatable_code *= *true")
  set(${variable} "${relocatable}" PARENT_SCOPE)
endfunction()

# gridstride_architectures(VARIABLE LAB STAGE): CMAKE_CUDA_ARCHITECTURES, or what of it lab.toml leaves by a
# line "compute_capability = 9.0" below the stage's name.
function(gridstride_architectures variable lab stage)
  file(STRINGS "${PROJECT_SOURCE_DIR}/labs/${lab}/lab.toml" lines REGEX "^(name|compute_capability) *=")
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  foreach(line IN LISTS lines)
    if(line MATCHES "^name *= *[\"']([0-9a-z_]+)[\"']")
      set(current "${CMAKE_MATCH_1}")
    elseif(current STREQUAL stage AND line MATCHES "= *([0-9]+)[.]([0-9])")
      set(needed "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
      list(TRANSFORM architectures REPLACE "^[0-9]+-virtual$" "${needed}-virtual")
      foreach(one IN LISTS architectures)
        if(one MATCHES "^([0-9]+)-real$" AND CMAKE_MATCH_1 LESS needed)
          list(REMOVE_ITEM architectures ${one})
        endif()
      endforeach()
    endif()
  endforeach()
  set(${variable} "${architectures}" PARENT_SCOPE)
endfunction()

# gridstride_stage_code(TARGET ARCHITECTURE…): what a stage library holds. Whatever GPU is at hand, there is the
# simulated GPU's machine code too: the simulator does not run it, but reads from it how many registers ptxas gave
# each kernel, which are to be the same on every machine.
function(gridstride_stage_code target)
  set(architectures ${ARGN})
  set(simulated ${gridstride_simulated_capability}-real)
  string(REGEX MATCH "([0-9]+)-virtual" ptx "${architectures}")
  if(NOT simulated IN_LIST architectures AND NOT CMAKE_MATCH_1 GREATER gridstride_simulated_capability)
    list(PREPEND architectures ${simulated})
  endif()
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
endfunction()

# gridstride_relocatable(TARGET [GUARD …]): relocatable device code, compiled with -rdc=true and
# device-linked with cudadevrt into the library or program. Both links of a stage, of device and of
# host code, read what was made of untrusted text: they are started by GUARD as the compiler is.
function(gridstride_relocatable target)
  set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON
                                             CUDA_RESOLVE_DEVICE_SYMBOLS ON)
  if(ARGN)
    list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE guard) # goes to the shell as it is
    list(JOIN guard " " guard)
    set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK "${guard}")
  endif()
endfunction()

# gridstride_stage(TARGET SOURCE FOLDER LAB): one stage library, FOLDER/<name of SOURCE>.so below
# stages/, and beside it what became of its build (grader/compile/stage_files.h). The source is
# untrusted: compile-guard runs compiler and linker where they can read nothing but the toolkit, the
# system's headers and what contract_files lists.
function(gridstride_stage target source folder lab)
  get_filename_component(stage "${source}" NAME_WE)
  set(output "${gridstride_stage_root}/${folder}")
  gridstride_lab_names("${lab}" stages contract_files)
  list(PREPEND contract_files "${lab}.h")
  list(TRANSFORM contract_files PREPEND "${PROJECT_SOURCE_DIR}/labs/${lab}/")
  list(APPEND contract_files "${PROJECT_SOURCE_DIR}/common")
  list(TRANSFORM contract_files PREPEND "--read=")
  set(guard "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/compile-guard" "--tree=${PROJECT_SOURCE_DIR}"
      "--log=${output}/${stage}.log" "--library=${output}/${stage}.so"
      "--copies=${gridstride_stage_root}")
  # nvcc may be a script that starts the real one elsewhere. Below /usr everything is shown.
  set(system "/usr")
  cmake_path(IS_PREFIX system "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}" NORMALIZE shown)
  if(NOT shown)
    list(APPEND guard "--read=${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}")
  endif()

  add_library(${target} MODULE EXCLUDE_FROM_ALL "${source}" $<TARGET_OBJECTS:contract-${lab}>)
  set_target_properties(
    ${target}
    PROPERTIES OUTPUT_NAME "${stage}"
               PREFIX ""
               SUFFIX ".so"
               LIBRARY_OUTPUT_DIRECTORY "${output}"
               LINKER_LANGUAGE CXX
               CUDA_RUNTIME_LIBRARY Shared
               SKIP_BUILD_RPATH ON # which CUDA runtime is loaded, the library path decides
               BUILD_WITH_INSTALL_RPATH OFF
               LINK_DEPENDS_NO_SHARED TRUE # or CMake 3.27 asks the linker to list its inputs
               CUDA_COMPILER_LAUNCHER "${guard};--read=${source};${contract_files};--")
  gridstride_architectures(architectures ${lab} ${stage})
  gridstride_stage_code(${target} ${architectures})
  gridstride_needs_relocatable(relocatable ${lab})
  if(relocatable)
    gridstride_relocatable(${target} ${guard} --)
  else()
    set_target_properties(${target} PROPERTIES CXX_LINKER_LAUNCHER "${guard};--")
  endif()
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE -lineinfo -UNDEBUG) # assert() works
  target_link_options(${target} PRIVATE -Wl,-z,defs)
  add_dependencies(${target} compile-guard)
endfunction()

# Declares stage libraries for `sources` and the target `all` that builds them.
function(gridstride_stages all prefix folder lab)
  add_custom_target(${all})
  foreach(source IN LISTS ARGN)
    get_filename_component(stage "${source}" NAME_WE)
    gridstride_stage(${prefix}-${lab}-${stage} "${source}" "${folder}" "${lab}")
    cmake_path(IS_PREFIX gridstride_stage_root "${source}" NORMALIZE is_copy)
    if(is_copy)
      add_dependencies(${prefix}-${lab}-${stage} handed-in-${prefix}-${lab})
    endif()
    add_dependencies(${all} ${prefix}-${lab}-${stage})
    list(APPEND names "${stage}")
  endforeach()
  # What is left of a source that is gone must not be graded in its place. The build must not look for these
  # files: it makes them, and would be configured again for each.
  list(TRANSFORM gridstride_stage_files PREPEND "*." OUTPUT_VARIABLE patterns)
  gridstride_files(built "${gridstride_stage_root}/${folder}" ${patterns})
  foreach(file IN LISTS built)
    get_filename_component(stage "${file}" NAME_WE)
    if(NOT stage IN_LIST names)
      file(REMOVE "${file}")
    endif()
  endforeach()
endfunction()

# gridstride_handed_in(VARIABLE PREFIX LAB FOLDER): the copies of FOLDER's stages in the build folder, which
# are what is compiled. Whether one has changed is for the program to find out, by the text and each time:
# times of files are the student's to set.
function(gridstride_handed_in variable prefix lab folder)
  gridstride_lab_names(${lab} stages headers)
  set(copies "${gridstride_stage_root}/${folder}")
  list(TRANSFORM stages REPLACE "(.+)" "${copies}/\\1.cu" OUTPUT_VARIABLE sources)
  add_custom_target(handed-in-${prefix}-${lab}
                    COMMAND stage-intake "${PROJECT_SOURCE_DIR}/${folder}" "${copies}" ${stages}
                    BYPRODUCTS ${sources} COMMENT "Looking at what is handed in for ${lab}" VERBATIM)
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# gridstride_add_lab(NAME): the lab in labs/NAME.
function(gridstride_add_lab lab)
  set(home "${PROJECT_SOURCE_DIR}/labs/${lab}")
  foreach(file "${lab}.h" lab.toml grader.cpp 0_baseline.cu)
    if(NOT EXISTS "${home}/${file}")
      message(FATAL_ERROR "The course names the lab '${lab}', but ${home}/${file} is missing.")
    endif()
  endforeach()

  # The adapter through which the runner calls a stage: the contract, compiled once with exporting on.
  set(adapter "${CMAKE_CURRENT_BINARY_DIR}/${lab}/contract.cpp")
  file(CONFIGURE OUTPUT "${adapter}" @ONLY
       CONTENT "// Generated from labs/@lab@/@lab@.h.\n#define GRIDSTRIDE_EXPORT_CONTRACT\n#include \"labs/@lab@/@lab@.h\"\n")
  add_library(contract-${lab} OBJECT EXCLUDE_FROM_ALL "${adapter}")
  target_include_directories(contract-${lab} PRIVATE "${PROJECT_SOURCE_DIR}")

  gridstride_handed_in(stages stage ${lab} labs/${lab})
  gridstride_stages(stages-${lab} stage labs/${lab} ${lab} "${home}/0_baseline.cu" ${stages})

  gridstride_program(grade-${lab} HOT SOURCES "${home}/grader.cpp" DEPENDS gridstride_judge)
  target_compile_definitions(grade-${lab} PRIVATE GRIDSTRIDE_LAB="${lab}")
  # With all that stages need and no student wrote: what of it does not build is no stage's fault. What
  # drives a real GPU (gridstride-gpu-device) is asked for where there is one, and what reaches another host
  # (gridstride-link) where one is named.
  add_custom_target(grader-${lab})
  add_dependencies(grader-${lab} grade-${lab} gridstride-runner gridstride-device cudart_sim
                   compile-guard stage-intake contract-${lab})
endfunction()

# gridstride_examples(LAB): the programs in labs/LAB/examples, built and run on the simulated GPU by
# tests. Where an example's first lines compile it with a stage, it gets that stage's solution. It must
# end well and without a finding, unless it says "// Prints: ..." there: then what it prints must match.
function(gridstride_examples lab)
  gridstride_glob(examples "${PROJECT_SOURCE_DIR}/labs/${lab}/examples" "*.cu")
  foreach(source IN LISTS examples)
    get_filename_component(name "${source}" NAME_WE)
    set(target example-${lab}-${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" head LIMIT_COUNT 16 REGEX "^//")
    set(stage "")
    if(head MATCHES "labs/${lab}/([0-9]+_[a-z0-9_]+[.]cu)")
      set(stage "${PROJECT_SOURCE_DIR}/solutions/${lab}/${CMAKE_MATCH_1}")
    endif()
    add_executable(${target} "${source}" ${stage})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_options(${target} PRIVATE -lineinfo)
    set(folder "${PROJECT_BINARY_DIR}/examples/${lab}")
    file(MAKE_DIRECTORY "${folder}")
    set_target_properties(${target} PROPERTIES
      CUDA_RUNTIME_LIBRARY Shared SKIP_BUILD_RPATH ON
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${folder}")
    add_dependencies(${target} cudart_sim)
    add_test(NAME example.${lab}.${name} COMMAND ${target} WORKING_DIRECTORY "${folder}")
    set(expected FAIL_REGULAR_EXPRESSION "gridstride:")
    if(head MATCHES "// Prints: ([^;]*)")
      set(expected PASS_REGULAR_EXPRESSION "${CMAKE_MATCH_1}")
    endif()
    set_tests_properties(example.${lab}.${name} PROPERTIES
      ENVIRONMENT "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib/sim" TIMEOUT 120 ${expected})
  endforeach()
endfunction()

# gridstride_add_solutions(NAME): what solutions/NAME holds for the lab of that name.
function(gridstride_add_solutions lab)
  set(home "${PROJECT_SOURCE_DIR}/solutions/${lab}")
  gridstride_handed_in(solutions solution ${lab} solutions/${lab})
  gridstride_stages(solutions-${lab} solution solutions/${lab} ${lab} ${solutions})
  gridstride_wrong_kernels(wrong ${lab})
  gridstride_stages(wrong-${lab} wrong solutions/${lab}/wrong ${lab} ${wrong})
  gridstride_without_registers(${lab} ${wrong})

  # Solutions beside the library a user would otherwise pick. They all define the same function, so
  # the program loads the stage libraries at run time. A peer that is no header is named in the first
  # lines, "// Links: cublas"; without that library in the toolkit there is no bench.
  if(EXISTS "${home}/bench.cu")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${home}/bench.cu")
    file(STRINGS "${home}/bench.cu" peers LIMIT_COUNT 8 REGEX "^// Links: [a-zA-Z]+$")
    list(TRANSFORM peers REPLACE "^// Links: " "CUDA::")
    foreach(peer IN LISTS peers)
      find_package(CUDAToolkit QUIET)
      if(NOT TARGET ${peer})
        message(STATUS "bench-${lab} is not built: the CUDA toolkit has no ${peer}.")
        return()
      endif()
    endforeach()
    add_executable(bench-${lab} EXCLUDE_FROM_ALL "${home}/bench.cu")
    target_link_libraries(bench-${lab} PRIVATE gridstride_bench ${peers})
    set_target_properties(bench-${lab} PROPERTIES CUDA_RUNTIME_LIBRARY Shared LINKER_LANGUAGE CXX)
    gridstride_needs_relocatable(relocatable ${lab})
    if(relocatable)
      gridstride_relocatable(bench-${lab})
    endif()
    add_dependencies(bench-${lab} solutions-${lab} stages-${lab})
  endif()
endfunction()
