// Pictures shown one after the other: an animated GIF, which every browser opens.
//
// GIF89a as CompuServe specified it in 1990: a palette of 256 colours, and for each picture one
// byte a pixel, packed by LZW. LZW replaces a run of pixels that came before by the number of its
// entry in a dictionary; the reader builds the same dictionary from what it has read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace nbody {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

class Gif {
 public:
  /// Pictures of `width` by `height` pixels, at most 65535 each, each shown for `hundredths` of a
  /// second, over and over. `out` must be open in binary mode and stay until finish().
  Gif(std::ostream& out, int width, int height, const std::array<Colour, 256>& palette,
      int hundredths)
      : out_(out), width_(width), height_(height), hundredths_(hundredths) {
    out_ << "GIF89a";
    put_short(width);
    put_short(height);
    put({0xf7, 0, 0});  // a palette of 2^8 colours of 8 bits
    for (const Colour& colour : palette) put({colour.red, colour.green, colour.blue});
    put({0x21, 0xff, 11});  // an extension: for ever
    out_ << "NETSCAPE2.0";
    put({3, 1, 0, 0, 0});
  }

  /// Adds a picture: width * height indices into the palette, by rows from above.
  void add(std::span<const std::uint8_t> pixels) {
    put({0x21, 0xf9, 4, 0});  // an extension: how long
    put_short(hundredths_);
    put({0, 0, 0x2c, 0, 0, 0, 0});  // a picture, at the upper left
    put_short(width_);
    put_short(height_);
    put({0, 8});  // no palette of its own; symbols start with 8 bits
    const std::string packed = pack(pixels);
    for (std::size_t at = 0; at < packed.size(); at += 255) {
      const std::string block = packed.substr(at, 255);
      put({static_cast<std::uint8_t>(block.size())});
      out_ << block;
    }
    put({0});
  }

  void finish() { put({0x3b}); }

 private:
  static constexpr int colours = 256, clear = 256, end = 257, most_codes = 4096;

  void put(std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) out_.put(static_cast<char>(byte));
  }
  void put_short(int value) {
    put({static_cast<std::uint8_t>(value & 0xff), static_cast<std::uint8_t>(value >> 8)});
  }

  static std::string pack(std::span<const std::uint8_t> pixels) {
    std::string packed;
    unsigned bits = 0;
    int held = 0;
    const auto write = [&](int code, int width) {
      bits |= static_cast<unsigned>(code) << held;
      for (held += width; held >= 8; held -= 8, bits >>= 8) packed += static_cast<char>(bits);
    };

    // longer[code][colour]: the entry for `code`'s run with one more pixel; 0 where there is none.
    std::vector<std::array<std::uint16_t, colours>> longer(most_codes);
    int next = end + 1, width = 9, run = -1;
    write(clear, width);
    for (const std::uint8_t pixel : pixels) {
      if (run < 0) {
        run = pixel;
      } else if (const int entry = longer[run][pixel]; entry != 0) {
        run = entry;
      } else {
        write(run, width);
        if (next < most_codes) {
          longer[run][pixel] = static_cast<std::uint16_t>(next);
          if (next == 1 << width) ++width;  // the reader is one entry behind
          ++next;
        } else {
          write(clear, width);
          longer.assign(most_codes, {});
          next = end + 1;
          width = 9;
        }
        run = pixel;
      }
    }
    if (run >= 0) write(run, width);
    if (next == 1 << width && width < 12) ++width;  // the reader makes an entry of that run, too
    write(end, width);
    if (held > 0) packed += static_cast<char>(bits);
    return packed;
  }

  std::ostream& out_;
  int width_, height_, hundredths_;
};

}  // namespace nbody
