#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value.h"

namespace fermata::cli {

/// What the exit code of every command means.
enum class Exit : int {
  ok = 0,
  failed = 1,
  usage = 2,
  not_found = 3,
  refused = 4,
  unavailable = 5
};
Exit exit_of(const Error& error);

enum class Colour : uint8_t { plain, bold, dim, red, green, yellow, blue };

/// Where a command speaks: results to `out`, errors and remarks to `err`. Tests put strings there.
class Terminal {
 public:
  using Write = std::function<void(std::string_view)>;
  Terminal(Write out, Write err) : out_(std::move(out)), err_(std::move(err)) {}

  bool json = false;        ///< `--json`: results are JSON and nothing else
  bool colour_out = false;  ///< standard output is a terminal and NO_COLOR is not set
  bool colour_err = false;
  bool live = false;  ///< standard error is a terminal: a line may be rewritten

  void out(std::string_view text) const { out_(text); }
  void err(std::string_view text) const { err_(text); }
  void line(std::string_view text) const;
  /// A value as JSON, one line with `--json` and indented for people without.
  void value(const Value& value) const;
  /// Prints an error with its findings and what to do next; answers the exit code for it.
  Exit fail(const Error& error) const;
  std::string paint(Colour colour, std::string_view text) const;
  std::string paint_error(Colour colour, std::string_view text) const;

 private:
  Write out_;
  Write err_;
};

/// The colour in which a status of a run or a node is shown.
Colour colour_of_status(std::string_view status);

/// Rows with aligned columns; the last column is not padded.
class Table {
 public:
  explicit Table(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() == 1; }
  /// Column `status_column`, if there is one, is coloured by its value.
  void print(const Terminal& terminal, int status_column = -1) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "1.2 s", "340 ms", "2 h 5 min".
std::string duration_text(int64_t ms);
/// Columns that a text takes on a terminal: its code points.
size_t width_of(std::string_view text);

}  // namespace fermata::cli
