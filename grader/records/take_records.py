#!/usr/bin/env python3
"""Takes the records that the simulator is held against, on a machine with a GPU and Nsight Compute.

    take_records.py BUILD OUT [--labs LAB…]

BUILD is build/gpu with the targets call-stages and, of each lab, grader-, stages- and solutions-.
Writes OUT/counters.csv and OUT/times.csv, which belong into this folder as counters-h200.csv and
times-h200.csv.
"""
import argparse
import csv
import datetime
import io
import pathlib
import re
import statistics
import subprocess
import tempfile

import jobs

METRICS = {
    "global_loads": "smsp__sass_inst_executed_op_global_ld.sum",
    "global_stores": "smsp__sass_inst_executed_op_global_st.sum",
    "shared_loads": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_stores": "smsp__sass_inst_executed_op_shared_st.sum",
    "global_atoms": "smsp__inst_executed_op_global_atom.sum",
    "global_reds": "smsp__inst_executed_op_global_red.sum",
    "shared_atoms": "smsp__inst_executed_op_shared_atom.sum",
    "shared_atoms_dot": "smsp__inst_executed_op_shared_atom_dot_alu.sum",
    "shared_atoms_cas": "smsp__inst_executed_op_shared_atom_dot_cas.sum",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load_sectors_hit": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "red_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "atom_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "instructions": "smsp__inst_executed.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "nanoseconds": "gpu__time_duration.sum",
}


def counted_sizes(lab):
    size = jobs.config(lab)["timing_size"]["sim"]
    return [size, jobs.ragged(size)]


def take_counters(build, calls):
    listed, text = jobs.job_list(build, calls, counted_sizes)
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
               "--metrics", ",".join(METRICS.values()), str(build / "bin/call-stages")]
    shown = subprocess.run(command, input=text, capture_output=True, text=True)
    if shown.returncode != 0:
        raise SystemExit(shown.stdout[-4000:] + shown.stderr[-4000:])
    table = shown.stdout[shown.stdout.index('"ID"'):]
    rows, job = {}, None
    for row in list(csv.DictReader(io.StringIO(table)))[1:]:  # the first one names units
        kernel = re.sub(r"[<(].*", "", row["Kernel Name"].replace("void ", "")).split("::")[-1]
        if kernel == "job_begins":
            job = int(re.findall(r"\d+", row["Grid Size"])[0]) - 1
        elif kernel == "job_ends":
            job = None
        elif job is not None:
            sums = rows.setdefault(job, dict.fromkeys(["launches", *METRICS], 0.0))
            sums["launches"] += 1
            for name, metric in METRICS.items():
                sums[name] += float((row.get(metric) or "0").replace(",", ""))
    yield ["lab", "stage", "function", "elements", "launches", *METRICS]
    for job, sums in rows.items():
        yield [*listed[job], *(f"{value:.0f}" for value in sums.values())]


def take_times(build, calls, repetitions=9):
    listed, text = jobs.job_list(build, calls, jobs.sizes)
    shown = subprocess.run([build / "bin/call-stages", "--repetitions", str(repetitions)],
                           input=text, stdout=subprocess.PIPE, text=True, check=True)
    yield ["lab", "stage", "function", "elements", "median_seconds", "least", "most"]
    for line in shown.stdout.splitlines():
        job, *seconds = line.split()
        seconds = [float(second) for second in seconds]
        yield [*listed[int(job)], f"{statistics.median(seconds):.9f}", min(seconds), max(seconds)]


def first_line(command):
    shown = subprocess.run(command, capture_output=True, text=True, shell=True)
    return shown.stdout.strip().splitlines()[-1] if shown.stdout.strip() else "unknown"


def write(file, rows):
    device = first_line("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader")
    tool = first_line("ncu --version")
    with open(file, "w", newline="") as out:
        out.write(f"# {device}; Nsight Compute: {tool}; {datetime.date.today()};"
                  " taken by take_records.py\n")
        csv.writer(out, lineterminator="\n").writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--labs", nargs="+", default=jobs.LABS, choices=jobs.LABS)
    options = parser.parse_args()
    jobs.LABS = options.labs
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as calls:
        write(options.out / "counters.csv", take_counters(build, calls))
        write(options.out / "times.csv", take_times(build, calls))


if __name__ == "__main__":
    main()
