#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# several_machines.sh [WINGBEAT]: transforms over all GPUs of one machine by one process, then, in a
# job of Slurm, over 2, 4, 8 .. and all of its tasks, one GPU each; a line of JSON for each run on
# stdout, with its exit code. Runs that failed are named on stderr, and the exit code is then 1.
# Results are compared with one device's where that has memory for the whole transform. Made for
# machines larger than those that were measured; docs/several_gpus.md has what to expect.
#
#   bench/several_machines.sh build/release/apps/cli/wingbeat > several.jsonl
#   salloc --nodes 8 --ntasks-per-node 8 --gpus-per-task 1 bench/several_machines.sh > several.jsonl
set -u
wingbeat=${1:-wingbeat}
cubes=${CUBES:-256x256x256,512x512x512,1024x1024x1024,2048x2048x2048}
planes=${PLANES:-4096x4096,16384x16384,32768x32768}
rows=${ROWS:-2^24,2^26,2^28}
doubles=${DOUBLES:-512x512x512,1024x1024x1024}
rule=(--seconds "${SECONDS_EACH:-2}" --rounds 20)
runs=0 failed=0

# run NAME COMMAND..: the document of one run, its name and its exit code, in one line.
run() {
  local name=$1 document code
  shift
  document=$("$@" --json -)
  code=$?
  document=$(tr -d '\n' <<< "$document")
  case $document in "{"*"}") ;; *) document=null ;; esac
  printf '{"name": "%s", "exit_code": %d, "document": %s}\n' "$name" "$code" "$document"
  runs=$((runs + 1))
  [ "$code" -eq 0 ] && return
  failed=$((failed + 1))
  echo "several_machines.sh: $name: exit code $code of: $*" >&2
}

# over NAME MORE..: every kind of problem; MORE chooses who takes part.
over() {
  local name=$1
  shift
  for kind in c2c c2c-inverse r2c c2r; do
    run "$name $kind" "$@" --all-devices --kind "$kind" --lengths "$cubes,$planes" "${rule[@]}"
  done
  run "$name one axis" "$@" --all-devices --lengths "$rows" "${rule[@]}"
  run "$name natural" "$@" --all-devices --natural-bins --lengths "$cubes" "${rule[@]}"
  run "$name fp64" "$@" --all-devices --precision fp64 --lengths "$doubles" "${rule[@]}"
}

# counts_up_to N: 2, 4, 8 .. and N.
counts_up_to() {
  local n
  for ((n = 2; n < $1; n *= 2)); do echo "$n"; done
  [ "$1" -lt 2 ] || echo "$1"
}

devices=${DEVICES-$(nvidia-smi --query-gpu=index --format=csv,noheader 2> /dev/null | paste -sd, -)}
for n in $(counts_up_to "$(tr ',' '\n' <<< "$devices" | grep -c .)"); do
  over "one process, $n ranks" "$wingbeat" bench --devices "$(cut -d, -f"1-$n" <<< "$devices")"
done

if [ -n "${SLURM_JOB_ID:-}" ]; then
  tasks=${SLURM_NTASKS:?the job states no number of tasks: give --ntasks or --ntasks-per-node}
  hosts=${SLURM_JOB_NUM_NODES:-1}
  per_host=$(((tasks + hosts - 1) / hosts))
  for n in $(counts_up_to "$tasks"); do
    used=$(((n + per_host - 1) / per_host))  # as few hosts as have so many
    over "$n processes on $used hosts" \
      srun --nodes "$used" --ntasks "$n" "$wingbeat" bench --processes
  done
  for way in nccl tcp; do
    over "$tasks processes on $hosts hosts by $way" \
      srun --nodes "$hosts" --ntasks "$tasks" "$wingbeat" bench --processes "--by-$way"
  done
fi
if [ "$failed" -gt 0 ] || [ "$runs" -eq 0 ]; then
  echo "several_machines.sh: $failed of $runs runs failed" >&2
  exit 1
fi
