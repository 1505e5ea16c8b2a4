#pragma once

namespace fermata {

/// Has the allocator keep what large batches free, up to a bound, for the next batch: handing pages
/// back and getting them again, zeroed by the kernel, costs more than the work done in them.
/// Call it before threads are started.
void keep_freed_memory();

}  // namespace fermata
