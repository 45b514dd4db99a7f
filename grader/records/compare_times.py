#!/usr/bin/env python3
"""Holds modelled speedups against times-h200.csv and prints the table of docs/simulator.md.

    compare_times.py BUILD [--labs LAB…] [--which K] [--profile NAME]

BUILD is a build folder with the targets that take_records.py needs. --which 0, 1 or 2 takes the
smallest, the middle or the largest of the sizes that were recorded. With the profile h200-whole a
stage has the multiprocessors, the caches and the problem that it had on the GPU. Stages tie whose
measured speedups may be equal, by the least and the most that the recorded calls took.
"""
import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import tempfile

import jobs


def ranks(ranges):
    """Of (least, most) each: ranges that overlap tie, and take the average of their ranks."""
    below = [[other[1] < own[0] for other in ranges] for own in ranges]
    above = [[other[0] > own[1] for other in ranges] for own in ranges]
    return [1 + sum(b) + (len(ranges) - sum(b) - sum(a) - 1) / 2 for b, a in zip(below, above)]


def spearman(first, second):
    """Of two lists of ranges: the correlation of their ranks, as is usual where there are ties."""
    return statistics.correlation(ranks(first), ranks(second))


def recorded():
    """Seconds of each job: median, least and most."""
    with open(pathlib.Path(__file__).with_name("times-h200.csv")) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(r["lab"], r["stage"], r["function"], int(r["elements"])):
                tuple(float(r[name]) for name in ("median_seconds", "least", "most"))
                for r in rows}


def size_of(lab, which):
    sizes = jobs.sizes(lab)  # where two of the three are the same there are fewer
    return sizes[min(which, len(sizes) - 1)]


def modelled(options, calls):
    jobs.LABS = options.labs
    build = options.build.resolve()
    listed, text = jobs.job_list(build, calls, lambda lab: [size_of(lab, options.which)])
    environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "lib/sim"),
                       GRIDSTRIDE_SIM_PROFILE=options.profile, GRIDSTRIDE_SIM_CHECK="none")
    shown = subprocess.run([build / "bin/call-stages", "--repetitions", "1"], input=text,
                           stdout=subprocess.PIPE, text=True, check=True, env=environment)
    times = {}
    for line in shown.stdout.splitlines():
        job, seconds = line.split()
        times[listed[int(job)]] = float(seconds)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--labs", nargs="+", default=jobs.LABS, choices=jobs.LABS)
    parser.add_argument("--which", type=int, default=1, choices=[0, 1, 2])
    parser.add_argument("--profile", default="h200-whole")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as calls:
        model = modelled(options, calls)
    hardware, by_lab, errors = recorded(), {}, []
    print("| lab | stage | modelled | measured | modelled / measured |\n|---|---|---|---|---|")
    for job, seconds in model.items():
        lab, stage, function, elements = job
        if stage == "0_baseline":
            continue
        base = (lab, "0_baseline", function, elements)
        speedup = model[base] / seconds
        (usual, least, most), of_base = hardware[job], hardware[base]
        measured = of_base[0] / usual
        # Speedups that the recorded calls allow: stages whose ranges overlap have no order.
        between = of_base[1] / most, of_base[2] / least
        by_lab.setdefault(lab, []).append(((speedup, speedup), between))
        errors.append(abs(speedup / measured - 1))
        print(f"| {lab} | {stage} | {speedup:.3g} | {measured:.3g} | {speedup / measured:.2f} |")
    for lab, pairs in by_lab.items():
        print(f"{lab}: rank correlation {spearman(*zip(*pairs)):.2f}")
    print(f"median error {statistics.median(errors):.2f} of {len(errors)} stages")


if __name__ == "__main__":
    main()
