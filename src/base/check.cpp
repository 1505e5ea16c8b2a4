#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace fermata {

void check_failed(std::source_location where) {
  std::fprintf(stderr, "%s:%u: check failed in %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name());
  std::abort();
}

}  // namespace fermata
