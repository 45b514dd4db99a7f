// Room for the shadow of global memory. See the header.
#include "common/simulator/check/race_pages.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace gridstride::sim {

void RacePages::start(std::uint64_t limit) {
  // What an earlier launch needed is kept for the next one, unless there is less room now.
  if (bytes_ > limit) {
    for (const auto& chunk : chunks_) {
      if (!chunk) continue;
      for (Page& page : *chunk) {
        for (Cells* cells : page.kinds()) drop(page, *cells);
      }
    }
  }
  ++launch_;
  limit_ = limit;
  unchecked_ = 0;
  last_ = nullptr;
  current_.clear();
}

void RacePages::find(std::uint64_t number) {
  const std::uint64_t chunk = number / pages_of_chunk;
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  if (!chunks_[chunk]) chunks_[chunk] = std::make_unique<Chunk>();
  Page& page = (*chunks_[chunk])[number % pages_of_chunk];
  last_number_ = number;
  last_ = &page;
  if (page.launch == launch_) return;
  page.launch = launch_;
  page.unchecked = false;
  current_.push_back(&page);
  for (Cells* cells : page.kinds()) {
    if (!*cells) continue;
    if (page.shift != 2) {
      drop(page, *cells);
    } else {
      std::fill_n(cells->get(), page.count(), 0u);
    }
  }
  page.shift = 2;
  page.read_by_several = {};
}

void RacePages::drop(Page& page, Cells& cells) {
  if (!cells) return;
  bytes_ -= std::uint64_t{page.count()} * sizeof(std::uint32_t);
  cells.reset();
}

void RacePages::give_up(Page& page) {
  for (Cells* cells : page.kinds()) drop(page, *cells);
  page.read_by_several = {};
  page.unchecked = true;
  ++unchecked_;
}

std::uint32_t* RacePages::new_cells(Page& page, Cells& which, bool optional) {
  const std::uint64_t more = std::uint64_t{page.count()} * sizeof(std::uint32_t);
  if (bytes_ + more > limit_) {
    if (!optional) give_up(page);
    return nullptr;
  }
  which = std::make_unique<std::uint32_t[]>(page.count());
  bytes_ += more;
  return which.get();
}

void RacePages::forget(std::uint64_t address, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t offset = (address - base_) % page_bytes;
    const std::uint64_t here = std::min(bytes, page_bytes - offset);
    Page& page = at(address);
    const std::uint64_t first = offset >> page.shift, last = (offset + here - 1) >> page.shift;
    for (Cells* cells : page.kinds()) {
      if (*cells) std::fill(cells->get() + first, cells->get() + last + 1, 0u);
    }
    page.read_by_several = {};
    address += here;
    bytes -= here;
  }
}

bool RacePages::refine(Page& page, std::uint32_t shift) {
  if (page.shift <= shift) return true;
  const std::uint32_t count = page_bytes >> shift, coarser = page.shift - shift;
  for (Cells* cells : page.kinds()) {
    if (!*cells) continue;
    const std::uint64_t more = (std::uint64_t{count} - page.count()) * sizeof(std::uint32_t);
    if (bytes_ + more > limit_) {
      give_up(page);
      return false;
    }
    auto fine = std::make_unique<std::uint32_t[]>(count);
    for (std::uint32_t i = 0; i < count; ++i) fine[i] = (*cells)[i >> coarser];
    *cells = std::move(fine);
    bytes_ += more;
  }
  page.shift = shift;
  return true;
}

}  // namespace gridstride::sim
