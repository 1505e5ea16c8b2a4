#include <algorithm>

#include "core/flow/durable/activation.h"
#include "core/flow/durable/own_copy.h"

/// What awaiting gives: results of records become values of the machine, composites are put
/// together from their items (F-26, F-29).
namespace fermata::flow {

namespace {

AwaitableObject* object_of(const Datum& datum) {
  return datum.tag == Tag::awaitable ? static_cast<AwaitableObject*>(datum.heap) : nullptr;
}

bool from_items(const Awaitable& record) {
  return is_composite(record.kind) && !record.given_whole &&
         record.status != AwaitableStatus::cancelled;
}

}  // namespace

/// Composites nest as deep as a script likes, so their parts wait on a list.
bool Activation::materialise(AwaitableObject& first) {
  std::vector<AwaitableObject*> open{&first};
  while (!open.empty()) {
    AwaitableObject& awaited = *open.back();
    Awaitable* record = ledger_.find(awaited.number);
    if (awaited.has_outcome) {
      open.pop_back();
      continue;
    }
    bool whole = record != nullptr &&
                 (!from_items(*record) || record->composite.items.size() == awaited.items.size());
    if (!whole || record->pending()) {
      machine_.end(Machine::Verdict::damaged);
      return false;
    }
    if (!from_items(*record)) {
      take_result(awaited, *record);
    } else if (needs(awaited, *record, open)) {
      continue;
    } else if (!machine_.stopped()) {
      compose(awaited, *record);
    }
    if (machine_.stopped()) return false;
  }
  return true;
}

/// Puts the items whose values are needed and missing on the list; true when there were some.
bool Activation::needs(const AwaitableObject& awaited, const Awaitable& record,
                       std::vector<AwaitableObject*>& open) {
  size_t before = open.size();
  for (size_t i = awaited.items.size(); i-- > 0;) {
    bool counts = record.composite.winner == 0 || record.composite.winner == i + 1;
    AwaitableObject* item = counts ? object_of(awaited.items[i]) : nullptr;
    if (item == nullptr || item->has_outcome) continue;
    // A composite is made of what was there before it; only a damaged one would contain itself.
    if (item->number >= awaited.number) {
      machine_.end(Machine::Verdict::damaged);
      return false;
    }
    open.push_back(item);
  }
  return open.size() > before;
}

void Activation::give(AwaitableObject& awaited, Datum value, bool threw) {
  awaited.outcome = value;
  awaited.threw = threw;
  awaited.has_outcome = true;
  awaited.items.clear();
}

/// The result moves from the record into the machine, so that it is kept once.
void Activation::take_result(AwaitableObject& awaited, Awaitable& record) {
  if (record.kind == AwaitableKind::signal) ledger_.take(awaited.number);
  ledger_.drop_bytes(record.result);
  Value result = own_copy(std::exchange(record.result, Value()));
  record.delivered = true;
  if (record.status == AwaitableStatus::completed) {
    give(awaited, machine_.keep(std::move(result)));
  } else {
    give(awaited, error_of(result, awaited.number), true);
  }
}

void Activation::compose(AwaitableObject& awaited, const Awaitable& record) {
  if (!machine_.charge(awaited.items.size())) return;
  if (record.composite.winner != 0) return compose_winner(awaited, record);
  if (record.kind == AwaitableKind::any) return compose_failures(awaited, record);
  compose_list(awaited, record);
}

bool Activation::item_threw(const Datum& item) {
  const AwaitableObject* object = object_of(item);
  return object != nullptr && object->threw;
}

Datum Activation::item_value(const Datum& item) {
  const AwaitableObject* object = object_of(item);
  return object == nullptr ? item : object->outcome;
}

Datum Activation::id_of(uint32_t number) {
  return number == 0 ? Datum() : machine_.text(execution_.id_of(number));
}

Datum Activation::key_of(const Composite& composite, uint32_t place) {
  if (composite.object) return machine_.text(composite.keys[place - 1]);
  return Datum::of_count(place - 1);
}

void Activation::compose_winner(AwaitableObject& awaited, const Awaitable& record) {
  const Composite& composite = record.composite;
  uint32_t place = composite.winner;
  const Datum& item = awaited.items[place - 1];
  bool threw = item_threw(item);
  Datum value = item_value(item);
  Datum key = key_of(composite, place);
  if (record.status == AwaitableStatus::failed) return give(awaited, with_key(value, key), true);
  if (composite.shape == Composite::Shape::bare) return give(awaited, value);
  auto* out = machine_.heap().make<MapObject>();
  auto add = [&](std::string_view name, const Datum& part) {
    machine_.put(*out, machine_.text(name), part);
  };
  if (composite.shape == Composite::Shape::kv) {
    add("key", key);
    add("value", value);
  } else {
    add("item_id", id_of(composite.items[place - 1]));
    add("key", key);
    if (record.kind == AwaitableKind::race) {
      add("status", machine_.text(threw ? "failed" : "completed"));
    }
    add(threw ? "error" : "result", value);
  }
  give(awaited, Heap::datum(out));
}

Datum Activation::settled_item(const Datum& item) {
  auto* out = machine_.heap().make<MapObject>();
  bool threw = item_threw(item);
  machine_.put(*out, machine_.text("status"), machine_.text(threw ? "rejected" : "fulfilled"));
  machine_.put(*out, machine_.text(threw ? "reason" : "value"), item_value(item));
  return Heap::datum(out);
}

void Activation::compose_list(AwaitableObject& awaited, const Awaitable& record) {
  bool settled = record.kind == AwaitableKind::settled;
  std::vector<Datum> values;
  values.reserve(awaited.items.size());
  for (const Datum& item : awaited.items) {
    values.push_back(settled ? settled_item(item) : item_value(item));
  }
  if (!record.composite.object) return give(awaited, machine_.heap().array(std::move(values)));
  auto* out = machine_.heap().make<MapObject>();
  for (uint32_t i = 0; i < values.size(); ++i) {
    machine_.put(*out, machine_.text(record.composite.keys[i]), values[i]);
  }
  give(awaited, Heap::datum(out));
}

/// Every item of `any` has failed; they are told in the order in which that happened.
void Activation::compose_failures(AwaitableObject& awaited, const Awaitable& record) {
  const Composite& composite = record.composite;
  std::vector<uint32_t> order;
  for (uint32_t place = 1; place <= composite.items.size(); ++place) order.push_back(place);
  std::ranges::stable_sort(order, {}, [&](uint32_t place) {
    return ledger_.find(composite.items[place - 1])->sequence;
  });
  std::vector<Datum> errors;
  for (uint32_t place : order) {
    errors.push_back(with_key(item_value(awaited.items[place - 1]), key_of(composite, place)));
  }
  std::string_view message = order.empty() ? "there was nothing to wait for" : "every item failed";
  Datum error = machine_.make_error("AGGREGATE_ERROR", machine_.text(message));
  auto* extra = machine_.heap().make<MapObject>();
  machine_.put(*extra, machine_.text("errors"), machine_.heap().array(std::move(errors)));
  machine_.put(*extra, machine_.text("item_id"), id_of(awaited.number));
  static_cast<ErrorObject*>(error.heap)->extra = Heap::datum(extra);
  give(awaited, error, true);
}

/// The same error, saying under which key its composite knew it. Other thrown values stay as they
/// are.
Datum Activation::with_key(const Datum& thrown, const Datum& key) {
  if (thrown.tag != Tag::error) return thrown;
  const auto& from = *static_cast<ErrorObject*>(thrown.heap);
  auto* error = machine_.heap().make<ErrorObject>();
  error->code = from.code;
  error->message = from.message;
  error->details = from.details;
  error->cause = from.cause;
  error->stack = from.stack;
  error->line = from.line;
  error->column = from.column;
  auto* extra = machine_.heap().make<MapObject>();
  if (!from.extra.is_null()) machine_.copy_entries(*extra, from.extra);
  machine_.put(*extra, machine_.text("key"), key);
  error->extra = Heap::datum(extra);
  return Heap::datum(error);
}

Datum Activation::error_of(const Value& value, uint32_t number) {
  const Value& code = value.get("code");
  const Value& message = value.get("message");
  Datum error = machine_.make_error(code.is_string() ? code.as_string() : "ERROR",
                                    machine_.keep(message.is_null() ? Value("") : message));
  auto* object = static_cast<ErrorObject*>(error.heap);
  object->details = machine_.keep(value.get("details"));
  object->cause = machine_.keep(value.get("cause"));
  auto* extra = machine_.heap().make<MapObject>();
  for (std::string_view name : {"task", "attempts"}) {
    if (const Value* found = value.find(name)) {
      machine_.put(*extra, machine_.text(name), machine_.keep(*found));
    }
  }
  machine_.put(*extra, machine_.text("item_id"), id_of(number));
  object->extra = Heap::datum(extra);
  return error;
}

}  // namespace fermata::flow
