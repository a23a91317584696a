#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Example for Slurm: a run that takes longer than the limit of one job. Each job restarts from the last checkpoint and
# requeues itself, until the run is complete. Submit it again by hand after a failure; it finds the last checkpoint.
#   usage: sbatch docs/slurm-job.sh INPUT
#SBATCH --job-name=meander
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# scancel --signal=USR2 JOBID stops the run early, with a checkpoint. Slurm does the same five minutes before the limit, in
# case the estimate of --walltime below is too short.
#SBATCH --signal=USR2@300
set -uo pipefail
input=$1
output=output/$(basename "$input" .toml)
stopped=3  # exit code of a run that can be continued

# srun binds each rank to its --cpus-per-task processors. Meander uses the same number of threads.
launch=(srun --cpu-bind=cores --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=1)
# Remaining time of the job in Slurm's format, days-hours:minutes:seconds.
left=$(squeue --noheader --job "$SLURM_JOB_ID" --format %L)

# Names have six digits, and more from step 1000000 on: sorted as numbers.
newest() { ls "$output"/chk_*.hdf5 2>/dev/null | sort -V | tail -n 1; }
last=$(newest)
code=0
if [ -n "$last" ]; then
  "${launch[@]}" meander restart "$last" --walltime "$left" || code=$?
else
  rm -rf "$output"  # left by a run that was killed before its first checkpoint
  "${launch[@]}" meander run "$input" --output "$output" --walltime "$left" || code=$?
fi

# Ranks that died with their node give codes above 128. The job is tried again as long as the run makes progress.
if [ "$code" -eq "$stopped" ] || { [ "$code" -gt 128 ] && [ "$(newest)" != "$last" ]; }; then
  echo "the next job continues from $(newest)" >&2
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
