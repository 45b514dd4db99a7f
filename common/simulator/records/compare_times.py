#!/usr/bin/env python3
"""Holds modelled speedups against times-h200.csv and prints the table of docs/simulator.md.

    compare_times.py CALL_STAGES STAGES SIM_LIBRARY [--labs LAB…] [--profile NAME] [--shrink K]

CALL_STAGES is the program of that name, STAGES the folder build/<preset>/stages, SIM_LIBRARY the
folder of the simulated runtime (build/<preset>/lib/sim). With the profile h200-whole a stage has the
multiprocessors, the caches and the problem that it had on the GPU: some minutes. --shrink divides
the problem, and with it the recorded times: 33 with the profile h200, which is the H200 in small.
"""
import argparse
import csv
import os
import pathlib
import statistics
import subprocess

import jobs
import take_records


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    return {index: rank for rank, index in enumerate(order)}


def spearman(pairs):
    n = len(pairs)
    first, second = ranks([p[0] for p in pairs]), ranks([p[1] for p in pairs])
    return 1 - 6 * sum((first[i] - second[i]) ** 2 for i in range(n)) / (n * (n * n - 1))


def recorded():
    with open(pathlib.Path(__file__).with_name("times-h200.csv")) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(r["lab"], r["stage"], r["function"]): float(r["median_seconds"]) for r in rows}


def modelled(options):
    jobs.LABS = options.labs
    listed, text = take_records.job_list(
        options.stages.resolve(),
        lambda lab: [jobs.timing_size(take_records.ROOT, lab, "gpu") // options.shrink
                     // 4096 * 4096])
    environment = dict(os.environ, LD_LIBRARY_PATH=str(options.library.resolve()),
                       GRIDSTRIDE_SIM_PROFILE=options.profile)
    shown = subprocess.run([str(options.program.resolve()), "--repetitions", "1"], input=text,
                           capture_output=True, text=True, check=True, env=environment)
    times = {}
    for line in shown.stdout.splitlines():
        job, seconds = line.split()
        times[listed[int(job)][:3]] = float(seconds)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("stages", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--labs", nargs="+", default=jobs.LABS, choices=jobs.LABS)
    parser.add_argument("--profile", default="h200-whole")
    parser.add_argument("--shrink", type=int, default=1)
    options = parser.parse_args()
    hardware, model = recorded(), modelled(options)
    by_lab, errors = {}, []
    print("| lab | stage | modelled | measured | modelled / measured |\n|---|---|---|---|---|")
    for (lab, stage, function), seconds in model.items():
        if stage == "0_baseline":
            continue
        base = (lab, "0_baseline", function)
        speedup = model[base] / seconds
        measured = hardware[base] / hardware[(lab, stage, function)]
        by_lab.setdefault(lab, []).append((speedup, measured))
        errors.append(abs(speedup / measured - 1))
        print(f"| {lab} | {stage} | {speedup:.3g} | {measured:.3g} | {speedup / measured:.2f} |")
    for lab, pairs in by_lab.items():
        print(f"{lab}: rank correlation {spearman(pairs):.2f}")
    print(f"median error {statistics.median(errors):.2f} of {len(errors)} stages")


if __name__ == "__main__":
    main()
