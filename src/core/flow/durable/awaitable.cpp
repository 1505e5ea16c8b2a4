#include "core/flow/durable/awaitable.h"

namespace fermata::flow {

std::string_view kind_name(AwaitableKind kind) {
  switch (kind) {
    case AwaitableKind::task: return "task";
    case AwaitableKind::timer: return "timer";
    case AwaitableKind::signal:
    case AwaitableKind::send: return "signal";
    case AwaitableKind::child: return "child";
    case AwaitableKind::approval: return "approval";
    case AwaitableKind::fiber: return "fiber";
    case AwaitableKind::all: return "all";
    case AwaitableKind::any: return "any";
    case AwaitableKind::race: return "race";
    case AwaitableKind::settled: return "settled";
  }
  return {};
}

std::string_view status_name(AwaitableStatus status) {
  switch (status) {
    case AwaitableStatus::pending: return "pending";
    case AwaitableStatus::completed: return "completed";
    case AwaitableStatus::failed: return "failed";
    case AwaitableStatus::cancelled: return "cancelled";
  }
  return {};
}

}  // namespace fermata::flow
