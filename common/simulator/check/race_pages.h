// Shadow of global memory for the race checker: who stored and who read each word last.
//
// Memory is taken for pages that kernels touch, one 32-bit cell for a word and each of: its last
// store, an atomic access beside that, a plain store that lies before these two, one reader, a second reader.
// A page that is accessed in pieces smaller than a word has smaller cells. What the shadow may take is limited; pages that find no room are not checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gridstride::sim {

class RacePages {
 public:
  static constexpr std::uint32_t page_bytes = 4096;
  using Cells = std::unique_ptr<std::uint32_t[]>;

  struct Page {
    std::uint64_t launch = 0;
    std::uint32_t shift = 2;  ///< a cell is 1 << shift bytes
    bool unchecked = false;   ///< there was no room
    /// Null as long as there was none.
    Cells writer, atomic, before_atomics, reader, second_reader;
    /// By 128 bytes: 0, or one more than the largest block of those that read them, of which each cell then
    /// has two. So one more reader changes nothing, if it is of a later block. See GlobalRaces.
    std::array<std::uint32_t, page_bytes / 128> read_by_several{};

    /// Whether a further reader of `block` changes nothing of who has read the cell.
    bool keeps_readers(std::uint32_t index, std::uint32_t block) const {
      return read_by_several[group_of(index)] - 1 < block;  // not where it is 0
    }
    /// Which of those a cell belongs to.
    std::uint32_t group_of(std::uint32_t index) const { return index >> (7 - shift); }
    std::uint32_t group_cells() const { return 128u >> shift; }
    /// Whoever changes cells of `reader` or `second_reader` says so.
    void readers_change(std::uint32_t index, std::uint32_t count = 1) {
      const std::uint32_t last = group_of(index + count - 1);
      for (std::uint32_t group = group_of(index); group <= last; ++group)
        read_by_several[group] = 0;
    }
    std::uint32_t count() const { return page_bytes >> shift; }
    /// Whether the cell remembers nothing.
    bool is_untouched(std::uint32_t index) const {
      return ((writer ? writer[index] : 0) | (atomic ? atomic[index] : 0) |
              (before_atomics ? before_atomics[index] : 0) | (reader ? reader[index] : 0) |
              (second_reader ? second_reader[index] : 0)) == 0;
    }
    /// The cell of an address that lies in the page.
    std::uint32_t index_of(std::uint64_t address) const {
      return static_cast<std::uint32_t>(address % page_bytes) >> shift;
    }
    std::array<Cells*, 5> kinds() {
      return {&writer, &atomic, &before_atomics, &reader, &second_reader};
    }
    std::array<const Cells*, 5> kinds() const {
      return {&writer, &atomic, &before_atomics, &reader, &second_reader};
    }
  };

  /// `base`: lowest address.
  explicit RacePages(std::uint64_t base) : base_(base) {}

  /// Another launch begins, which forgets what others did; the shadow may take `limit` bytes.
  void start(std::uint64_t limit);
  /// The page that holds `address`, as this launch has left it.
  Page& at(std::uint64_t address) {
    const std::uint64_t number = (address - base_) / page_bytes;
    if (number == last_number_ && last_ != nullptr) return *last_;
    const std::uint64_t chunk = number / pages_of_chunk;
    if (chunk < chunks_.size() && chunks_[chunk]) {
      Page& page = (*chunks_[chunk])[number % pages_of_chunk];
      if (page.launch == launch_) {
        last_number_ = number;
        last_ = &page;
        return page;
      }
    }
    find(number);
    return *last_;
  }
  /// The cells of one kind, empty at first; null when there is no room, and then the page is not
  /// checked, unless `optional`.
  std::uint32_t* cells(Page& page, Cells& which, bool optional = false) {
    return which ? which.get() : new_cells(page, which, optional);
  }
  /// Nobody has accessed these bytes: they have been given to somebody new.
  void forget(std::uint64_t address, std::uint64_t bytes);
  /// Makes the cells of `page` at most 1 << `shift` bytes small. False when there is no room.
  bool refine(Page& page, std::uint32_t shift);

  /// Calls `use` with each page of this launch.
  template <class Use>
  void for_each(Use use) {
    for (Page* page : current_) use(*page);
  }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t limit() const { return limit_; }
  /// Pages of this launch that found no room.
  std::uint64_t unchecked() const { return unchecked_; }
  /// Calls `use` with the address of each of them.
  template <class Use>
  void for_each_unchecked(Use use) const {
    for (std::size_t i = 0; unchecked_ != 0 && i < chunks_.size(); ++i) {
      for (std::size_t k = 0; chunks_[i] && k < pages_of_chunk; ++k) {
        const Page& page = (*chunks_[i])[k];
        if (page.launch == launch_ && page.unchecked) {
          use(base_ + (i * pages_of_chunk + k) * page_bytes);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t pages_of_chunk = 256;
  using Chunk = std::array<Page, pages_of_chunk>;

  void find(std::uint64_t number);
  std::uint32_t* new_cells(Page& page, Cells& which, bool optional);
  void give_up(Page& page);
  void drop(Page& page, Cells& cells);

  std::uint64_t base_ = 0, limit_ = 0, bytes_ = 0, launch_ = 0, unchecked_ = 0;
  std::uint64_t last_number_ = 0;
  Page* last_ = nullptr;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Page*> current_;  ///< touched in this launch
};

}  // namespace gridstride::sim
