#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compile_alone.sh DIALECT INCLUDE_DIR: compiles each header as the only include of a file.
# DIALECT: device-gcc, device-clang, device-nvcc, device-opencl (what kernels include, C++17), or
# host-gcc, host-clang (the host API, C++20). Exit code 77 where the compiler is absent.
dialect=$1
include=$2

# Prints the first of the named programs that exists.
first_of() {
  for program in "$@"; do
    command -v "$program" 2>/dev/null && return
  done
}

warnings="-Wall -Wextra -Wshadow -Werror"
case $dialect in
  *-gcc) compiler=$(first_of g++) options="-x c++ -fsyntax-only $warnings" ;;
  *-clang)
    compiler=$(first_of clang++-14 clang++-15 clang++)
    options="-x c++ -fsyntax-only $warnings" ;;
  device-nvcc)
    compiler=$(first_of nvcc /usr/local/cuda/bin/nvcc)
    options="-x cu -arch=sm_90 -ptx -o /dev/null -Werror all-warnings" ;;
  device-opencl)
    compiler=$(first_of clang-15 clang-16 clang-17 clang-14)
    options="-x cl -cl-std=clc++2021 -Xclang -finclude-default-header
             -target spir64-unknown-unknown -fsyntax-only -Wall -Werror" ;;
  *) echo "there is no dialect '$dialect'" >&2; exit 2 ;;
esac
if [ -z "$compiler" ]; then
  echo "SKIP: this machine has no compiler for $dialect"
  exit 77
fi

case $dialect in
  device-opencl) headers=$(find "$include/wingbeat/device" -name '*.hpp' | sort) ;;
  device-*) headers=$(find "$include/wingbeat/device" -name '*.hpp' | sort) options="$options -std=c++17" ;;
  host-*) headers=$(find "$include/wingbeat" -maxdepth 1 -name '*.hpp' | sort) options="$options -std=c++20" ;;
esac

# One compiler reads all headers in an ordinary run, and the slow ones every third.
every=1
if [ -z "$WINGBEAT_TEST_FULL" ]; then
  case $dialect in host-clang | device-nvcc) every=3 ;; esac
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n_seen=0
n_headers=0
n_failed=0
for header in $headers; do
  n_seen=$((n_seen + 1))
  [ $((n_seen % every)) -eq 0 ] || continue
  printf '#include "%s"\n' "${header#"$include"/}" > "$work/alone.inc"
  n_headers=$((n_headers + 1))
  # shellcheck disable=SC2086  # options are words
  "$compiler" $options -I "$include" "$work/alone.inc" && continue
  echo "FAILED: ${header#"$include"/} does not compile alone with $compiler" >&2
  n_failed=$((n_failed + 1))
done
echo "$compiler: $((n_headers - n_failed)) of $n_headers headers compile alone"
[ "$n_headers" -gt 0 ] && [ "$n_failed" -eq 0 ]
