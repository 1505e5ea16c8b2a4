#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace fermata::scan {

/// One decoded key, string or number of a document, or all of what is no JSON.
struct Piece {
  enum class Kind : uint8_t { bytes, string, key, number };
  Kind kind = Kind::bytes;
  std::string pointer{};  ///< of the value, or of the member whose key it is
  size_t begin = 0;       ///< in the text that is searched
  size_t length = 0;
  bool secret_by_name = false;  ///< the value of a member that is named like a secret
};

/// The pieces of a document as one text, so that it is searched at one go. A NUL byte stands
/// between two of them.
class Texts {
 public:
  static Texts of_json(const Value& value);
  static Texts of_bytes(std::string bytes);

  const std::string& text() const { return text_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::string_view view(const Piece& piece) const {
    return std::string_view(text_).substr(piece.begin, piece.length);
  }
  /// The piece that a place lies in.
  size_t piece_at(size_t offset) const;

 private:
  void add(Piece::Kind kind, const std::string& pointer, std::string_view text, bool named);
  void walk(const Value& value, const std::string& pointer, bool named);

  std::string text_;
  std::vector<Piece> pieces_;
};

/// A stretch of the text that is to be made unreadable.
struct Cut {
  size_t begin = 0;
  size_t length = 0;
};
constexpr std::string_view redacted_mark = "[REDACTED]";

/// The document without what lies in the cuts: inside its string, a number as the mark, a key
/// renamed. `texts` must be of this value.
Value redacted_json(const Value& value, const Texts& texts, const std::vector<Cut>& cuts);
std::string redacted_bytes(const Texts& texts, const std::vector<Cut>& cuts);

}  // namespace fermata::scan
