#include "cli/secret_input.h"

#include <termios.h>
#include <unistd.h>

#include <cstdio>

#include "base/json.h"
#include "cli/command.h"

namespace fermata::cli {
namespace {

/// Keeps what is typed off the screen.
class WithoutEcho {
 public:
  WithoutEcho() {
    is_set_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (!is_set_) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  ~WithoutEcho() {
    if (is_set_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  WithoutEcho(const WithoutEcho&) = delete;
  WithoutEcho& operator=(const WithoutEcho&) = delete;

 private:
  termios before_{};
  bool is_set_ = false;
};

std::string typed_line(const Terminal& terminal) {
  terminal.err("The secret (it is not shown): ");
  std::string line;
  {
    WithoutEcho quiet;
    for (int c; (c = std::getchar()) != EOF && c != '\n';) line += static_cast<char>(c);
  }
  terminal.err("\n");
  return line;
}

void drop_line_end(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
}

std::string_view lone_secret(const front::CredentialType& type, const Value& given) {
  std::string_view found;
  for (const front::CredentialField& field : type.fields) {
    if (!field.secret || given.find(field.name) != nullptr) continue;
    if (!found.empty()) return {};
    found = field.name;
  }
  return found;
}

Outcome<Value> plain_values(const front::CredentialType& type, const Arguments& arguments) {
  Value values = Value::object();
  for (const std::string& word : arguments.all("set")) {
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    if (equals == std::string::npos || name.empty())
      return fail(ErrorCode::usage, "--set is name=value.");
    for (const front::CredentialField& field : type.fields)
      if (field.name == name && field.secret)
        return fail(ErrorCode::usage, "'" + name +
                                          "' is secret and does not belong on a command line; "
                                          "give it on standard input or by --values @FILE.");
    values.set(name, word.substr(equals + 1));
  }
  return values;
}

}  // namespace

Outcome<std::string> read_secret(const std::string& from, const Terminal& terminal) {
  if (!from.empty() && from != "-" && !from.starts_with('@'))
    return fail(ErrorCode::usage,
                "--values is @FILE, or - for standard input; a secret does not belong on a command "
                "line.");
  bool is_file = from.starts_with('@');
  std::string text;
  if (!is_file && isatty(STDIN_FILENO) == 1) {
    text = typed_line(terminal);
  } else {
    FERMATA_TRY(read, read_file(is_file ? from.substr(1) : "-"));
    text = std::move(read);
  }
  drop_line_end(text);
  if (text.empty()) return fail(ErrorCode::usage, "No secret was given.");
  return text;
}

Outcome<Value> credential_values(const front::CredentialType& type, const Arguments& arguments,
                                 const Terminal& terminal) {
  FERMATA_TRY(values, plain_values(type, arguments));
  FERMATA_TRY(text, read_secret(arguments.get("values").value_or(""), terminal));
  std::string_view lone = lone_secret(type, values);
  if (!text.starts_with('{')) {
    if (lone.empty())
      return fail(ErrorCode::usage, "The values of type '" + std::string(type.name) +
                                        "' are a JSON object with their names.");
    values.set(lone, text);
    return values;
  }
  Outcome<Value> object = parse_json(text);
  if (!object) return fail(ErrorCode::usage, "The values are not a readable JSON object.");
  for (const Value::Member& member : object->members())
    values.set(member.key.as_string(), member.value);
  return values;
}

}  // namespace fermata::cli
