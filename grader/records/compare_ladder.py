#!/usr/bin/env python3
"""Holds modelled times of the ladder (common/simulator/model/ladder) against recorded ones.

    compare_ladder.py BUILD [--families NAME…] [--half fit|held-out] [--recorded FILE] [--profile NAME]

BUILD is a build folder with the targets ladder and cudart_sim. Prints a row for each kernel, with
the two largest of the bounds that the model joins, and for each half the median error, the kernel that
is furthest off, and correlations of ranks, over the half and within families. Kernels of
which one's slowest recorded call is slower than another's fastest tie. Without a record, which is
ladder-h200.csv beside this file, there are only the modelled times.
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from compare_times import spearman

RECORD = pathlib.Path(__file__).with_name("ladder-h200.csv")


def rows_of(text):
    """Of the ladder's CSV: {(half, family, kernel): (median, least, most)} in microseconds."""
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return {(row["half"], row["family"], row["kernel"]):
            tuple(float(row[name]) for name in ("median_us", "least_us", "most_us"))
            for row in rows}


def limits_of(report):
    """The two largest bounds of the longest launch behind each emptying of the cache, in order, with
    microseconds. What renews the inputs of a call lies before it, so it belongs to nobody."""
    limits, seconds = [], 0
    for launch in report["launches"]:
        if "read_all" in launch["kernel"]:
            limits.append("")
            seconds = 0
        elif limits and launch["seconds"] > seconds:
            seconds = launch["seconds"]
            bounds = sorted(launch["bounds"].items(), key=lambda bound: -bound[1])[:2]
            limits[-1] = ", ".join(f"{part} {1e6 * least:.1f}" for part, least in bounds)
    return limits[1:]  # the first is of the empty kernel


def modelled(options):
    """As rows_of has it, and the largest bounds of each."""
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "lib/sim"),
                           GRIDSTRIDE_SIM_PROFILE=options.profile, GRIDSTRIDE_SIM_CHECK="none",
                           GRIDSTRIDE_SIM_REPORT=str(report))
        ran = subprocess.run([build / "bin/ladder", "--calls", "1", *options.families],
                             stdout=subprocess.PIPE, text=True, check=True, env=environment)
        limits = limits_of(json.loads(report.read_text()))
    rows = rows_of(ran.stdout)
    return {name: (times[0], limit) for (name, times), limit in zip(rows.items(), limits)}


def correlation(pairs):
    """Of (family, modelled, (median, least, most)); None where there is no order."""
    try:
        return spearman([(m, m) for _, m, _ in pairs],
                        [(least, most) for _, _, (_, least, most) in pairs])
    except statistics.StatisticsError:  # one kernel, or all tie
        return None


def shown(value):
    return "-" if value is None else f"{value:.3f}"


def tell(half, pairs):
    ratios = {(family, name): model / times[0] for family, name, model, times in pairs}
    errors = [abs(ratio - 1) for ratio in ratios.values()]
    worst = max(ratios, key=lambda name: max(ratios[name], 1 / ratios[name]))
    ordered = [(family, m, times) for family, _, m, times in pairs]
    within = {name: correlation([pair for pair in ordered if pair[0] == name])
              for name in dict.fromkeys(family for family, _, _ in ordered)}
    known = [value for value in within.values() if value is not None]
    mean = statistics.mean(known) if known else None
    print(f"{half}: {len(pairs)} kernels, median error {statistics.median(errors):.3f}, "
          f"furthest off {', '.join(worst)} ({ratios[worst]:.2f}), "
          f"{sum(max(r, 1 / r) > 1.6 for r in ratios.values())} by more than 1.6; "
          f"ranks {shown(correlation(ordered))}, within families {shown(mean)} on average")
    for family, value in within.items():
        if value is not None and value < 0.97:
            print(f"  {family}: ranks {value:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--families", nargs="+", default=[])
    parser.add_argument("--recorded", type=pathlib.Path, default=RECORD)
    parser.add_argument("--profile", default="h200-whole")
    parser.add_argument("--half", choices=["fit", "held-out"],
                        help="shows nothing of the other: for whoever fits")
    options = parser.parse_args()
    recorded = rows_of(options.recorded.read_text()) if options.recorded.exists() else {}
    if not recorded:
        print(f"no record {options.recorded}: modelled times only", file=sys.stderr)
    halves = {}
    print("| half | family | kernel | bounds | modelled | measured | modelled / measured |")
    print("|---|---|---|---|---|---|---|")
    for name, (model, limit) in modelled(options).items():
        half, family, kernel = name
        if options.half not in (None, half):
            continue
        measured, ratio = "", ""
        if name in recorded:
            halves.setdefault(half, []).append((family, kernel, model, recorded[name]))
            measured, ratio = f"{recorded[name][0]:.1f}", f"{model / recorded[name][0]:.2f}"
        print(f"| {half} | {family} | {kernel} | {limit} | {model:.1f} | {measured} | {ratio} |")
    for half, pairs in halves.items():
        tell(half, pairs)


if __name__ == "__main__":
    main()
