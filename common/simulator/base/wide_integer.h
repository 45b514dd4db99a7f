// 128-bit integers: an extension that GCC and Clang share.
#pragma once

namespace gridstride::sim {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

}  // namespace gridstride::sim
