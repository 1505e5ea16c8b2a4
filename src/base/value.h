#pragma once
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fermata {

/// A JSON value of 16 bytes. Short strings live inside it; longer ones, arrays and objects are
/// reference-counted nodes that are shared by copies and copied on the first write, so handing a
/// large context to ten thousand branches costs ten thousand increments. Copies may be read from
/// several threads; one Value object may be written by one thread only. Objects keep the order of
/// insertion. Integers of up to 64 bits keep every digit.
class Value {
 public:
  enum class Kind : uint8_t { null, boolean, integer, number, string, array, object };
  struct Member;

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool value);
  Value(int value) : Value(static_cast<int64_t>(value)) {}
  Value(unsigned value) : Value(static_cast<int64_t>(value)) {}
  Value(long value);
  Value(long long value) : Value(static_cast<long>(value)) {}
  Value(unsigned long value);  ///< above 2^63-1 becomes a number
  Value(unsigned long long value) : Value(static_cast<unsigned long>(value)) {}
  Value(double value);
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(std::string_view text);
  Value(const std::string& text) : Value(std::string_view(text)) {}
  static Value array() { return array(std::vector<Value>{}); }
  static Value array(std::vector<Value> items);
  static Value object() { return object({}); }
  static Value object(std::initializer_list<std::pair<std::string_view, Value>> members);

  /// What parsers build from, in one allocation: the items are moved out of the span.
  static Value take_array(std::span<Value> items);
  /// The same from key, value, key, value…; the keys must be strings that differ (below).
  static Value take_object(std::span<Value> keys_and_values);
  /// Which key (0 is the first) repeats an earlier one, or `npos`.
  static size_t repeated_key(std::span<const Value> keys_and_values);
  static constexpr size_t npos = static_cast<size_t>(-1);

  Value(const Value& other) : content_(other.content_) {
    if (content_.size == heap) retain();
  }
  Value(Value&& other) noexcept : content_(std::exchange(other.content_, Content{})) {}
  Value& operator=(const Value& other) { return *this = Value(other); }
  Value& operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    std::swap(content_, taken.content_);
    return *this;
  }
  ~Value() {
    if (content_.size == heap) release();
  }

  Kind kind() const { return content_.kind; }
  bool is_null() const { return kind() == Kind::null; }
  bool is_bool() const { return kind() == Kind::boolean; }
  bool is_integer() const { return kind() == Kind::integer; }
  /// True for integers and other numbers.
  bool is_number() const { return kind() == Kind::integer || kind() == Kind::number; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_array() const { return kind() == Kind::array; }
  bool is_object() const { return kind() == Kind::object; }

  // Each asks for the right kind; another kind is a programmer error.
  bool as_bool() const;
  int64_t as_integer() const;
  double as_number() const;  ///< of an integer or a number
  // What points into this Value is valid while it lives unchanged; the compiler tells who lets it
  // go before.
  std::string_view as_string() const [[clang::lifetimebound]];
  std::span<const Value> items() const [[clang::lifetimebound]];  ///< of an array
  /// Of an object, in order of insertion.
  std::span<const Member> members() const [[clang::lifetimebound]];

  /// Elements of an array, members of an object; 0 otherwise.
  size_t size() const;
  /// Member of an object, or nullptr (also when this is no object).
  const Value* find(std::string_view key) const [[clang::lifetimebound]];
  /// Member of an object, or null.
  const Value& get(std::string_view key) const [[clang::lifetimebound]];

  void set(std::string_view key, Value value);  ///< object: adds or replaces
  bool erase(std::string_view key);             ///< object: true if it was there
  void push(Value value);                       ///< array
  void put(size_t index, Value value);          ///< array, index < size
  void reserve(size_t count);                   ///< array or object

  /// Deep; objects are equal whatever the order of their keys; 1 equals 1.0.
  friend bool operator==(const Value& a, const Value& b);
  /// True when both share one node (or are equal scalars): the cheap half of equality.
  bool same_node(const Value& other) const;
  /// Identity of the shared node, nullptr for values that hold none.
  const void* node() const;
  /// True when containers lie in each other more than `levels` deep (a flat array is 1 deep).
  /// What is stored may nest `value_nesting_max` deep (bytes.h): who builds values asks first.
  bool nests_deeper_than(int levels) const;

 private:
  struct Node;
  struct StringNode;
  struct ContainerNode;
  struct ArrayNode;
  struct ObjectNode;
  struct KeyIndex;

  static constexpr size_t inline_max = 14;
  static constexpr uint8_t heap = 255;
  /// A scalar or the node's address in the first 8 bytes, or an inline string; unused bytes are
  /// zero, so equal inline strings have equal bytes.
  struct Content {
    alignas(8) char text[inline_max] = {};
    uint8_t size = 0;  ///< of an inline string; `heap` when the content is a node
    Kind kind = Kind::null;
  };
  static_assert(sizeof(Content) == 16);

  template <class T>
  void store(Kind kind, T scalar);
  template <class T>
  T load() const;
  void hold(Node* node);
  Node* held() const { return load<Node*>(); }
  void retain() const;
  void release();
  bool same_bytes(const Value& other) const;
  bool same_text(const Value& other) const;
  static bool equal_so_far(const Value& a, const Value& b,
                           std::vector<std::pair<const Value*, const Value*>>& pending);
  ArrayNode& own_array(size_t capacity);
  ObjectNode& own_object(size_t capacity);

  Content content_;
};

static_assert(sizeof(Value) == 16);

struct Value::Member {
  Value key;  ///< always a string
  Value value;
};

/// How GoogleTest shows a Value: as JSON.
void PrintTo(const Value& value, std::ostream* out);

}  // namespace fermata
