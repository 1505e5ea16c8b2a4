#include "core/model/signal.h"

namespace fermata {

Value shown_signal(const Signal& signal) {
  auto text = [](const std::string& text) { return text.empty() ? Value() : Value(text); };
  return Value::object(
      {{"event_id", signal.id},
       {"event_type", signal.type},
       {"contact_id", text(signal.contact_id)},
       {"execution_id", text(signal.run.text())},
       {"correlation_id", text(signal.correlation_id)},
       {"timestamp", signal.occurred_at ? Value(to_rfc3339(*signal.occurred_at)) : Value()},
       {"received_at", to_rfc3339(signal.received_at)},
       {"data", signal.data}});
}

}  // namespace fermata
