// What the course uses of libelf.
#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include <cstddef>

std::size_t run(int file) {
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(file, ELF_C_READ, nullptr);
  std::size_t count = 0;
  GElf_Phdr segment;
  GElf_Dyn entry;
  if (elf_kind(elf) != ELF_K_ELF || elf_getident(elf, nullptr) == nullptr ||
      elf_getphdrnum(elf, &count) != 0 || gelf_getphdr(elf, 0, &segment) == nullptr)
    return 0;
  Elf_Data* const data = elf_getdata_rawchunk(elf, 0, 16, ELF_T_DYN);
  if (gelf_getdyn(data, 0, &entry) == nullptr) return 0;
  const std::size_t size = data->d_size;
  elf_end(elf);
  return size;
}
