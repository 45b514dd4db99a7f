"""Which stages are called on what: all solutions and the baselines they are compared with."""
import pathlib
import tomllib

LABS = ["reduction", "scan", "histogram", "atomics", "compact-split", "radix-sort"]
# A size that no stage is written for: ragged at every level.
RAGGED = 1_000_003


def stages(root, lab):
    """Yields (stage, function) of a lab, the baseline's functions as often as they are measured."""
    config = tomllib.loads((root / "labs" / lab / "lab.toml").read_text())
    functions = []
    for stage in config["stage"]:
        function = stage.get("function", config["function"])
        if function not in functions:
            functions.append(function)
            yield "0_baseline", function
        yield stage["name"], function


def timing_size(root, lab, device):
    config = tomllib.loads((root / "labs" / lab / "lab.toml").read_text())
    return config["timing_size"][device]


def library(stages_root, lab, stage):
    """Path of the stage library below build/<preset>/stages."""
    side = "labs" if stage == "0_baseline" else "solutions"
    return pathlib.Path(stages_root) / side / lab / f"{stage}.so"
