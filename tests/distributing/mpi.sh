#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpi.sh INCLUDE_DIR LIBRARY..: builds mpi_ranks.cpp with MPI's compiler and runs three processes of
# it. Exit code 77 where there is no MPI.
include=$1
shift
for program in mpicxx mpirun; do
  command -v "$program" > /dev/null || { echo "SKIP: this machine has no $program"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mpicxx -std=c++20 -Wall -Wextra -Wshadow -I "$include" "$(dirname "$0")/mpi_ranks.cpp" "$@" \
  -o "$work/ranks" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mpirun -n 3 "$work/ranks"
