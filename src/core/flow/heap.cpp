#include "core/flow/heap.h"

#include <algorithm>

namespace fermata::flow {

std::string_view text_of(const Datum& text) {
  if (text.tag == Tag::json_text) return text.json->as_string();
  return static_cast<const TextObject*>(text.heap)->view();
}

Heap::~Heap() {
  while (first_ != nullptr) {
    HeapObject* next = first_->next;
    destroy(first_);
    first_ = next;
  }
}

void Heap::link(HeapObject& object, size_t bytes) {
  object.next = first_;
  first_ = &object;
  grow(object, bytes);
}

Datum Heap::text(std::string_view content) { return text(std::string(content)); }

Datum Heap::text(std::string&& content) {
  auto* object = make<TextObject>();
  object->size = content.size();
  object->buffer = std::make_shared<std::string>(std::move(content));
  bytes_used_ += object->size;
  return datum(object);
}

Datum Heap::joined(const Datum& left, std::string_view right) {
  if (left.tag == Tag::text) {
    auto* before = static_cast<TextObject*>(left.heap);
    bool ends_its_buffer = before->buffer->size() == before->size;
    bool overlaps = right.data() >= before->buffer->data() &&
                    right.data() <= before->buffer->data() + before->buffer->size();
    if (ends_its_buffer && !overlaps) {
      auto* object = make<TextObject>();
      object->buffer = before->buffer;
      object->buffer->append(right);
      object->size = object->buffer->size();
      bytes_used_ += right.size();
      return datum(object);
    }
  }
  std::string_view start = text_of(left);
  std::string content;
  content.reserve(std::max(start.size() + right.size(), size_t{32}));
  content.append(start).append(right);
  return text(std::move(content));
}

Datum Heap::array(std::vector<Datum> items) {
  auto* object = make<ArrayObject>();
  object->items = std::move(items);
  grow(*object, object->items.size() * sizeof(Datum));
  return datum(object);
}

void Heap::destroy(HeapObject* object) {
  switch (object->kind) {
    case Tag::text: delete static_cast<TextObject*>(object); break;
    case Tag::array: delete static_cast<ArrayObject*>(object); break;
    case Tag::object: delete static_cast<MapObject*>(object); break;
    case Tag::error: delete static_cast<ErrorObject*>(object); break;
    case Tag::closure: delete static_cast<ClosureObject*>(object); break;
    case Tag::bound: delete static_cast<BoundObject*>(object); break;
    case Tag::cell: delete static_cast<CellObject*>(object); break;
    case Tag::iterator: delete static_cast<IteratorObject*>(object); break;
    case Tag::awaitable: delete static_cast<AwaitableObject*>(object); break;
    default: break;
  }
}

void Heap::mark(const Datum& datum) {
  if (datum.is_heap()) mark(datum.heap);
}

void Heap::mark(HeapObject* object) {
  if (object == nullptr || object->marked) return;
  object->marked = true;
  pending_.push_back(object);
}

void Heap::mark_children(HeapObject& object) {
  switch (object.kind) {
    case Tag::array:
      for (const Datum& item : static_cast<ArrayObject&>(object).items) mark(item);
      break;
    case Tag::object:
      for (const auto& entry : static_cast<MapObject&>(object).entries()) {
        mark(entry.key);
        mark(entry.value);
      }
      break;
    case Tag::error: {
      auto& error = static_cast<ErrorObject&>(object);
      for (const Datum& part :
           {error.code, error.message, error.details, error.cause, error.stack, error.extra}) {
        mark(part);
      }
      break;
    }
    case Tag::closure:
      for (CellObject* cell : static_cast<ClosureObject&>(object).cells) mark(cell);
      break;
    case Tag::bound: mark(static_cast<BoundObject&>(object).receiver); break;
    case Tag::cell: mark(static_cast<CellObject&>(object).value); break;
    case Tag::iterator:
      mark(static_cast<IteratorObject&>(object).source);
      for (const Datum& item : static_cast<IteratorObject&>(object).items) mark(item);
      break;
    case Tag::awaitable:
      mark(static_cast<AwaitableObject&>(object).outcome);
      for (const Datum& item : static_cast<AwaitableObject&>(object).items) mark(item);
      break;
    default: break;
  }
}

/// What was taken out of an array since it was counted counts no longer.
void Heap::recount(HeapObject& object) {
  if (object.kind != Tag::array) return;
  size_t bytes =
      sizeof(ArrayObject) + static_cast<ArrayObject&>(object).items.size() * sizeof(Datum);
  bytes_used_ = bytes_used_ - object.bytes + bytes;
  object.bytes = bytes;
}

/// A list instead of recursion, so that no depth of data can exhaust the stack.
void Heap::trace() {
  while (!pending_.empty()) {
    HeapObject* next = pending_.back();
    pending_.pop_back();
    mark_children(*next);
  }
}

void Heap::sweep() {
  trace();
  HeapObject** link = &first_;
  while (*link != nullptr) {
    HeapObject* object = *link;
    if (object->marked) {
      object->marked = false;
      recount(*object);
      link = &object->next;
      continue;
    }
    *link = object->next;
    bytes_used_ -= object->bytes;
    if (object->kind == Tag::text) {
      const auto& buffer = static_cast<TextObject*>(object)->buffer;
      if (buffer.use_count() == 1) bytes_used_ -= buffer->size();
    }
    destroy(object);
  }
  // The next collection waits until as much again has been made, so its cost stays in proportion.
  collect_at_ = std::max(first_collection(), std::min(bytes_used_ * 2, bytes_max_ + 1));
}

}  // namespace fermata::flow
