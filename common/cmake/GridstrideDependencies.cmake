# Packages: those of the distribution where it has them.
find_package(Threads REQUIRED)
find_package(CUDAToolkit REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(zstd REQUIRED)
