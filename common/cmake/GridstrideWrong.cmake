# Wrong kernels: which there are, and how the build makes those that are kept as a diff.
#
# solutions/<lab>/wrong/<name>.cu is a whole kernel. <name>.patch is a diff against the file that its
# line "--- solutions/<lab>/<stage>.cu" names; the kernel stands under the same path in the build folder.

# gridstride_wrong_kernels(VARIABLE LAB): the sources of LAB's wrong kernels.
function(gridstride_wrong_kernels variable lab)
  set(home "solutions/${lab}/wrong")
  gridstride_glob(kernels "${PROJECT_SOURCE_DIR}/${home}" "*.cu")
  gridstride_glob(patches "${PROJECT_SOURCE_DIR}/${home}" "*.patch")
  if(patches)
    find_program(GRIDSTRIDE_PATCH patch)
    if(NOT GRIDSTRIDE_PATCH)
      message(FATAL_ERROR "There is no program 'patch', and most wrong kernels in solutions/ are "
                          "diffs. Install it; its package has that name too.")
    endif()
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/${home}")
  endif()
  set(script "${PROJECT_SOURCE_DIR}/common/tools/wrong_kernel.sh")
  foreach(patch IN LISTS patches)
    get_filename_component(name "${patch}" NAME_WE)
    set(kernel "${PROJECT_BINARY_DIR}/${home}/${name}.cu")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${patch}") # it may name another stage
    file(STRINGS "${patch}" stage LIMIT_COUNT 1 REGEX "^--- " ENCODING UTF-8)
    string(REGEX REPLACE "^--- " "" stage "${stage}")
    set(inputs "${patch}" "${script}")
    if(stage AND EXISTS "${PROJECT_SOURCE_DIR}/${stage}") # if not, the script says so
      list(APPEND inputs "${PROJECT_SOURCE_DIR}/${stage}")
    endif()
    add_custom_command(OUTPUT "${kernel}" COMMAND "${script}" make "${patch}" "${kernel}"
                       DEPENDS ${inputs} COMMENT "Patching ${home}/${name}.cu" VERBATIM)
    list(APPEND kernels "${kernel}")
  endforeach()
  set(${variable} "${kernels}" PARENT_SCOPE)
endfunction()

# gridstride_without_registers(LAB WRONG_KERNEL…): leaves out the simulated GPU's machine code, a quarter of what nvcc
# does, where no verdict in wrong/verdicts.toml depends on time. Registers are estimated then.
function(gridstride_without_registers lab)
  set(verdicts "${PROJECT_SOURCE_DIR}/solutions/${lab}/wrong/verdicts.toml")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${verdicts}")
  file(STRINGS "${verdicts}" lines REGEX "^(file|verdict) *=")
  foreach(line IN LISTS lines)
    if(line MATCHES "^file *= *\"([^\"]+)[.]cu\"")
      set(name "${CMAKE_MATCH_1}")
    elseif(NOT line MATCHES "\"(wrong|crash|timeout|unsupported)\"")
      list(APPEND timed "${name}")
    endif()
  endforeach()
  foreach(kernel IN LISTS ARGN)
    get_filename_component(name "${kernel}" NAME_WE)
    if(NOT name IN_LIST timed)
      gridstride_architectures(architectures ${lab} none)
      set_target_properties(wrong-${lab}-${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
    endif()
  endforeach()
endfunction()
