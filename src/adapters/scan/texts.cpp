#include "adapters/scan/texts.h"

#include <algorithm>

#include "adapters/scan/builtin.h"
#include "base/json.h"

namespace fermata::scan {
namespace {

/// Overlapping cuts as one, in order.
std::vector<Cut> merged(std::vector<Cut> cuts) {
  std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.begin < b.begin; });
  std::vector<Cut> out;
  for (const Cut& cut : cuts) {
    if (cut.length == 0) continue;
    if (!out.empty() && cut.begin <= out.back().begin + out.back().length) {
      size_t end = std::max(out.back().begin + out.back().length, cut.begin + cut.length);
      out.back().length = end - out.back().begin;
    } else {
      out.push_back(cut);
    }
  }
  return out;
}

/// Goes through the pieces in the order that `Texts` found them.
class Redaction {
 public:
  Redaction(const Texts& texts, const std::vector<Cut>& cuts)
      : texts_(texts), cuts_(merged(cuts)) {}

  Value of(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::string: return Value(next());
      case Value::Kind::integer:
      case Value::Kind::number: return touched() ? (++piece_, Value(redacted_mark)) : skip(value);
      case Value::Kind::array: {
        Value list = Value::array();
        for (const Value& item : value.items()) list.push(of(item));
        return list;
      }
      case Value::Kind::object: return object(value);
      default: return value;
    }
  }

  std::string next() {
    const Piece& piece = texts_.pieces()[piece_++];
    std::string_view text = texts_.view(piece);
    std::string out;
    size_t done = 0;
    for (const Cut& cut : within(piece)) {
      size_t begin = std::max(cut.begin, piece.begin) - piece.begin;
      size_t end = std::min(cut.begin + cut.length, piece.begin + piece.length) - piece.begin;
      out.append(text.substr(done, begin - done)).append(redacted_mark);
      done = end;
    }
    return out.append(text.substr(done));
  }

 private:
  Value object(const Value& value) {
    Value out = Value::object();
    for (const Value::Member& member : value.members()) {
      std::string key = next();
      // Two keys that differ only in what was taken out stay two.
      std::string name = key;
      for (int n = 2; out.find(name); ++n) name = key + "-" + std::to_string(n);
      out.set(name, of(member.value));
    }
    return out;
  }

  Value skip(const Value& value) {
    ++piece_;
    return value;
  }

  bool touched() const { return !within(texts_.pieces()[piece_]).empty(); }

  std::span<const Cut> within(const Piece& piece) const {
    size_t end = piece.begin + piece.length;
    auto first =
        std::lower_bound(cuts_.begin(), cuts_.end(), piece.begin,
                         [](const Cut& cut, size_t at) { return cut.begin + cut.length <= at; });
    auto last = first;
    while (last != cuts_.end() && last->begin < end) ++last;
    return {first, last};
  }

  const Texts& texts_;
  const std::vector<Cut> cuts_;
  size_t piece_ = 0;
};

}  // namespace

void Texts::add(Piece::Kind kind, const std::string& pointer, std::string_view text, bool named) {
  if (!pieces_.empty()) text_.push_back('\0');
  pieces_.push_back({kind, pointer, text_.size(), text.size(), named});
  text_.append(text);
}

void Texts::walk(const Value& value, const std::string& pointer, bool named) {
  switch (value.kind()) {
    case Value::Kind::string: return add(Piece::Kind::string, pointer, value.as_string(), named);
    case Value::Kind::integer:
    case Value::Kind::number: return add(Piece::Kind::number, pointer, to_json(value), named);
    case Value::Kind::array:
      for (size_t i = 0; i < value.size(); ++i)
        walk(value.items()[i], pointer + "/" + std::to_string(i), named);
      return;
    case Value::Kind::object:
      for (const Value::Member& member : value.members()) {
        std::string below = pointer + "/" + escape_pointer(member.key.as_string());
        add(Piece::Kind::key, below, member.key.as_string(), false);
        walk(member.value, below, names_secret(member.key.as_string()));
      }
      return;
    default: return;
  }
}

Texts Texts::of_json(const Value& value) {
  Texts texts;
  texts.walk(value, "", false);
  return texts;
}

Texts Texts::of_bytes(std::string bytes) {
  Texts texts;
  texts.pieces_.push_back({Piece::Kind::bytes, "", 0, bytes.size(), false});
  texts.text_ = std::move(bytes);
  return texts;
}

size_t Texts::piece_at(size_t offset) const {
  auto after = std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                                [](size_t at, const Piece& piece) { return at < piece.begin; });
  return static_cast<size_t>(after - pieces_.begin()) - 1;
}

Value redacted_json(const Value& value, const Texts& texts, const std::vector<Cut>& cuts) {
  return Redaction(texts, cuts).of(value);
}

std::string redacted_bytes(const Texts& texts, const std::vector<Cut>& cuts) {
  return Redaction(texts, cuts).next();
}

}  // namespace fermata::scan
