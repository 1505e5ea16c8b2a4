#include "ports/bulk.h"

namespace fermata {

std::string_view name_of(BulkState state) {
  switch (state) {
    case BulkState::running: return "running";
    case BulkState::done: return "done";
    case BulkState::stopped: return "stopped";
  }
  return "";
}

}  // namespace fermata
