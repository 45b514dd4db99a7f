# The loops over lanes, and the checks and counters at every access, are compiled for the host's vector
# units: there the simulator spends its time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(GRIDSTRIDE_SIM_ARCH "x86-64-v3" CACHE STRING "-march= of the simulator; empty for the default")
else()
  set(GRIDSTRIDE_SIM_ARCH "" CACHE STRING "-march= of the simulator; empty for the default")
endif()
# Results are those of the instructions written, nothing contracted; nobody reads errno or the
# floating-point exception flags; registers are read under several types.
set(GRIDSTRIDE_SIM_FLAGS -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math
                         -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Sources that are compiled together are inlined into as each would be alone.
  list(APPEND GRIDSTRIDE_SIM_FLAGS --param=large-unit-insns=200000)
endif()
if(GRIDSTRIDE_SIM_ARCH)
  list(APPEND GRIDSTRIDE_SIM_FLAGS -march=${GRIDSTRIDE_SIM_ARCH})
endif()
