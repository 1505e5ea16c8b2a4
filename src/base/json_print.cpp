#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/utf8.h"

namespace fermata {
namespace {

void append_escape(std::string& out, unsigned char byte) {
  constexpr std::string_view named = "\"\\\b\f\n\r\t";
  constexpr std::string_view names = "\"\\bfnrt";
  out += '\\';
  if (size_t i = named.find(static_cast<char>(byte)); i != named.npos) {
    out += names[i];
    return;
  }
  constexpr char digits[] = "0123456789abcdef";
  out += "u00";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    const char* plain = plain_run_end(at, end);
    out.append(at, static_cast<size_t>(plain - at));
    at = plain;
    if (at == end) break;
    auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x80) {
      append_escape(out, byte);
      ++at;
      continue;
    }
    // A string may have come from outside JSON; what is written must be JSON all the same.
    size_t size = utf8_sequence_size({at, static_cast<size_t>(end - at)});
    if (size == 0) {
      out += "\xef\xbf\xbd";
      ++at;
    } else {
      out.append(at, size);
      at += size;
    }
  }
  out += '"';
}

void append_integer(std::string& out, int64_t value) {
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, static_cast<size_t>(end - buffer));
}

enum class Exponents { as_javascript, never };

/// The shortest digits that read back the same, laid out as ECMAScript's Number::toString does.
void append_finite(std::string& out, double value, Exponents exponents) {
  char buffer[32];
  auto form = std::chars_format::scientific;
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), form).ptr;
  const char* mark = std::find(static_cast<const char*>(buffer), end, 'e');
  int exponent = 0;
  std::from_chars(mark[1] == '+' ? mark + 2 : mark + 1, end, exponent);
  std::string digits(1, buffer[0]);
  if (mark - buffer > 2) digits.append(static_cast<const char*>(buffer) + 2, mark);
  int count = static_cast<int>(digits.size());
  int point = exponent + 1;  // digits in front of the decimal point

  if (value < 0) out += '-';
  if (exponents == Exponents::as_javascript && (point > 21 || point <= -6)) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    out += point > 0 ? "e+" : "e-";
    append_integer(out, std::abs(point - 1));
  } else if (point <= 0) {
    out.append("0.").append(static_cast<size_t>(-point), '0').append(digits);
  } else if (point >= count) {
    out.append(digits).append(static_cast<size_t>(point - count), '0');
  } else {
    out.append(digits, 0, static_cast<size_t>(point)).append(".");
    out.append(digits, static_cast<size_t>(point));
  }
}

void append_number(std::string& out, double value, Exponents exponents) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    append_finite(out, value == 0 ? 0 : value, exponents);
  }
}

enum class Layout { compact, pretty, canonical };

/// Prints without recursion: values built by programs may nest deeper than any stack.
class Printer {
 public:
  Printer(std::string& out, Layout layout, Exponents exponents = Exponents::as_javascript)
      : out_(out), layout_(layout), exponents_(exponents) {}

  void print(const Value& root) {
    constexpr size_t open_first = 8;
    if (root.size() > 0) open_.reserve(open_first);
    begin(root);
    while (!open_.empty()) {
      Frame& frame = open_.back();
      if (frame.next == frame.size) {
        close();
      } else {
        child(frame);
      }
    }
  }

 private:
  struct Frame {
    const Value* items = nullptr;            ///< of an array
    const Value::Member* members = nullptr;  ///< of an object
    size_t size = 0;
    size_t next = 0;
    std::vector<uint32_t> order = {};  ///< of the members, when it is not the stored one
  };

  /// Prints a scalar, or opens a container.
  void begin(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::null: out_ += "null"; return;
      case Value::Kind::boolean: out_ += value.as_bool() ? "true" : "false"; return;
      case Value::Kind::integer:
        // Hashes are taken over integers within ±(2^63-1); the one beyond is a number like others.
        if (layout_ == Layout::canonical && value.as_integer() == INT64_MIN)
          return append_number(out_, static_cast<double>(INT64_MIN), Exponents::as_javascript);
        return append_integer(out_, value.as_integer());
      case Value::Kind::string: return append_string(out_, value.as_string());
      case Value::Kind::number:
        if (!std::isfinite(value.as_number())) {
          out_ += "null";
        } else {
          append_number(out_, value.as_number(), exponents_);
        }
        return;
      case Value::Kind::array:
      case Value::Kind::object: break;
    }
    out_ += value.is_array() ? '[' : '{';
    Frame& frame = open_.emplace_back();
    frame.size = value.size();
    if (value.is_array()) {
      frame.items = value.items().data();
    } else {
      frame.members = value.members().data();
      if (layout_ == Layout::canonical) frame.order = sorted(value);
    }
  }

  void child(Frame& frame) {
    size_t i = frame.next++;
    if (i > 0) out_ += ',';
    if (layout_ == Layout::pretty) new_line(open_.size());
    if (frame.items != nullptr) return begin(frame.items[i]);
    const Value::Member& member = frame.members[frame.order.empty() ? i : frame.order[i]];
    append_string(out_, member.key.as_string());
    out_ += ':';
    if (layout_ == Layout::pretty) out_ += ' ';
    begin(member.value);
  }

  void close() {
    bool array = open_.back().items != nullptr;
    bool empty = open_.back().size == 0;
    open_.pop_back();
    if (layout_ == Layout::pretty && !empty) new_line(open_.size());
    out_ += array ? ']' : '}';
  }

  void new_line(size_t depth) {
    out_ += '\n';
    out_.append(depth * 2, ' ');
  }

  static std::vector<uint32_t> sorted(const Value& object) {
    auto members = object.members();
    std::vector<uint32_t> order(members.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](uint32_t i) { return members[i].key.as_string(); });
    return order;
  }

  std::string& out_;
  const Layout layout_;
  const Exponents exponents_;
  std::vector<Frame> open_;
};

std::string printed(const Value& value, Layout layout) {
  std::string out;
  constexpr size_t container_size_first = 512;
  if (value.is_array() || value.is_object()) out.reserve(container_size_first);
  Printer(out, layout).print(value);
  return out;
}

}  // namespace

std::string to_json(const Value& value) { return printed(value, Layout::compact); }
std::string to_pretty_json(const Value& value) { return printed(value, Layout::pretty); }
std::string to_canonical_json(const Value& value) { return printed(value, Layout::canonical); }

void append_json(std::string& out, const Value& value) {
  Printer(out, Layout::compact).print(value);
}

std::string to_text(const Value& value) {
  if (value.is_string()) return std::string(value.as_string());
  std::string out;
  // Not JSON, which has no such numbers: alone they are told as what they are.
  if (value.kind() == Value::Kind::number) {
    append_number(out, value.as_number(), Exponents::never);
  } else {
    Printer(out, Layout::compact, Exponents::never).print(value);
  }
  return out;
}

std::string number_to_text(double value) {
  std::string out;
  append_number(out, value, Exponents::as_javascript);
  return out;
}

void PrintTo(const Value& value, std::ostream* out) { *out << to_json(value); }

}  // namespace fermata
