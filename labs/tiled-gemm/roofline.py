"""Draws roofline.svg: the stages of this lab under the two roofs of an H200.

Each point is one product of 4096^3, by Nsight Compute on 2026-11-21; solutions/tiled-gemm/README.md
has all the figures.
"""

import math
import pathlib

BANDWIDTH = 4.27e12  # bytes/s, the best copy measured
PEAK = 66.9e12  # flop/s: 132 multiprocessors, 128 multiply-adds each, 1.98 GHz

# name, flop for each byte of DRAM, TFLOP/s, where its label stands from the point
STAGES = [
    ("0 baseline", 28.5, 5.46, (10, 16)),
    ("1 tiles of 16", 8.1, 8.14, (-8, -10)),
    ("2 tiles of 32, 3 A B^T", 17.0, 17.5, (10, 4)),
    ("4 register blocks", 347, 24.6, (-120, 18)),
    ("5 vectorized", 209, 47.3, (-88, 16)),
    ("cuBLAS", 347, 51.2, (10, 4)),
]

LEFT, RIGHT, TOP, BOTTOM = 70, 690, 20, 380
INTENSITY, RATE = (1, 1000), (1e12, 1e14)


def place(intensity, rate):
    """The point's coordinates; both axes are logarithmic."""

    def share(value, low, high):
        return math.log(value / low) / math.log(high / low)

    return (
        LEFT + share(intensity, *INTENSITY) * (RIGHT - LEFT),
        BOTTOM - share(rate, *RATE) * (BOTTOM - TOP),
    )


def text(x, y, words, anchor="start", extra=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{extra}>{words}</text>'


def line(start, end, look):
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" {look}/>'
    )


def drawing():
    yield '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 430" font-family="sans-serif" font-size="13">'
    yield '<rect width="720" height="430" fill="white"/>'
    for power in range(4):
        x, _ = place(10**power, RATE[0])
        yield line((x, TOP), (x, BOTTOM), 'stroke="#ddd"')
        yield text(x, BOTTOM + 18, f"{10**power}", "middle")
    for rate in (1, 2, 5, 10, 20, 50, 100):
        _, y = place(1, rate * 1e12)
        yield line((LEFT, y), (RIGHT, y), 'stroke="#ddd"')
        yield text(LEFT - 8, y + 4, f"{rate}", "end")
    yield text((LEFT + RIGHT) / 2, BOTTOM + 40, "operations for each byte of DRAM", "middle")
    yield text(18, 200, "TFLOP/s", "middle", ' transform="rotate(-90 18 200)"')
    ridge = PEAK / BANDWIDTH
    roof = 'stroke="#334" stroke-width="2.5"'
    yield line(place(1, BANDWIDTH), place(ridge, PEAK), roof)
    yield line(place(ridge, PEAK), place(1000, PEAK), roof)
    x, y = place(1.6, BANDWIDTH * 1.6)
    yield text(x - 8, y - 12, "4.27 TB/s", "start", f' transform="rotate(-47 {x:.0f} {y:.0f})"')
    yield text(RIGHT, place(1, PEAK)[1] - 8, "66.9 TFLOP/s", "end")
    for name, intensity, teraflops, (dx, dy) in STAGES:
        x, y = place(intensity, teraflops * 1e12)
        colour = "#888" if name == "cuBLAS" else "#c33"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
        yield text(x + dx, y + dy, name)
    yield "</svg>"


if __name__ == "__main__":
    target = pathlib.Path(__file__).with_name("roofline.svg")
    target.write_text("\n".join(drawing()) + "\n")
