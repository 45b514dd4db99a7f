# Arithmetic of the simulated GPU, compiled for the vector units of the host: these loops are where
# the simulator spends its time. GRIDSTRIDE_SIM_FLAGS serves other files of the executor too.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(GRIDSTRIDE_SIM_ARCH "x86-64-v3" CACHE STRING "-march= of the simulator; empty for the default")
else()
  set(GRIDSTRIDE_SIM_ARCH "" CACHE STRING "-march= of the simulator; empty for the default")
endif()
# Results are those of the instructions written, nothing contracted; nobody reads errno or the
# floating-point exception flags; rows are read under several types.
set(GRIDSTRIDE_SIM_FLAGS -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math
                         -fno-strict-aliasing)
if(GRIDSTRIDE_SIM_ARCH)
  list(APPEND GRIDSTRIDE_SIM_FLAGS -march=${GRIDSTRIDE_SIM_ARCH})
endif()

set(sim_ops_sources
    classify.cpp
    ops_bitfield.cpp
    machine_instructions.cpp
    ops_carry.cpp
    ops_compare.cpp
    ops_convert.cpp
    ops_convert_float.cpp
    ops_convert_integer.cpp
    ops_convert_quarter.cpp
    ops_float.cpp
    ops_half.cpp
    ops_integer.cpp
    ops_logic.cpp
    ops_move.cpp
    ops_special.cpp
    ops_video.cpp)
list(TRANSFORM sim_ops_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
gridstride_library(sim_ops SOURCES ${sim_ops_sources} DEPENDS sim_ptx)
target_compile_options(sim_ops PRIVATE ${GRIDSTRIDE_SIM_FLAGS})

gridstride_test(ops_test SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/classify_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ops_float_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ops_recorded_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ops_test.cpp
  DEPENDS sim_ops)
target_compile_definitions(ops_test PRIVATE
  GRIDSTRIDE_EXEC_TESTDATA="${CMAKE_CURRENT_LIST_DIR}/testdata")

# Speed is measured by hand; the test only shows that the benchmark still runs.
add_executable(ops_bench ${CMAKE_CURRENT_LIST_DIR}/ops_bench.cpp)
target_link_libraries(ops_bench PRIVATE gridstride_options sim_ops benchmark::benchmark)
add_test(NAME ops_bench_smoke
         COMMAND ops_bench --benchmark_filter=add.s32 --benchmark_min_time=0.01)
