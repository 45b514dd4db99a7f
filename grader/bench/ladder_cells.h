// A rung's figures as text, the same in the table and in the page.
#pragma once

#include <string>

#include "grader/bench/ladder.h"

namespace gridstride {

struct RungCells {
  std::string time;     ///< "249 us"
  std::string rate;     ///< "4.31 TB/s", or empty
  std::string share;    ///< "97 % of read", or empty
  std::string library;  ///< "1.01x", or empty
  std::string spread;   ///< "±0.4 %"
};
RungCells cells_of(const Rung& rung);

}  // namespace gridstride
