#include <algorithm>

#include "base/utf8.h"
#include "core/flow/code_points.h"
#include "core/flow/library_call.h"

namespace fermata::flow::natives {

namespace {

/// Reading code points walks the text from its start.
bool walk(Machine& machine, std::string_view text) { return machine.charge_bytes(text.size()); }

/// Where `part` begins in `text` at or behind `from`. Every byte compared is paid for, so a text
/// that almost matches everywhere costs what it takes; the search ends when the steps do.
size_t find_part(Machine& machine, std::string_view text, std::string_view part, size_t from) {
  if (part.empty()) return std::min(from, text.size());
  size_t compared = 0;
  constexpr size_t settle_bytes = 4096;
  size_t last = text.size() < part.size() ? 0 : text.size() - part.size() + 1;
  for (size_t at = from; at < last; ++at) {
    size_t next = text.find(part[0], at);
    compared += std::min(next, last) - at + 1;
    if (next >= last) break;
    at = next;
    size_t same = 1;
    while (same < part.size() && text[at + same] == part[same]) ++same;
    compared += same;
    if (same == part.size()) return machine.charge_bytes(compared) ? at : std::string_view::npos;
    if (compared < settle_bytes) continue;
    if (!machine.charge_bytes(compared)) return std::string_view::npos;
    compared = 0;
  }
  machine.charge_bytes(compared);
  return std::string_view::npos;
}

size_t find_last_part(Machine& machine, std::string_view text, std::string_view part) {
  if (part.size() > text.size()) return std::string_view::npos;
  for (size_t at = text.size() - part.size() + 1; at-- > 0;) {
    size_t same = 0;
    while (same < part.size() && text[at + same] == part[same]) ++same;
    if (!machine.charge_bytes(same)) return std::string_view::npos;
    if (same == part.size()) return at;
  }
  return std::string_view::npos;
}

Datum one_point(Machine& machine, std::string_view text, int64_t index) {
  if (index < 0 || !walk(machine, text)) return {};
  size_t at = utf8::offset_of(text, static_cast<size_t>(index));
  if (at >= text.size()) return {};
  return machine.text(text.substr(at, utf8::width(text[at])));
}

Datum between(Machine& machine, std::string_view text, size_t begin, size_t end) {
  if (begin >= end) return machine.text("");
  size_t first = utf8::offset_of(text, begin);
  size_t last = first + utf8::offset_of(text.substr(first), end - begin);
  return machine.text(text.substr(first, last - first));
}

Datum position(std::string_view text, size_t offset) {
  if (offset == std::string_view::npos) return Datum::of_integer(-1);
  return Datum::of_count(utf8::index_of(text, offset));
}

Datum pad(Machine& machine, Arguments arguments, bool at_start) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  int64_t width = call.integer(1);
  std::string_view filler = call.has(2) ? call.text(2) : " ";
  if (call.failed() || !walk(machine, text)) return {};
  auto length = static_cast<int64_t>(utf8_length(text));
  if (width <= length || filler.empty()) return arguments[0];
  auto missing = static_cast<size_t>(width - length);
  size_t filler_length = utf8_length(filler);
  size_t whole = missing / filler_length;
  std::string_view rest = filler.substr(0, utf8::offset_of(filler, missing % filler_length));
  if (whole > SIZE_MAX / 8 / filler.size() ||
      !machine.text_fits(text.size() + whole * filler.size() + rest.size())) {
    machine.text_fits(SIZE_MAX);
    return {};
  }
  std::string padding;
  for (size_t i = 0; i < whole; ++i) padding += filler;
  padding += rest;
  return machine.text(at_start ? padding.append(text) : std::string(text) + padding);
}

/// An empty part is found before every code point and at the end.
Datum put_between(Machine& machine, std::string_view text, std::string_view by) {
  std::string out(by);
  for (size_t at = 0; at < text.size();) {
    size_t width = utf8::width(text[at]);
    out += text.substr(at, width);
    out += by;
    at += width;
    if (!machine.charge_bytes(by.size()) || !machine.text_fits(out.size())) return {};
  }
  return machine.text(std::move(out));
}

}  // namespace

Datum string_at(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  int64_t index = call.integer(1);
  if (index < 0) index += static_cast<int64_t>(utf8_length(text));
  return call.failed() ? Datum() : one_point(machine, text, index);
}

Datum string_char_at(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  int64_t index = call.integer(1);
  if (call.failed()) return {};
  Datum found = one_point(machine, text, index);
  return found.is_null() ? machine.text("") : found;
}

Datum string_code_point_at(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  int64_t index = call.integer(1);
  if (call.failed() || index < 0 || !walk(machine, text)) return {};
  size_t at = utf8::offset_of(text, static_cast<size_t>(index));
  return at < text.size() ? Datum::of_integer(utf8::decode(text, at)) : Datum();
}

Datum string_includes(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  std::string_view part = call.text(1);
  if (call.failed()) return {};
  return Datum::of(find_part(machine, text, part, 0) != std::string_view::npos);
}

Datum string_starts_with(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  std::string_view part = call.text(1);
  int64_t from = std::max<int64_t>(0, call.integer(2, 0));
  if (!walk(machine, text)) return {};
  return Datum::of(text.substr(utf8::offset_of(text, static_cast<size_t>(from))).starts_with(part));
}

Datum string_ends_with(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  std::string_view part = call.text(1);
  if (call.failed() || !walk(machine, part)) return {};
  return Datum::of(text.ends_with(part));
}

