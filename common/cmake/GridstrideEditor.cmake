# What an editor needs to read stages: compile_commands.json at the root of the course.
#
# CMake's own list, in the build folder, names nvcc, whose options clangd does not know, and copies of
# the stages in place of the files that are edited. This one says for each stage, solution and header
# of a lab what clang has to be told. clangd reads CUDA 13 from version 22 on.

# gridstride_editor_commands(LAB …): writes the list for these labs.
function(gridstride_editor_commands)
  # The first architecture, such as "75-virtual", as clang names it.
  list(GET CMAKE_CUDA_ARCHITECTURES 0 architecture)
  string(REGEX MATCH "^[0-9]+" architecture "${architecture}")
  set(entries "")
  set(separator "[\n")
  foreach(lab IN LISTS ARGN)
    gridstride_needs_relocatable(relocatable ${lab})
    set(options clang++ -xcuda "--cuda-path=${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}"
        "--cuda-gpu-arch=sm_${architecture}" -std=c++${CMAKE_CUDA_STANDARD} "-I${PROJECT_SOURCE_DIR}"
        -include common/clangd/cuda_builtins.h -Wno-unknown-cuda-version -Wno-pragma-once-outside-header)
    if(relocatable)
      list(APPEND options -fgpu-rdc)
    endif()
    gridstride_lab_names(${lab} stages headers)
    list(TRANSFORM stages APPEND ".cu")
    set(files "${lab}.h" ${headers} 0_baseline.cu ${stages})
    list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/labs/${lab}/")
    foreach(stage IN LISTS stages)
      list(APPEND files "${PROJECT_SOURCE_DIR}/solutions/${lab}/${stage}")
    endforeach()
    foreach(file IN LISTS files)
      if(NOT EXISTS "${file}") # students have no solutions
        continue()
      endif()
      set(entry "{}")
      gridstride_json_member(entry directory "${PROJECT_SOURCE_DIR}")
      gridstride_json_member(entry file "${file}")
      set(arguments "[]")
      foreach(argument IN LISTS options ITEMS -c "${file}")
        string(JSON length LENGTH "${arguments}")
        gridstride_json_member(arguments ${length} "${argument}")
      endforeach()
      string(JSON entry SET "${entry}" arguments "${arguments}")
      string(APPEND entries "${separator}${entry}")
      set(separator ",\n")
    endforeach()
  endforeach()
  set(list "${PROJECT_SOURCE_DIR}/compile_commands.json")
  set(before "")
  if(EXISTS "${list}")
    file(READ "${list}" before)
  endif()
  if(NOT before STREQUAL "${entries}\n]\n") # who edits now keeps what clangd has read
    file(WRITE "${list}" "${entries}\n]\n")
  endif()
endfunction()

# gridstride_json_member(VARIABLE KEY TEXT): sets a member to a string.
function(gridstride_json_member variable key text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(JSON changed SET "${${variable}}" ${key} "\"${text}\"")
  set(${variable} "${changed}" PARENT_SCOPE)
endfunction()
