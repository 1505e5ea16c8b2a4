#include "cli/arguments.h"

#include <algorithm>
#include <charconv>

namespace fermata::cli {
namespace {

std::string normal_name(std::string_view written) {
  std::string name(written);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

Failure<Error> unknown_option(const std::string& name, std::span<const Option> options) {
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  return fail(ErrorCode::usage,
              "There is no option --" + name + "." + did_you_mean(name, names, "--"));
}

size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

Outcome<Arguments> Arguments::parse(std::span<const std::string> words,
                                    std::span<const Option> options) {
  Arguments arguments;
  bool ended = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (ended || word.size() < 2 || word[0] != '-') {
      arguments.positional_.push_back(word);
      continue;
    }
    if (word == "--") {
      ended = true;
      continue;
    }
    size_t equals = word.find('=');
    std::string name = word == "-h" ? "help" : normal_name(word.substr(2, equals - 2));
    if (word[1] != '-' && word != "-h") name = word.substr(1);
    auto option = std::find_if(options.begin(), options.end(),
                               [&](const Option& each) { return each.name == name; });
    if (option == options.end()) return unknown_option(name, options);
    std::string value = "true";
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (!option->value.empty()) {
      if (++i == words.size())
        return fail(ErrorCode::usage, "--" + name + " needs a value: --" + name + " " +
                                          std::string(option->value) + ".");
      value = words[i];
    }
    if (arguments.has(name) && !option->repeats)
      return fail(ErrorCode::usage, "--" + name + " is given twice.");
    arguments.given_.emplace_back(std::move(name), std::move(value));
  }
  return arguments;
}

bool Arguments::has(std::string_view name) const { return get(name).has_value(); }

bool Arguments::is_set(std::string_view name) const {
  std::optional<std::string> value = get(name);
  return value && *value != "false";
}

std::optional<std::string> Arguments::get(std::string_view name) const {
  for (auto each = given_.rbegin(); each != given_.rend(); ++each)
    if (each->first == name) return each->second;
  return std::nullopt;
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [given, value] : given_)
    if (given == name) values.push_back(value);
  return values;
}

Outcome<void> Arguments::expect(size_t least, size_t most, std::string_view what) const {
  // A variable of the shell that is not set is an empty word, or none.
  bool empty = std::find(positional_.begin(), positional_.end(), "") != positional_.end();
  if (positional_.size() < least || empty)
    return fail(ErrorCode::usage, "Missing: " + std::string(what) + ".");
  if (positional_.size() > most)
    return fail(ErrorCode::usage, "'" + positional_[most] + "' is one word too many.");
  return {};
}

Outcome<std::optional<uint64_t>> Arguments::number(std::string_view name, uint64_t least) const {
  std::optional<std::string> text = get(name);
  if (!text) return std::optional<uint64_t>();
  uint64_t value = 0;
  const char* end = text->data() + text->size();
  auto [stopped, problem] = std::from_chars(text->data(), end, value);
  if (problem != std::errc() || stopped != end || value < least)
    return fail(ErrorCode::usage, "--" + std::string(name) + " is a whole number of at least " +
                                      std::to_string(least) + ", not '" + *text + "'.");
  return std::optional<uint64_t>(value);
}

std::string nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  // One slip in three letters; what is further away was meant otherwise.
  size_t fewest = (word.size() + 2) / 3 + 1;
  for (std::string_view candidate : candidates) {
    size_t edits = edits_between(word, candidate);
    // The start of a long name is as good as a small slip.
    if (word.size() >= 3 && candidate.starts_with(word)) edits = std::min<size_t>(edits, 1);
    if (edits < fewest) {
      fewest = edits;
      best = candidate;
    }
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         std::string_view prefix) {
  std::string best = nearest(word, candidates);
  if (best.empty()) return "";
  return " Did you mean " + std::string(prefix) + best + "?";
}

}  // namespace fermata::cli
