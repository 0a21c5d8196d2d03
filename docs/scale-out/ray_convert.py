#!/usr/bin/env python3
"""Runs a mocap command over a database on a Ray cluster: one task a shard.

    pip install ray
    python ray_convert.py --shards 64 --address auto -o /shared/out -- run pipeline.toml /shared/database

Everything behind `--` is the command of mocap; -o, --shard, --resume and -j are added to it. Inputs and outputs lie on
storage that all nodes share, and `mocap` is on the path of each (or named by --mocap).

A shard that fails or whose node is lost is tried again and continues where it ended: clips that are done are skipped.
At the end the manifests of the shards are merged and the outputs checked. The summary goes to stdout as one JSON object,
messages to stderr. Exit codes are those of mocap: 0 all right, 1 clips or shards failed, 2 wrong usage, 3 a gate missed.
"""

import argparse
import json
import subprocess
import sys

try:
    import ray
except ImportError:
    sys.exit("ray_convert.py needs the Python package ray: pip install ray")

OK, FAILED, USAGE, GATE = 0, 1, 2, 3


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="directory of the outputs, shared by all nodes")
    parser.add_argument("--shards", type=int, required=True, help="parts of the database; a few for each worker")
    parser.add_argument("--cpus", type=int, default=1, help="cores that a shard works on [default: 1]")
    parser.add_argument("--retries", type=int, default=2, help="further attempts at a shard [default: 2]")
    parser.add_argument("--address", help="of the cluster, such as auto [default: one on this machine]")
    parser.add_argument("--mocap", default="mocap", help="the program, on every node [default: mocap]")
    parser.add_argument("command", nargs="+", help="the command of mocap, behind --")
    options = parser.parse_args()
    if options.shards < 1 or options.cpus < 1 or options.retries < 0:
        parser.error("--shards and --cpus are 1 or more, --retries 0 or more")
    options.output = options.output.rstrip("/") + "/"
    return options


def run_shard(mocap, command, output, shard, shards, cpus):
    """One shard on a worker: the exit code and the end of what mocap said."""
    added = ["-o", output, "--shard", f"{shard}/{shards}", "--resume", "-j", str(cpus), "--progress", "never"]
    done = subprocess.run([mocap, *command, *added], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr[-2000:]


def run_all(options):
    """All shards, with further attempts; the last exit code and the number of attempts of each."""
    # A node that is lost takes its task with it: Ray starts that one again by itself.
    task = ray.remote(num_cpus=options.cpus, max_retries=options.retries)(run_shard)

    def start(shard):
        return task.remote(options.mocap, options.command, options.output, shard, options.shards, options.cpus)

    running = {start(shard): shard for shard in range(1, options.shards + 1)}
    codes, attempts = {}, dict.fromkeys(range(1, options.shards + 1), 1)
    while running:
        [ready], _ = ray.wait(list(running), num_returns=1)
        shard = running.pop(ready)
        try:
            code, said = ray.get(ready)
        except ray.exceptions.RayError as error:
            code, said = FAILED, str(error)
        codes[shard] = code
        print(f"shard {shard}/{options.shards}: exit code {code}", file=sys.stderr)
        if code == USAGE:
            # No other shard would fare better.
            for other in running:
                ray.cancel(other, force=True)
            print(said, file=sys.stderr)
            sys.exit(USAGE)
        # A motion that missed a gate does not become better.
        if code not in (OK, GATE):
            if attempts[shard] <= options.retries:
                attempts[shard] += 1
                running[start(shard)] = shard
            else:
                print(said, file=sys.stderr)
    return codes, attempts


def manifest(mocap, *command):
    """A `mocap manifest` command: its exit code and its rows."""
    done = subprocess.run([mocap, "manifest", *command, "--json"], stdout=subprocess.PIPE, text=True)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def main():
    options = arguments()
    ray.init(address=options.address, log_to_driver=False, logging_level="ERROR")
    codes, attempts = run_all(options)
    merged, _ = manifest(options.mocap, "merge", options.output, "--overwrite")
    verified, _ = manifest(options.mocap, "verify", options.output)
    _, stats = manifest(options.mocap, "stats", options.output)
    failed = sorted(shard for shard, code in codes.items() if code not in (OK, GATE))
    summary = {
        "shards": options.shards,
        "failed_shards": failed,
        "retried_shards": sorted(shard for shard, count in attempts.items() if count > 1),
        "merged": merged == 0,
        "verified": verified == 0,
        "stats": stats[0] if stats else None,
    }
    print(json.dumps(summary))
    if failed or merged:
        return FAILED
    if GATE in codes.values():
        return GATE
    return FAILED if verified else OK


if __name__ == "__main__":
    sys.exit(main())
