#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds peer_cufftdx: one unit for each length and precision, as many at once as there are cores.
# A unit that cuFFTDx refuses is left out and named in OUT/absent.txt.
#     build_peer_cufftdx.sh MATHDX_INCLUDES OUT [sm_90]
set -u
headers=${1:?the folder that holds cufftdx.hpp} out=${2:?the folder to build in}
architecture=${3:-sm_90}
here=$(cd "$(dirname "$0")" && pwd)
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
# Machine code alone: the text of cuFFTDx's tables as PTX would make the program twice as large.
target="-gencode=arch=compute_${architecture#sm_},code=$architecture"
mkdir -p "$out"
rm -f "$out"/*.o "$out/absent.txt"

export nvcc headers out architecture target here
unit() {  # type length
  if ! "$nvcc" -std=c++17 -O3 -w -Xfatbin -compress-all "$target" -c \
    "-DPEER_REAL=$1" "-DPEER_LENGTH=$2" \
    "-DPEER_ARCHITECTURE=${architecture#sm_}0" -I "$headers" -I "$here" \
    "$here/peer_cufftdx_unit.cu" -o "$out/$1_$2.o" 2>"$out/$1_$2.log"; then
    echo "$1 $2: $(grep -m1 -i error "$out/$1_$2.log")" >>"$out/absent.txt"
  fi
}
export -f unit

{
  for n in 64 128 256 512 1024 2048 4096 8192 16384; do echo "float $n"; done
  for n in 64 128 256 512 1024 2048 4096 8192; do echo "double $n"; echo "__half $n"; done
} | xargs -P "$(nproc)" -L 1 bash -c 'unit "$0" "$1"'

[ -f "$out/absent.txt" ] && cat "$out/absent.txt" >&2
"$nvcc" -std=c++17 -O2 "$target" -I "$here" "$here/peer_cufftdx.cu" "$out"/*.o \
  -o "$out/peer_cufftdx"
