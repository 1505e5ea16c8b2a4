#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow/datum.h"

namespace fermata::flow {

struct Function;

/// Something a script made. Owned by the Heap, which frees what nothing reaches any more.
struct HeapObject {
  explicit HeapObject(Tag of_kind) : kind(of_kind) {}
  Tag kind;
  bool marked = false;
  uint32_t number = 0;  ///< for whoever lists objects; 0 otherwise
  HeapObject* next = nullptr;
  size_t bytes = 0;  ///< what it counts for in the heap's total
};

/// A prefix of a buffer that texts may share: appending to the text that ends where its buffer ends
/// costs only what is appended, so building a text piece by piece is not quadratic. The buffer
/// counts as memory until the last text that shares it is gone.
struct TextObject : HeapObject {
  TextObject() : HeapObject(Tag::text) {}
  std::shared_ptr<std::string> buffer;
  size_t size = 0;
  std::string_view view() const { return {buffer->data(), size}; }
};

struct ArrayObject : HeapObject {
  ArrayObject() : HeapObject(Tag::array) {}
  std::vector<Datum> items;
};

/// Keys in the order of insertion, whatever they look like (F-12).
struct MapObject : HeapObject {
  struct Entry {
    Datum key;  ///< always a text
    Datum value;
  };
  MapObject() : HeapObject(Tag::object) {}
  Datum* find(std::string_view key);
  const Datum* find(std::string_view key) const { return const_cast<MapObject*>(this)->find(key); }
  /// The place of a member whose key is that very text, if it is one of the first few. Keys that a
  /// script writes are constants of its program, so this finds most of them without reading any.
  Datum* find_same(const Value* key) {
    size_t count = std::min(entries_.size(), same_max);
    for (size_t i = 0; i < count; ++i) {
      if (entries_[i].key.json == key) return &entries_[i].value;
    }
    return nullptr;
  }
  /// `key` must not be there yet.
  void append(Datum key, Datum value);
  bool erase(std::string_view key);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  static constexpr size_t same_max = 16;    ///< so many keys are looked at one by one
  static constexpr size_t linear_max = 12;  ///< up to here comparing every key is faster
  void index_all();
  void index_one(size_t position);

  std::vector<Entry> entries_;
  std::vector<uint32_t> index_;  ///< position + 1 by hash of the key, open addressing
};

struct ErrorObject : HeapObject {
  ErrorObject() : HeapObject(Tag::error) {}
  Datum code;
  Datum message;
  Datum details;
  Datum cause;
  Datum stack;
  Datum extra;  ///< an object with task, attempts, item_id, key or errors; null without any
  int line = 0;
  int column = 0;
};

struct CellObject : HeapObject {
  CellObject() : HeapObject(Tag::cell) {}
  Datum value = Datum::unset();
};

struct ClosureObject : HeapObject {
  ClosureObject() : HeapObject(Tag::closure) {}
  const Function* function = nullptr;
  std::vector<CellObject*> cells;
};

struct BoundObject : HeapObject {
  BoundObject() : HeapObject(Tag::bound) {}
  uint32_t builtin = 0;
  Datum receiver;
};

/// What a for loop walks: items as they were at its entry (F-21).
struct IteratorObject : HeapObject {
  IteratorObject() : HeapObject(Tag::iterator) {}
  Datum source;  ///< immutable JSON or a text; null when `items` holds the copy
  std::vector<Datum> items;
  size_t position = 0;
  bool keys = false;
};

/// Something to wait for (F-25). Its state stands in a record of the execution; here is only what
/// records cannot hold: the items of a composite and the value that awaiting it gave. There is one
/// object per number.
struct AwaitableObject : HeapObject {
  AwaitableObject() : HeapObject(Tag::awaitable) {}
  uint32_t number = 0;
  bool has_outcome = false;
  bool threw = false;
  Datum outcome;
  std::vector<Datum> items;
};

std::string_view text_of(const Datum& text);

/// Owns and meters the objects of one evaluation. Allocation never fails; going over the limit is
/// noticed by the machine after the instruction, and natives ask before they make anything large.
class Heap {
 public:
  explicit Heap(size_t bytes_max) : bytes_max_(bytes_max), collect_at_(first_collection()) {}
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  template <class T>
  T* make() {
    T* object = new T;
    link(*object, sizeof(T));
    return object;
  }
  Datum text(std::string_view content);
  Datum text(std::string&& content);
  /// `left` with `right` behind it; `left` stays as it was.
  Datum joined(const Datum& left, std::string_view right);
  Datum array(std::vector<Datum> items);
  static Datum datum(HeapObject* object) { return Datum::of_heap(object->kind, object); }

  /// Counts growth of an object made earlier.
  void grow(HeapObject& object, size_t bytes) {
    object.bytes += bytes;
    bytes_used_ += bytes;
  }
  /// Counts memory that lives as long as the heap.
  void pin(size_t bytes) { bytes_used_ += bytes; }
  void unpin(size_t bytes) { bytes_used_ -= bytes; }
  void limit(size_t bytes_max) {
    bytes_max_ = bytes_max;
    collect_at_ = std::max(first_collection(), std::min(bytes_used_ * 2, bytes_max_ + 1));
  }
  size_t bytes_used() const { return bytes_used_; }
  size_t bytes_left() const { return bytes_used_ < bytes_max_ ? bytes_max_ - bytes_used_ : 0; }
  bool wants_attention() const { return bytes_used_ >= collect_at_; }
  bool over() const { return bytes_used_ > bytes_max_; }
  /// So little is left that looking for garbage would soon be all that is done.
  bool crowded() const { return bytes_used_ > bytes_max_ - bytes_max_ / crowded_part; }

  // One collection: mark what the machine holds; trace follows it, sweep frees the rest.
  void mark(const Datum& datum);
  void mark(HeapObject* object);
  void trace();
  void sweep();

 private:
  void link(HeapObject& object, size_t bytes);
  void mark_children(HeapObject& object);
  void recount(HeapObject& object);
  /// Garbage may take a quarter of the memory before anyone looks.
  size_t first_collection() const { return bytes_max_ / 4; }
  static void destroy(HeapObject* object);

  static constexpr size_t crowded_part = 32;

  HeapObject* first_ = nullptr;
  size_t bytes_used_ = 0;
  size_t bytes_max_;
  size_t collect_at_;
  std::vector<HeapObject*> pending_;
};

}  // namespace fermata::flow
