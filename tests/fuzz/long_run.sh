#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzers of what comes from a network, a user or a file, 1e8 executions each, or RUNS:
#
#     ninja -C build fuzz_long
#     PROGRAMS=build/tests/fuzz/long tests/fuzz/long_run.sh SECONDS CORES OUT [DONE]
#
# OUT/done.txt gets a line for each process, OUT/total.txt the sums, OUT/artifacts what failed. A
# second call with the same OUT, or with an earlier done.txt as DONE, adds to it and divides the
# cores by the executions that are missing. long_log.py keeps the counts. Without PROGRAMS they are
# beside this script. PROGRAMS/lib may hold the shared libraries of readers that have some; FUZZERS
# names those to run.
set -u
seconds=$1 cores=$2
mkdir -p "$3/artifacts" "$3/log"
out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "${PROGRAMS:-$here}" && pwd)
[ -d "$programs/lib" ] && export LD_LIBRARY_PATH=$programs/lib
seeds=$here/corpus
# Executions a second and core.
declare -A rate=([spead_packet]=600000 [spead_heap]=370000 [capture]=240000 [mrc]=160000
                 [npy]=150000 [png]=140000 [npy_images]=120000 [star]=120000 [gzip]=110000
                 [signal]=95000 [text]=85000 [audio]=55000 [guppi]=50000 [dada]=46000 [csv]=43000
                 [jpeg]=42000 [configuration]=29000 [vdif]=29000 [sigmf]=27000 [katcp]=26000
                 [tiff]=6000 [mark5b]=3000)
# The most bytes of an input, as in CMakeLists.txt, where they are not 4096.
declare -A bytes=([dada]=9000 [mark5b]=21000 [spead_packet]=256 [spead_heap]=640 [capture]=512
                  [signal]=256 [katcp]=320 [configuration]=512)
wanted=${RUNS:-100000000}
names=(${FUZZERS:-${!rate[@]}})
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
    -max_len="${bytes[$f]:-4096}" -timeout=60 -rss_limit_mb=1500 \
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

declare -A missing
total=0
for f in "${names[@]}"; do
  missing[$f]=$(( wanted - $(count_of "$f") ))
  [ ${missing[$f]} -lt 0 ] && missing[$f]=0
  total=$(( total + missing[$f] / rate[$f] ))
done
# Processes of about a third of the time each, the longest first: a core that is free takes the next.
piece=$(( total / cores / 3 + 1 ))
seed=$(( $(date +%s) % 1000000 * 1000 ))
jobs=$(for f in "${names[@]}"; do
  [ ${missing[$f]} -eq 0 ] && continue
  core_seconds=$(( missing[$f] / rate[$f] + 1 ))
  n=$(( (core_seconds + piece - 1) / piece ))
  for (( i = 0; i < n; ++i )); do echo "$(( core_seconds / n )) $f $(( missing[$f] / n + 1 ))"; done
done | sort -rn)
while read -r _ f runs; do
  [ -z "$f" ] && continue
  while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
  (( ++seed ))
  run_one "$f" "$seed" "$runs" &
done <<< "$jobs"
wait
for f in "${names[@]}"; do echo "$f $(count_of "$f")"; done | sort > "$out/total.txt"
find "$out/artifacts" -type f | sed 's|.*/|artifact |' >> "$out/total.txt"
cat "$out/total.txt"
