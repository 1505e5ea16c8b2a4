#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::postgres {

/// What a parameter or the elements of an array are.
enum class Type : uint8_t { flag, integer, number, text, bytes };

/// The values of one array parameter, in PostgreSQL's binary form. Elements are of one type:
/// `flag` boolean, `integer` 32 bits, `number` 64 bits, `text`, `bytes` bytea.
class Column {
 public:
  explicit Column(Type type) : type_(type) {}
  void add(int64_t value);
  void add(uint64_t value) { add(static_cast<int64_t>(value)); }
  void add(int value) { add(int64_t{value}); }
  void add(uint32_t value) { add(int64_t{value}); }
  void add(bool value) { add(int64_t{value}); }
  void add(std::string_view value);
  void add(const std::string& value) { add(std::string_view(value)); }
  void add(const char* value) { add(std::string_view(value)); }
  void add_none();
  void append(const Column& other);  ///< of the same type
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Type type() const { return type_; }
  std::string binary() const;
  /// Shows every element in order as bytes of its binary form; nothing for null.
  void each(const std::function<void(std::optional<std::string_view>)>& show) const;
  size_t byte_count() const { return elements_.size(); }

 private:
  Type type_;
  bool nulls_ = false;
  size_t size_ = 0;
  std::string elements_;
};

/// The parameters of a statement, $1 first.
class Arguments {
 public:
  Arguments& text(std::string_view value) { return put(Type::text, std::string(value)); }
  Arguments& bytes(std::string_view value) { return put(Type::bytes, std::string(value)); }
  Arguments& number(int64_t value);
  Arguments& number(uint64_t value) { return number(static_cast<int64_t>(value)); }
  Arguments& number(int value) { return number(int64_t{value}); }
  Arguments& integer(int32_t value);
  Arguments& flag(bool value) { return put(Type::flag, std::string(1, value ? '\1' : '\0')); }
  Arguments& none(Type type);
  Arguments& array(const Column& column);
  size_t size() const { return values_.size(); }
  /// How much is sent.
  size_t byte_count() const;

  struct Raw {
    std::vector<uint32_t> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
  };
  /// Points into this.
  Raw raw() const;

 private:
  struct Value {
    uint32_t type = 0;
    bool null = false;
    std::string bytes;
  };
  Arguments& put(Type type, std::string bytes);
  std::vector<Value> values_;
};

}  // namespace fermata::postgres
