#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# An example for Slurm: a run that takes more time than one job may have. Each job goes on from the last checkpoint and
# queues the next one, until the run is done. Submit it again by hand after a failure; it finds the last checkpoint.
#   usage: sbatch docs/slurm-job.sh INPUT
#SBATCH --job-name=meander
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# scancel --signal=USR2 JOBID stops the run with a checkpoint ahead of time; so does Slurm itself five minutes before the
# limit, should the estimate of --walltime below ever fall short.
#SBATCH --signal=USR2@300
set -uo pipefail
input=$1
output=output/$(basename "$input" .toml)
stopped=3  # the exit code of a run that can go on

# srun binds each rank to its --cpus-per-task processors, and Meander takes as many threads.
launch=(srun --cpu-bind=cores --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=1)
# What is left of the job, as Slurm writes it: days-hours:minutes:seconds.
left=$(squeue --noheader --job "$SLURM_JOB_ID" --format %L)

newest() { ls "$output"/chk_*.hdf5 2>/dev/null | tail -n 1; }
last=$(newest)
code=0
if [ -n "$last" ]; then
  "${launch[@]}" meander restart "$last" --walltime "$left" || code=$?
else
  rm -rf "$output"  # of a run that was killed before its first checkpoint
  "${launch[@]}" meander run "$input" --output "$output" --walltime "$left" || code=$?
fi

# Ranks that a node took with it (codes beyond 128) are worth another try as long as there is progress.
if [ "$code" -eq "$stopped" ] || { [ "$code" -gt 128 ] && [ "$(newest)" != "$last" ]; }; then
  echo "the next job goes on from $(newest)" >&2
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