Datum string_index_of(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  std::string_view part = call.text(1);
  int64_t from = std::max<int64_t>(0, call.integer(2, 0));
  if (call.failed() || !walk(machine, text)) return {};
  size_t begin = utf8::offset_of(text, static_cast<size_t>(from));
  return position(text, find_part(machine, text, part, begin));
}

Datum string_last_index_of(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  std::string_view part = call.text(1);
  if (call.failed() || !walk(machine, text)) return {};
  return position(text, find_last_part(machine, text, part));
}

Datum string_slice(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  if (!walk(machine, text)) return {};
  size_t length = utf8_length(text);
  size_t begin = relative_index(call.integer(1, 0), length);
  size_t end = relative_index(call.integer(2, static_cast<int64_t>(length)), length);
  return call.failed() ? Datum() : between(machine, text, begin, end);
}

Datum string_substring(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  if (!walk(machine, text)) return {};
  auto length = static_cast<int64_t>(utf8_length(text));
  int64_t begin = std::clamp<int64_t>(call.integer(1), 0, length);
  int64_t end = std::clamp<int64_t>(call.integer(2, length), 0, length);
  if (call.failed()) return {};
  // JavaScript swaps them, so scripts may rely on it.
  if (begin > end) std::swap(begin, end);
  return between(machine, text, static_cast<size_t>(begin), static_cast<size_t>(end));
}

Datum string_split(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  if (!call.has(1)) return machine.heap().array({arguments[0]});
  std::string_view separator = call.text(1);
  auto most = static_cast<size_t>(std::max<int64_t>(0, call.integer(2, INT32_MAX)));
  if (call.failed() || !walk(machine, text)) return {};
  std::vector<Datum> out;
  size_t at = 0;
  while (out.size() < most) {
    if (separator.empty() && at >= text.size()) break;
    size_t next =
        separator.empty() ? at + utf8::width(text[at]) : find_part(machine, text, separator, at);
    if (!machine.charge(1) || !machine.memory_fits(sizeof(TextObject))) return {};
    bool last = next == std::string_view::npos;
    out.push_back(machine.heap().text(text.substr(at, last ? next : next - at)));
    if (last) break;
    at = next + separator.size();
  }
  return machine.heap().array(std::move(out));
}

Datum string_trim(Machine& machine, Arguments arguments) {
  std::string_view text = text_of(arguments[0]);
  if (!walk(machine, text)) return {};
  text.remove_prefix(utf8::space_prefix(text));
  text.remove_suffix(utf8::space_suffix(text));
  return machine.text(text);
}

Datum string_trim_start(Machine& machine, Arguments arguments) {
  std::string_view text = text_of(arguments[0]);
  if (!walk(machine, text)) return {};
  return machine.text(text.substr(utf8::space_prefix(text)));
}

Datum string_trim_end(Machine& machine, Arguments arguments) {
  std::string_view text = text_of(arguments[0]);
  if (!walk(machine, text)) return {};
  return machine.text(text.substr(0, text.size() - utf8::space_suffix(text)));
}

Datum string_to_upper(Machine& machine, Arguments arguments) {
  return machine.text(utf8::to_upper(text_of(arguments[0])));
}

Datum string_to_lower(Machine& machine, Arguments arguments) {
  return machine.text(utf8::to_lower(text_of(arguments[0])));
}

Datum string_pad_start(Machine& machine, Arguments arguments) {
  return pad(machine, arguments, true);
}

Datum string_pad_end(Machine& machine, Arguments arguments) {
  return pad(machine, arguments, false);
}

Datum string_repeat(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  int64_t count = call.integer(1);
  if (call.failed()) return {};
  if (count < 0) return machine.throw_argument("repeat takes a count of 0 or more");
  if (text.empty()) return arguments[0];
  size_t size = static_cast<uint64_t>(count) > SIZE_MAX / 2 / text.size()
                    ? SIZE_MAX
                    : static_cast<size_t>(count) * text.size();
  if (!machine.text_fits(size)) return {};
  std::string out;
  out.reserve(size);
  for (int64_t i = 0; i < count; ++i) out += text;
  return machine.text(std::move(out));
}

Datum string_replace(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  std::string_view part = call.text(1);
  std::string_view by = call.text(2);
  if (call.failed() || !machine.text_fits(text.size() + by.size())) return {};
  size_t at = find_part(machine, text, part, 0);
  if (at == std::string_view::npos) return arguments[0];
  std::string out(text.substr(0, at));
  out += by;
  out += text.substr(at + part.size());
  return machine.text(std::move(out));
}

Datum string_replace_all(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  std::string_view part = call.text(1);
  std::string_view by = call.text(2);
  if (call.failed() || !walk(machine, text)) return {};
  if (part.empty()) return put_between(machine, text, by);
  std::string out;
  size_t at = 0;
  while (true) {
    size_t next = find_part(machine, text, part, at);
    if (machine.stopped()) return {};
    bool last = next == std::string_view::npos;
    out += text.substr(at, last ? next : next - at);
    if (last) break;
    out += by;
    at = next + part.size();
    if (!machine.charge_bytes(by.size()) || !machine.text_fits(out.size())) return {};
  }
  return machine.text(std::move(out));
}

Datum string_concat(Machine& machine, Arguments arguments) {
  std::string out;
  for (const Datum& part : arguments) {
    out += machine.to_text(part);
    if (machine.stopped() || !machine.text_fits(out.size())) return {};
  }
  return machine.text(std::move(out));
}

}  // namespace fermata::flow::natives
