// Greyscale images in and out: PGM, the format that is a short text header and then the pixels.
//
// Enough of it for a histogram of any picture: `convert photo.jpg photo.pgm` (ImageMagick) or GIMP
// writes one. And a picture to begin with, for who has none at hand.
#pragma once

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace histogram {

/// Row by row from the top left; 0 is black, 255 white.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

namespace detail {

/// The next number of a PGM header. Words are parted by space; # begins a comment to the line's
/// end.
inline int next_number(std::istream& in) {
  std::string comment;
  while (std::isspace(in.peek()) || in.peek() == '#') {
    if (in.get() == '#') std::getline(in, comment);
  }
  int number = 0;
  if (!(in >> number)) throw std::runtime_error("not a PGM image: a number is missing");
  return number;
}

}  // namespace detail

/// Reads P5 (binary) and P2 (text) with at most 256 greys, spread to 0 … 255. Throws
/// std::runtime_error that says what is wrong with the file.
inline Image read_pgm(std::istream& in) {
  constexpr int longest_side = 1 << 16;
  char letter = 0, kind = 0;
  in.get(letter).get(kind);
  if (letter != 'P' || (kind != '5' && kind != '2'))
    throw std::runtime_error("not a PGM image: it does not begin with P5 or P2");
  Image image;
  image.width = detail::next_number(in);
  image.height = detail::next_number(in);
  const int white = detail::next_number(in);
  if (image.width < 1 || image.height < 1 || image.width > longest_side ||
      image.height > longest_side)
    throw std::runtime_error("a PGM image must have 1 … 65536 columns and rows");
  if (white < 1 || white > 255)
    throw std::runtime_error("this PGM image has more than 256 greys; save it with 8 bits a pixel");
  in.get();  // the one space behind the header
  image.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
  if (kind == '5') {
    in.read(reinterpret_cast<char*>(image.pixels.data()),
            static_cast<std::streamsize>(image.pixels.size()));
    if (!in) throw std::runtime_error("this PGM image ends before its last pixel");
  } else {
    for (std::uint8_t& pixel : image.pixels) {
      const int grey = detail::next_number(in);
      if (grey < 0 || grey > white)
        throw std::runtime_error("a pixel of this PGM image is no grey");
      pixel = static_cast<std::uint8_t>(grey);
    }
  }
  for (std::uint8_t& pixel : image.pixels) {
    if (pixel > white) throw std::runtime_error("a pixel of this PGM image is no grey");
    pixel = static_cast<std::uint8_t>(pixel * 255 / white);
  }
  return image;
}

/// Writes P5.
inline void write_pgm(std::ostream& out, const Image& image) {
  out << "P5\n" << image.width << ' ' << image.height << "\n255\n";
  out.write(reinterpret_cast<const char*>(image.pixels.data()),
            static_cast<std::streamsize>(image.pixels.size()));
}

/// The image in a file. Throws std::runtime_error that names the file.
inline Image load_pgm(const std::string& path) try {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be opened for reading");
  return read_pgm(file);
} catch (const std::runtime_error& error) {
  throw std::runtime_error(path + ": " + error.what());
}

/// Writes the image to a file. Throws std::runtime_error that names the file.
inline void save_pgm(const std::string& path, const Image& image) {
  std::ofstream file(path, std::ios::binary);
  write_pgm(file, image);
  if (!file.flush())
    throw std::runtime_error(path + ": cannot be written; is the folder yours, is the disk full?");
}

/// A ball in the mist: greys between 90 and 165 only, so that equalizing has something to do, and
/// a plain background, so that neighbouring pixels are often equal.
inline Image misty_ball(int width, int height) {
  Image image{width, height, {}};
  const double radius = 0.35 * (width < height ? width : height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double right = (x - 0.5 * width) / radius, down = (y - 0.5 * height) / radius;
      const double toward = 1 - right * right - down * down;  // squared; below 0 beside the ball
      double grey = 90 + 20 * static_cast<double>(y) / height;
      if (toward > 0) {
        const double light = -0.5 * right - 0.6 * down + 0.62 * std::sqrt(toward);
        grey = 105 + 60 * (light > 0 ? light : 0);
      }
      image.pixels.push_back(static_cast<std::uint8_t>(grey));
    }
  }
  return image;
}

}  // namespace histogram
