#!/bin/bash
# The manifests of all shards put together, and every output checked against it.
#
#SBATCH --job-name=mocap-merge
#SBATCH --cpus-per-task=4
set -u
out=$1

mocap manifest merge "$out" --overwrite && mocap manifest stats "$out" && mocap manifest verify "$out"
