#!/usr/bin/env python3
"""Holds the times that are graded on a GPU against the bare CUDA runtime's.

    graded_times.py BUILD [--labs LAB…] [--rounds N] [--pause MILLISECONDS] [--csv FILE]

BUILD is build/gpu with all targets and call-stages. A graded call goes from the stage's process to
the device process that drives the GPU, and its time must not show that. So each round grades all
solutions and lets call-stages make such calls straight through the CUDA runtime, on inputs of the
same kind, with the L2 in the same state and beside another process that has the GPU open, as the baseline's has when
a stage is graded. Where the inputs decide how much there is to do, each graded call is compared with calls on its
own inputs, and between two bare calls there is a pause, in which a judge draws inputs. Prints both times of each
stage and their difference, medians over the calls and rounds. Ends with 1 when one is off by more than 3 % and by
more than 2 us.
"""
import argparse
import collections
import contextlib
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import jobs

SHARE, SECONDS = 0.03, 2e-6  # how far the two may be apart: the larger one counts

# How much these have to do depends on the inputs, which are drawn anew for each graded call: so many
# of the very calls that are graded are made, from the first pair on.
DRAWS = {"jacobi": 15, "quicksort-cdp": 9}
SEED = "1"


def gpu_size(lab):
    return [jobs.config(lab)["timing_size"]["gpu"]]


def graded(build, lab, folder):
    """Seconds of each stage of the lab, as the grade's JSON has them: {(lab, stage, draw): seconds},
    the median of all calls for draw 0."""
    file = folder / f"{lab}.json"
    command = [build / "bin" / f"grade-{lab}", "--solutions", "--device", "gpu", "--seed", SEED,
               "--json", file]
    shown = subprocess.run(command, capture_output=True, text=True)
    if shown.returncode != 0:
        raise SystemExit(f"{lab} does not pass:\n{shown.stdout}{shown.stderr}")
    [result] = json.loads(file.read_text())["labs"]
    times = {}
    for stage in result["stages"]:
        calls = stage["seconds"]["student_calls"][:DRAWS[lab]] if lab in DRAWS else []
        for draw, seconds in enumerate(calls, 1):
            times[lab, stage["name"], draw] = seconds
        if not calls:
            times[lab, stage["name"], 0] = stage["seconds"]["student"]
    return times


@contextlib.contextmanager
def open_elsewhere(build, job):
    """While this lasts another process has the GPU open, and sleeps."""
    command = [build / "bin/call-stages", "--repetitions", "2", "--pause", str(24 * 3600 * 1000)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            process.stdin.write(job)
            process.stdin.close()
            if not process.stdout.read(1):  # the job's number, after its first call
                raise SystemExit("call-stages failed: see above")
            yield
        finally:
            process.kill()


def bare(build, jobs_listed, pause, repetitions, processes=3):
    """Median seconds of each job's calls through the CUDA runtime, with the keys of graded(). In
    several processes: where memory lies decides as well, and is the same throughout one."""
    listed, text = jobs_listed
    if not listed:
        return {}
    command = [build / "bin/call-stages", "--repetitions", str(repetitions), "--dirty",
               "--pause", str(pause)]
    times = collections.defaultdict(list)
    for _ in range(processes):
        shown = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
        for line in shown.stdout.splitlines():
            job, *seconds = line.split()
            times[listed[int(job)]] += map(float, seconds)
    return {job: statistics.median(seconds) for job, seconds in times.items()}


def solutions_of(listed, text):
    """The jobs of job_list without the baselines and without what redrawn_calls() makes."""
    kept = [((lab, stage, 0), line)
            for (lab, stage, *_), line in zip(listed, text.splitlines(keepends=True))
            if stage != "0_baseline" and lab not in DRAWS]
    return [job for job, _ in kept], "".join(line for _, line in kept)


def redrawn_calls(build, calls):
    """(lab, stage, draw) of each job, and the text that call-stages reads."""
    listed, lines = [], []
    for lab in jobs.LABS:
        for draw in range(1, DRAWS.get(lab, 0) + 1):
            folder = calls / f"{lab}-redrawn-{draw}"
            folder.mkdir()
            subprocess.run([build / "bin" / f"grade-{lab}", "--solutions", "--save-calls", folder,
                            "--seed", SEED, "--redraw", str(draw)], check=True)
            for stage, function in jobs.stages(lab):
                if stage == "0_baseline":
                    continue
                library = build / "stages/solutions" / lab / f"{stage}.so"
                listed.append((lab, stage, draw))
                lines.append(f"{library}\t{function}\t{folder / stage}.call\n")
    return listed, "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--labs", nargs="+", default=jobs.LABS, choices=jobs.LABS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pause", type=int, default=60,
                        help="milliseconds between two bare calls of a lab whose inputs decide how much there "
                             "is to do: a process that has slept hears later from its GPU (60)")
    parser.add_argument("--csv", type=pathlib.Path, help="where each round's times go as they are measured")
    options = parser.parse_args()
    jobs.LABS = options.labs
    build = options.build.resolve()
    rows = []
    with tempfile.TemporaryDirectory() as temporary, open(options.csv or os.devnull, "w",
                                                          newline="") as out:
        table = csv.writer(out)
        table.writerow(("round", "lab", "stage", "draw", "graded", "bare"))
        folder = pathlib.Path(temporary)
        fixed = solutions_of(*jobs.job_list(build, folder, gpu_size))
        redrawn = redrawn_calls(build, folder)
        first_job = (fixed[1] + redrawn[1]).splitlines(keepends=True)[0]
        for number in range(1, options.rounds + 1):
            with open_elsewhere(build, first_job):
                without = (bare(build, fixed, pause=0, repetitions=11) |
                           bare(build, redrawn, options.pause, repetitions=5))
            for lab in options.labs:
                start = time.monotonic()
                measured = [(number, *call, seconds, without[call])
                            for call, seconds in graded(build, lab, folder).items()]
                print(f"round {number}: {lab} graded in {time.monotonic() - start:.1f} s",
                      file=sys.stderr, flush=True)
                table.writerows(measured)
                out.flush()
                rows += measured

    apart = 0
    for stage in dict.fromkeys(row[1:3] for row in rows):
        of_stage = [row for row in rows if row[1:3] == stage]
        without = statistics.median(row[5] for row in of_stage)
        difference = statistics.median(row[4] - row[5] for row in of_stage)
        with_grader = without + difference
        beyond = abs(difference) > max(SHARE * without, SECONDS)
        apart += beyond
        print(f"{stage[0]:14} {stage[1]:24} graded {with_grader * 1e6:10.1f} us   bare "
              f"{without * 1e6:10.1f} us   {with_grader / without:6.3f}  {difference * 1e6:+7.1f} us"
              f"{'   <- apart' if beyond else ''}")
    print(f"{apart} of {len({row[1:3] for row in rows})} stages are further apart than "
          f"{SHARE:.0%} and {SECONDS * 1e6:.0f} us")
    raise SystemExit(1 if apart else 0)


if __name__ == "__main__":
    main()
