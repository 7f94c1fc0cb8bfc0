#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# older_cpp.sh COMPILER INCLUDE_DIR: each header of the host API, compiled as C++17, gives one
# sentence that names the remedy, and the compilation ends there. Exit code 77 where the compiler
# is absent.
include=$2
case $1 in
  gcc) compiler=$(command -v g++) options="-x c++ -fsyntax-only" ;;
  clang) compiler=$(command -v clang++-14 || command -v clang++) options="-x c++ -fsyntax-only" ;;
  nvcc)
    compiler=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
    options="-x cu -arch=sm_90 -ptx -o /dev/null" ;;
  *) echo "there is no compiler '$1'" >&2; exit 2 ;;
esac
if [ -z "$compiler" ]; then
  echo "SKIP: this machine has no $1"
  exit 77
fi

# In an ordinary run clang, which reads on behind the sentence, reads every third header.
every=1
[ "$1" = clang ] && [ -z "$WINGBEAT_TEST_FULL" ] && every=3

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n_seen=0
n_headers=0
n_failed=0
for header in "$include"/wingbeat/*.hpp; do
  name=${header##*/}
  n_seen=$((n_seen + 1))
  [ $((n_seen % every)) -eq 0 ] || continue
  case $name in
    roots.hpp | version.hpp) continue ;;  # C++17, and macros alone
  esac
  n_headers=$((n_headers + 1))
  printf '#include "wingbeat/%s"\nstd::barrier b; int main() { wingbeat::queue q; }\n' "$name" \
    > "$work/older.inc"
  # shellcheck disable=SC2086  # options are words
  if "$compiler" $options -std=c++17 -I "$include" "$work/older.inc" 2> "$work/errors"; then
    echo "FAILED: $name compiles as C++17" >&2
    n_failed=$((n_failed + 1))
    continue
  fi
  sentences=$(grep -c 'error: .*wingbeat.*C++20.*-std=c++20.*wingbeat::device' "$work/errors")
  others=$(grep 'error: ' "$work/errors" | grep -c -v -e 'C++20' -e 'compilation stops here')
  if [ "$sentences" -ne 1 ] || [ "$others" -ne 0 ]; then
    echo "FAILED: $name gives $sentences sentences and $others other errors:" >&2
    head -20 "$work/errors" >&2
    n_failed=$((n_failed + 1))
  fi
done
echo "$compiler: $((n_headers - n_failed)) of $n_headers headers refuse C++17 in one sentence"
[ "$n_headers" -gt 0 ] && [ "$n_failed" -eq 0 ]
