# A container in which the course builds, grades and tests itself; .devcontainer uses it for editors.
#
#   docker build -t gridstride .
#   docker run --rm -it -v "$PWD":/course -w /course gridstride ./lab grade reduction
#
# With a GPU add `--gpus all`. For the sandbox of untrusted code bubblewrap has to be allowed namespaces:
# `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`.
# Without them the course says so once, and grades with what is left.
FROM nvidia/cuda:13.0.1-base-ubuntu24.04

# Compiler and headers alone: the whole toolkit is 5 GB.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
      cuda-nvcc-13-0 cuda-cudart-dev-13-0 cuda-cccl-13-0 g++ git ca-certificates \
 && rm -rf /var/lib/apt/lists/*

# What else the course needs, by its own list.
COPY common/tools/packages.sh common/tools/packages.txt /tmp/tools/
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive bash -c "$(/tmp/tools/packages.sh | tail -n 1)" \
 && rm -rf /var/lib/apt/lists/* /tmp/tools

ENV PATH=/usr/local/cuda/bin:$PATH
