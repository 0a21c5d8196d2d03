#!/bin/bash
# A pipeline over a database as a Slurm array: one shard a task. Submit the merge behind it:
#
#   job=$(sbatch --parsable --array=0-15 slurm.sh pipeline.toml /shared/database /shared/out)
#   sbatch --dependency=afterany:$job slurm-merge.sh /shared/out
#
#SBATCH --job-name=mocap
#SBATCH --cpus-per-task=8
#SBATCH --mem=4G
#SBATCH --time=04:00:00
#SBATCH --requeue
set -u
pipeline=$1 database=$2 out=$3

# Tasks are counted from any number, shards from 1.
shard=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))/$SLURM_ARRAY_TASK_COUNT
# A task that is requeued continues where it ended.
exec mocap run "$pipeline" "$database" -o "$out/" --shard "$shard" --resume \
  -j "${SLURM_CPUS_PER_TASK:-1}" --timeout 600 --progress never
