#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzers of what comes from a network, a user or a file of options, 1e8 executions each:
#
#     ninja -C build fuzz_long
#     PROGRAMS=build/tests/fuzz/long tests/fuzz/long_run.sh SECONDS CORES OUT [DONE]
#
# OUT/done.txt gets a line for each process, OUT/total.txt the sums, OUT/artifacts what failed. A
# second call with the same OUT, or with an earlier done.txt as DONE, adds to it and divides the
# cores by the executions that are missing. long_log.py keeps the counts. Without PROGRAMS they are
# beside this script.
set -u
seconds=$1 cores=$2
mkdir -p "$3/artifacts" "$3/log"
out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "${PROGRAMS:-$here}" && pwd)
seeds=$here/corpus
# Those that end early first.
names=(spead_packet spead_heap capture signal katcp configuration)
# Executions a second and core, and the most bytes of an input, as in CMakeLists.txt.
declare -A rate=([spead_packet]=600000 [spead_heap]=370000 [capture]=240000 [signal]=95000
                 [katcp]=26000 [configuration]=29000)
declare -A bytes=([spead_packet]=256 [spead_heap]=640 [capture]=512 [signal]=256 [katcp]=320
                  [configuration]=512)
wanted=100000000
end=$(( $(date +%s) + seconds ))
[ $# -ge 4 ] && cp "$4" "$out/done.txt"
touch "$out/done.txt"
echo "$(nproc) of $(grep -m 1 'model name' /proc/cpuinfo | cut -d : -f 2 | xargs)," \
  "$(uname -sr), $cores fuzzers at a time" > "$out/machine.txt"

count_of() {
  awk -v f="$1" '$1 == f && $3 == "Done" { n += $4 } END { printf "%.0f", n }' "$out/done.txt"
}

# One process: fuzzer, seed, executions. Its finds are its own.
run_one() {
  local f=$1 seed=$2 runs=$3 left=$(( end - $(date +%s) )) log=$out/log/$1-$2.log
  [ $left -lt 3 ] && return
  local finds=$out/finds-$f-$seed line
  mkdir -p "$finds"
  nice -n 19 "$programs/${f}_fuzz" -seed="$seed" -runs="$runs" -max_total_time=$(( left - 2 )) \
    -max_len="${bytes[$f]}" -timeout=60 -rss_limit_mb=1500 \
    -artifact_prefix="$out/artifacts/$f-$seed-" "$finds" "$seeds/$f" > "$log" 2>&1
  local status=$?
  if line=$(grep -a '^Done ' "$log"); then
    rm -f "$log"
  else
    line="Failed with status $status after $(grep -a '^#' "$log" | tail -n 1 | cut -f1)"
  fi
  echo "$f $seed $line" >> "$out/done.txt"
  rm -rf "$finds"
}

declare -A missing core_seconds
total=0
for f in "${names[@]}"; do
  missing[$f]=$(( wanted - $(count_of "$f") ))
  [ ${missing[$f]} -lt 0 ] && missing[$f]=0
  core_seconds[$f]=$(( missing[$f] / rate[$f] ))
  total=$(( total + core_seconds[$f] ))
done
[ $total -eq 0 ] && total=1
jobs=()
for f in "${names[@]}"; do
  [ ${missing[$f]} -eq 0 ] && continue
  n=$(( (core_seconds[$f] * cores + total / 2) / total ))
  [ $n -lt 1 ] && n=1
  for (( i = 0; i < n; ++i )); do jobs+=("$f:$(( missing[$f] / n + 1 ))"); done
done
first_seed=$(( $(date +%s) % 1000000 * 1000 ))
# Core c runs jobs c, c + cores, .., then the slow fuzzers until the time is over.
for (( c = 0; c < cores; ++c )); do
  (
    for (( j = c; j < ${#jobs[@]}; j += cores )); do
      run_one "${jobs[$j]%%:*}" $(( first_seed + j + 1 )) "${jobs[$j]##*:}"
    done
    slow=(configuration katcp signal)
    for (( k = 0; $(date +%s) + 5 <= end; ++k )); do
      run_one "${slow[$(( (c + k) % 3 ))]}" $(( first_seed + 500 + c + cores * k )) 2000000
    done
  ) &
done
wait
for f in "${names[@]}"; do echo "$f $(count_of "$f")"; done > "$out/total.txt"
find "$out/artifacts" -type f | sed 's|.*/|artifact |' >> "$out/total.txt"
cat "$out/total.txt"
