#include "adapters/system/memory.h"

#include <malloc.h>

namespace fermata {
namespace {

constexpr int kept_bytes_max = 64 << 20;
/// Larger blocks are mapped on their own and given back at once.
constexpr int pooled_block_bytes_max = 16 << 20;

}  // namespace

void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, kept_bytes_max);
  mallopt(M_MMAP_THRESHOLD, pooled_block_bytes_max);
}

}  // namespace fermata
