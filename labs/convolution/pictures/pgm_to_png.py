#!/usr/bin/env python3
"""The pictures of the handout: PGM files as PNG, which browsers show.

    ./lab sim -- ./filter_image                     (labs/convolution/examples/filter_image.cu)
    labs/convolution/pictures/pgm_to_png.py before.pgm blur.pgm sharpen.pgm edges.pgm

Each NAME.pgm (binary, 256 greys) becomes NAME.png beside this script.
"""
import pathlib
import struct
import sys
import zlib


def chunk(kind, data):
    """A PNG chunk: length, kind, data, checksum (PNG specification, section 5.3)."""
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(width, height, pixels):
    # Each row begins with a byte that names its filter; 2: differences from the row above.
    above, rows = bytes(width), b""
    for y in range(height):
        row = pixels[y * width:(y + 1) * width]
        rows += b"\x02" + bytes((a - b) % 256 for a, b in zip(row, above))
        above = row
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # 8 bits, grey
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        kind, size, white, pixels = path.read_bytes().split(b"\n", 3)
        width, height = map(int, size.split())
        if kind != b"P5" or white != b"255" or len(pixels) != width * height:
            sys.exit(f"{path}: not one of filter_image's PGM files")
        target = pathlib.Path(__file__).parent / (path.stem + ".png")
        target.write_bytes(png(width, height, pixels))
        print(target)


if __name__ == "__main__":
    main()
