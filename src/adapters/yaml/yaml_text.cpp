#include "adapters/yaml/yaml_text.h"

#include <yaml.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "adapters/yaml/scalar.h"
#include "base/utf8.h"

namespace fermata {

namespace {

struct EndParser {
  void operator()(yaml_parser_t* parser) const {
    yaml_parser_delete(parser);
    delete parser;
  }
};

/// One event of the parser, given back at the end.
class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  yaml_event_t* get() { return &event_; }
  yaml_event_type_t type() const { return event_.type; }
  const yaml_event_t& operator*() const { return event_; }
  TextPosition begin() const {
    return {static_cast<int>(event_.start_mark.line) + 1,
            static_cast<int>(event_.start_mark.column) + 1, event_.start_mark.index};
  }

 private:
  yaml_event_t event_{};
};

Failure<Error> wrong(TextPosition at, const std::string& pointer, std::string message) {
  Finding finding{"bad_yaml", pointer, message, {}, at.line, at.column};
  std::string told = std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + message;
  return fail(ErrorCode::policy_invalid, std::move(told), {std::move(finding)});
}

/// A container that is not complete yet.
struct Open {
  bool mapping = false;
  std::string pointer;
  Value value;
  std::string key;
  bool has_key = false;
};

class Builder {
 public:
  Outcome<policy::ReadText> read(yaml_parser_t* parser, std::string_view text);

 private:
  Outcome<void> take(const Event& event);
  Outcome<void> scalar(const Event& event);
  Outcome<void> open(const Event& event, bool mapping);
  Outcome<void> key(const Event& event, std::string text);
  void close();
  /// Where the value that comes next belongs.
  std::string pointer() const;
  void place(Value value);
  Outcome<void> allowed(const Event& event, const void* anchor, const void* tag);

  std::vector<Open> open_;
  policy::ReadText out_;
  bool done_ = false;
};

std::string Builder::pointer() const {
  if (open_.empty()) return {};
  const Open& top = open_.back();
  return top.pointer + "/" +
         (top.mapping ? escape_pointer(top.key) : std::to_string(top.value.size()));
}

void Builder::place(Value value) {
  if (open_.empty()) {
    out_.value = std::move(value);
    done_ = true;
    return;
  }
  Open& top = open_.back();
  if (!top.mapping) return top.value.push(std::move(value));
  top.value.set(top.key, std::move(value));
  top.has_key = false;
}

Outcome<void> Builder::allowed(const Event& event, const void* anchor, const void* tag) {
  if (anchor) return wrong(event.begin(), pointer(), "Anchors are not allowed.");
  if (tag) return wrong(event.begin(), pointer(), "Tags are not allowed.");
  return {};
}

Outcome<void> Builder::key(const Event& event, std::string text) {
  Open& top = open_.back();
  top.key = std::move(text);
  top.has_key = true;
  if (top.value.find(top.key))
    return wrong(event.begin(), pointer(), "The key `" + top.key + "` stands here twice.");
  out_.places.emplace(pointer(), event.begin());
  return {};
}

Outcome<void> Builder::scalar(const Event& event) {
  const auto& scalar = (*event).data.scalar;
  FERMATA_TRY_VOID(allowed(event, scalar.anchor, scalar.tag));
  std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  if (!is_utf8(text)) return wrong(event.begin(), pointer(), "This text is not UTF-8.");
  if (!open_.empty() && open_.back().mapping && !open_.back().has_key)
    return key(event, std::move(text));
  out_.places.emplace(pointer(), event.begin());
  bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
  place(plain ? plain_scalar(text) : Value(text));
  return {};
}

Outcome<void> Builder::open(const Event& event, bool mapping) {
  const yaml_event_t& raw = *event;
  FERMATA_TRY_VOID(allowed(event,
                           mapping ? raw.data.mapping_start.anchor : raw.data.sequence_start.anchor,
                           mapping ? raw.data.mapping_start.tag : raw.data.sequence_start.tag));
  if (!open_.empty() && open_.back().mapping && !open_.back().has_key)
    return wrong(event.begin(), open_.back().pointer, "A key is a text.");
  if (open_.size() >= static_cast<size_t>(yaml_nesting_max))
    return wrong(event.begin(), pointer(),
                 "At most " + std::to_string(yaml_nesting_max) + " levels are allowed.");
  std::string here = pointer();
  out_.places.emplace(here, event.begin());
  open_.push_back(
      {mapping, std::move(here), mapping ? Value::object() : Value::array(), {}, false});
  return {};
}

void Builder::close() {
  Value value = std::move(open_.back().value);
  open_.pop_back();
  place(std::move(value));
}

Outcome<void> Builder::take(const Event& event) {
  switch (event.type()) {
    case YAML_ALIAS_EVENT: return wrong(event.begin(), pointer(), "Aliases are not allowed.");
    case YAML_SCALAR_EVENT: return scalar(event);
    case YAML_SEQUENCE_START_EVENT: return open(event, false);
    case YAML_MAPPING_START_EVENT: return open(event, true);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: close(); return {};
    case YAML_DOCUMENT_START_EVENT:
      if (done_) return wrong(event.begin(), "", "One document is expected, not several.");
      return {};
    default: return {};
  }
}

/// Where the parser stumbled. Of bytes that are no text it knows the offset alone.
TextPosition place_of_problem(const yaml_parser_t& parser, std::string_view text) {
  if (parser.error != YAML_READER_ERROR)
    return {static_cast<int>(parser.problem_mark.line) + 1,
            static_cast<int>(parser.problem_mark.column) + 1, 0};
  std::string_view before = text.substr(0, parser.problem_offset);
  size_t line_begin = before.rfind('\n') + 1;
  auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  auto columns = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin),
                               before.end(), is_begin);
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(columns) + 1, before.size()};
}

Outcome<policy::ReadText> Builder::read(yaml_parser_t* parser, std::string_view text) {
  for (;;) {
    Event event;
    if (!yaml_parser_parse(parser, event.get())) {
      TextPosition at = place_of_problem(*parser, text);
      std::string why = parser->problem ? parser->problem : "it cannot be read";
      return wrong(at, "", "This is not YAML: " + why + ".");
    }
    if (event.type() == YAML_STREAM_END_EVENT) break;
    FERMATA_TRY_VOID(take(event));
  }
  if (!done_) return wrong({1, 1, 0}, "", "The text is empty.");
  return std::move(out_);
}

}  // namespace

Outcome<policy::ReadText> read_yaml(std::string_view text) {
  if (text.size() > yaml_bytes_max)
    return wrong({1, 1, 0}, "",
                 "The text has more than " + std::to_string(yaml_bytes_max) + " bytes.");
  std::unique_ptr<yaml_parser_t, EndParser> parser(new yaml_parser_t{});
  if (!yaml_parser_initialize(parser.get()))
    return wrong({1, 1, 0}, "", "There is no memory to read it.");
  yaml_parser_set_encoding(parser.get(), YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(parser.get(), reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
  return Builder().read(parser.get(), text);
}

}  // namespace fermata
