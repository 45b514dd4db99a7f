#!/usr/bin/env python3
"""Holds the registers that are estimated from PTX against those that ptxas gives for sm_90, kernel by kernel,
for every solution, as its grader explains it on the simulated H200.

    compare_registers.py BUILD [--labs LAB…]

BUILD is a build folder with the graders and solutions. Each is explained twice: with the figures that the
simulator reads from its machine code, which have to be those that `ptxas -v` prints, and on a profile that this
machine code is not for, with estimates. The last lines are those of docs/simulator.md.
"""
import argparse
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import tomllib

import jobs

PROFILE = (jobs.ROOT / "common/simulator/model/profiles/h200.toml").read_text()
H200 = tomllib.loads(PROFILE)


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
    by_registers = most["registers"] // 4 // of_warp * 4 // warps
    return min(most["blocks"], most["threads"] // 32 // warps, by_registers,
               most["shared_bytes"] // shared)


def explained(build, lab, capability):
    """Of each kernel of each solution, by (stage, name), its report."""
    with tempfile.TemporaryDirectory() as folder:
        file, profile = (pathlib.Path(folder) / name for name in ("explained.json", "gpu.toml"))
        profile.write_text(re.sub("^capability = [0-9]+", f"capability = {capability}", PROFILE,
                                  flags=re.MULTILINE))
        subprocess.run([build / f"bin/grade-{lab}", "--explain", file, "--solutions",
                        "--profile", profile], check=True)
        return {(entry["name"], kernel["kernel"]): kernel for entry in json.loads(file.read_text())
                for kernel in entry["report"]["kernels"]}


def ptxas(build, lab, stage):
    """Registers by demangled name of kernel."""
    source = jobs.ROOT / "solutions" / lab / f"{stage}.cu"
    commands = json.loads((build / "compile_commands.json").read_text())
    copy = build / "stages/solutions" / lab / source.name  # what is compiled
    command = next(c["command"] for c in commands if pathlib.Path(c["file"]) == copy)
    options = [word for word in shlex.split(command) if not word.startswith("--generate-code")]
    code = f"--generate-code=arch=compute_{H200['capability']},code=[sm_{H200['capability']}]"
    options = options[:options.index("-c")] + [code, "-cubin", "-Xptxas", "-v",
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
        compiled = explained(build, lab, H200["capability"])
        for (stage, _), kernel in explained(build, lab, 100).items():
            if stage not in of_stage:
                of_stage[stage] = ptxas(build, lab, stage)
            read = compiled[stage, kernel["kernel"]]
            real, guess = of_stage[stage][kernel["kernel"]], kernel["registers"]
            if read["registers_estimated"] or not kernel["registers_estimated"] or read["registers"] != real:
                sys.exit(f"{lab}/{stage}: {read['registers']} registers were read for {kernel['kernel']}, "
                         f"of which ptxas says {real}")
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
