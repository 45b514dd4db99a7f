"""Which stages are called on what: all solutions and the baselines they are compared with, on the
calls that their graders time."""
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LABS = sorted(file.parent.name for file in ROOT.glob("labs/*/lab.toml"))


def config(lab):
    return tomllib.loads((ROOT / "labs" / lab / "lab.toml").read_text())


def stages(lab):
    """Yields (stage, function) of a lab, each function's baseline before its first stage."""
    functions = []
    for stage in config(lab)["stage"]:
        function = stage.get("function", config(lab)["function"])
        if function not in functions:
            functions.append(function)
            yield "0_baseline", function
        yield stage["name"], function


def sizes(lab):
    """Elements that times are recorded at: what a GPU is timed on, what the simulated one is, and
    one between that the simulated one can still be shown."""
    sizes_of = config(lab)["timing_size"]
    return sorted({sizes_of["gpu"], min(sizes_of["gpu"], 1 << 22), sizes_of["sim"]})


def ragged(size):
    """A size near `size` that no stage is written for."""
    return size - size // 20 | 1


def job_list(build, calls, sizes_of):
    """(lab, stage, function, elements) of each job, and the text that call-stages reads. `build` is
    a build folder; the calls are saved below `calls`. sizes_of(lab) are the elements."""
    listed, lines = [], []
    for lab in LABS:
        for elements in sizes_of(lab):
            folder = pathlib.Path(calls) / f"{lab}-{elements}"
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run([build / "bin" / f"grade-{lab}", "--save-calls", folder, "--size",
                            str(elements), "--seed", "1"], check=True)
            for stage, function in stages(lab):
                side = "labs" if stage == "0_baseline" else "solutions"
                library = build / "stages" / side / lab / f"{stage}.so"
                listed.append((lab, stage, function, elements))
                lines.append(f"{library}\t{function}\t{folder / function}.call\n")
    return listed, "".join(lines)
