#!/usr/bin/env python3
"""Holds the registers that are estimated from PTX against those that ptxas gives the same source for
sm_90, kernel by kernel, for every solution, as its grader explains it on the simulated H200.

    compare_registers.py BUILD [--labs LAB…]

BUILD is a build folder with the graders and solutions. The last lines are those of docs/simulator.md.
"""
import argparse
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile
import tomllib

import jobs

H200 = tomllib.loads((jobs.ROOT / "common/simulator/model/profiles/h200.toml").read_text())


def limits():
    """The table that has the registers of a multiprocessor."""
    return next(table for table in H200.values()
                if isinstance(table, dict) and "register_granularity" in table)


def round_up(value, unit):
    return -(-value // unit) * unit


def resident_blocks(kernel, registers):
    """As model/occupancy.cpp has it."""
    most = limits()
    x, y, z = kernel["block"]
    warps = round_up(x * y * z, 32) // 32
    of_warp = round_up(registers * 32, most["register_granularity"])
    shared = round_up(kernel["shared_bytes"] + most["shared_reserved"], most["shared_granularity"])
    return min(most["blocks"], most["threads"] // 32 // warps, most["registers"] // of_warp // warps,
               most["shared_bytes"] // shared)


def explained(build, lab):
    """(stage, kernel of its report) of each solution."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "explained.json"
        subprocess.run([build / f"bin/grade-{lab}", "--explain", file, "--solutions"], check=True)
        return [(entry["name"], kernel) for entry in json.loads(file.read_text())
                for kernel in entry["report"]["kernels"]]


def ptxas(build, lab, stage):
    """Registers by demangled name of kernel."""
    source = jobs.ROOT / "solutions" / lab / f"{stage}.cu"
    commands = json.loads((build / "compile_commands.json").read_text())
    copy = build / "stages/solutions" / lab / source.name  # what is compiled
    command = next(c["command"] for c in commands if pathlib.Path(c["file"]) == copy)
    options = [word for word in shlex.split(command) if not word.startswith("--generate-code")]
    options = options[:options.index("-c")] + ["-arch=sm_90", "-cubin", "-Xptxas", "-v",
                                               "-o", "/dev/null", str(source)]
    said = subprocess.run(options, stderr=subprocess.PIPE, text=True, check=True).stderr
    # Relocatable code has a prefix of its own before names in anonymous namespaces.
    said = re.sub(r"__nv_static_\d+_\w+?_(_Z)", r"\1", said)
    said = subprocess.run(["c++filt"], input=said, stdout=subprocess.PIPE, text=True).stdout
    kernels = re.findall(r"entry function '(.*)' for|Used (\d+) registers", said)
    names = [name for name, _ in kernels if name]
    counts = [int(count) for _, count in kernels if count]
    return dict(zip(names, counts, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--labs", nargs="+", default=jobs.LABS, choices=jobs.LABS)
    options = parser.parse_args()
    build = options.build.resolve()

    errors, others, stages = [], set(), set()
    for lab in options.labs:
        of_stage = {}
        for stage, kernel in explained(build, lab):
            if stage not in of_stage:
                of_stage[stage] = ptxas(build, lab, stage)
            real, guess = of_stage[stage][kernel["kernel"]], kernel["registers"]
            blocks = [resident_blocks(kernel, registers) for registers in (guess, real)]
            name = re.sub(r"\(anonymous namespace\)::|\(.*", "", kernel["kernel"])
            mark = "" if blocks[0] == blocks[1] else f"  {blocks[0]} blocks, not {blocks[1]}"
            print(f"{lab:14} {stage:24} {name:32} {guess:4} {real:4}{mark}")
            # ptxas gives them by 8.
            errors.append(guess - round_up(real, 8))
            stages.add((lab, stage))
            if mark:
                others.add((lab, stage))
    off = sorted(abs(error) for error in errors)
    print(f"{len(off)} kernels of {len(stages)} stages, in units of 8: {off.count(0)} as ptxas, "
          f"{sum(e > 0 for e in errors)} more, {sum(e < 0 for e in errors)} fewer; "
          f"median error {statistics.median(off):g} registers, worst {off[-1]}; "
          f"{len(others)} stages with another occupancy")


if __name__ == "__main__":
    main()
