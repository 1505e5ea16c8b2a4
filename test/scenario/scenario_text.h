#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

/// The text of scenario files: words, JSON and indented blocks (README.md has the whole format).
namespace fermata::scenario {

/// One line with the indented lines below it. JSON that is still open at the end of a line goes on
/// in the next ones, so a line here may have been several in the file.
struct Line {
  int number = 0;  ///< in the file, 1-based
  std::string text;
  std::vector<Line> block;
};

/// One scenario: everything from its `scenario` line to the next one.
struct Section {
  std::string title;
  int number = 0;
  std::vector<Line> lines;
};

/// A mistake in a scenario file itself, or an expectation that does not hold.
struct Mistake {
  int line = 0;
  std::string message;
};

/// Reads a file's text. Throws Mistake.
std::vector<Section> read_sections(std::string_view text);

/// Takes a line apart from left to right. Every `take` throws Mistake when the line says otherwise.
class Words {
 public:
  explicit Words(const Line& line) : line_(line), rest_(line.text) { skip(); }

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  std::string_view peek() const;
  std::string word(const char* what);
  bool accept(std::string_view word);
  /// True when the next thing is JSON: a brace, bracket, quote, number or literal.
  bool at_json() const;
  Value json(const char* what);
  int64_t number(const char* what);
  int64_t milliseconds();
  void end() const;
  [[noreturn]] void fail(const std::string& message) const;
  int line() const { return line_.number; }

 private:
  void skip();
  const Line& line_;
  std::string_view rest_;
};

/// Length of the JSON value that `text` begins with; 0 when it begins with none.
size_t json_length(std::string_view text);
/// The value an RFC 6901 pointer names, or nullptr.
const Value* at_pointer(const Value& value, std::string_view pointer);

}  // namespace fermata::scenario
