#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# misuse.sh COMPILER SOURCE INCLUDE_DIR: compiles every case of SOURCE. Case 0 must compile; each
# other must fail with its sentence, and at most two errors. Case 5 needs subgroups of more than
# a thread, and so nvcc: elsewhere it is left out.
compiler=$1 source=$2 include=$3
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
n_failed=0
n_cases=0
sed -n 's|^// \([0-9]*\): \(.*\)|\1 \2|p' "$source" > cases.txt
while read -r number sentence; do
  n_cases=$((n_cases + 1))
  set -- "$compiler" -fsyntax-only
  if [ "$number" -eq 5 ]; then
    if [ -z "$nvcc" ]; then
      echo "case 5 left out: no nvcc here"
      continue
    fi
    set -- "$nvcc" -x cu -arch=sm_90 -ptx -o /dev/null
  fi
  "$@" -std=c++17 "-DCASE=$number" -I "$include" "$source" > log.txt 2>&1
  code=$?
  n_errors=$(grep -c "error:" log.txt)
  if [ "$number" -eq 0 ]; then
    [ $code -eq 0 ] && continue
    echo "case 0 must compile:"
  elif [ $code -ne 0 ] && grep -qF "$sentence" log.txt && [ "$n_errors" -le 2 ]; then
    continue
  else
    echo "case $number: no '$sentence' in these $n_errors errors:"
  fi
  cat log.txt
  n_failed=$((n_failed + 1))
done < cases.txt
echo "$n_cases cases, $n_failed failed"
[ "$n_cases" -gt 10 ] && [ "$n_failed" -eq 0 ]
