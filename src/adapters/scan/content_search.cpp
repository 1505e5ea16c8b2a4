#include "adapters/scan/content_search.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>

#include "adapters/scan/builtin.h"
#include "base/check.h"

namespace fermata::scan {
namespace {

using policy::Scanner;

constexpr int64_t program_bytes_max = 8 << 20;

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(program_bytes_max);
  return options;
}

re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

/// Calls `take(begin, length)` for every match that is not empty, in order, until it says no.
template <class Take>
void each_match(const RE2& expression, std::string_view text, Take take) {
  size_t at = 0;
  re2::StringPiece match;
  while (at <= text.size() &&
         expression.Match(piece_of(text), at, text.size(), RE2::UNANCHORED, &match, 1)) {
    auto begin = static_cast<size_t>(match.data() - text.data());
    if (!match.empty() && !take(begin, match.size())) return;
    at = begin + std::max<size_t>(match.size(), 1);
  }
}

std::string any_of(const std::vector<std::string>& keywords) {
  std::string expression = "(?i)(?:";
  for (const std::string& keyword : keywords) {
    if (expression.back() != ':') expression += '|';
    expression += RE2::QuoteMeta(keyword);
  }
  return expression + ")";
}

}  // namespace

std::string complaint_about_pattern(std::string_view pattern) {
  RE2 expression(piece_of(pattern), options());
  if (!expression.ok()) return "The expression cannot be used: " + expression.error() + ".";
  if (expression.ProgramSize() * 16 > program_bytes_max)
    return "The expression is too large when it is compiled.";
  return {};
}

struct ContentSearch::Parts {
  policy::Content content;
  std::vector<const Builtin*> builtins{};
  std::vector<std::unique_ptr<RE2>> expressions{};  ///< of the built-in ones, in their order
  std::unique_ptr<RE2::Set> together{};  ///< says at one go which of them are worth looking for
  std::unique_ptr<RE2> keywords{};
  std::vector<std::unique_ptr<RE2>> patterns{};
  bool by_size = false;
  bool by_secret = false;
};

ContentSearch::ContentSearch(const policy::Content& content,
                             const std::vector<std::string>& national_ids)
    : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.content = content;
  auto wanted = [&](Scanner scanner) {
    return std::find(content.scanners.begin(), content.scanners.end(), scanner) !=
           content.scanners.end();
  };
  parts.by_size = wanted(Scanner::size);
  parts.by_secret = wanted(Scanner::secret);
  for (const Builtin& one : builtins()) {
    bool named = one.national_id.empty() || std::find(national_ids.begin(), national_ids.end(),
                                                      one.national_id) != national_ids.end();
    if (wanted(one.scanner) && named) parts.builtins.push_back(&one);
  }
  RE2::Options set_options = options();
  set_options.set_max_mem(8 * program_bytes_max);
  if (!parts.builtins.empty())
    parts.together = std::make_unique<RE2::Set>(set_options, RE2::UNANCHORED);
  for (const Builtin* one : parts.builtins) {
    parts.expressions.push_back(std::make_unique<RE2>(piece_of(one->pattern), options()));
    check(parts.expressions.back()->ok());
    check(parts.together->Add(piece_of(one->pattern), nullptr) >= 0);
  }
  if (parts.together) check(parts.together->Compile());
  if (!content.keywords.empty())
    parts.keywords = std::make_unique<RE2>(any_of(content.keywords), set_options);
  for (const std::string& pattern : content.patterns)
    parts.patterns.push_back(std::make_unique<RE2>(pattern, options()));
}

ContentSearch::~ContentSearch() = default;

void ContentSearch::Found::add(Found other) {
  total += other.total;
  scanners = scanners || other.scanners;
  keywords = keywords || other.keywords;
  patterns = patterns || other.patterns;
  hits.insert(hits.end(), std::make_move_iterator(other.hits.begin()),
              std::make_move_iterator(other.hits.end()));
}

namespace {

void note(ContentSearch::Found& found, bool all, Hit hit) {
  ++found.total;
  if (all || found.hits.size() < job::findings_kept_max) found.hits.push_back(std::move(hit));
}

}  // namespace

void ContentSearch::search_builtins(const Texts& texts, bool all, Found& found) const {
  const Parts& parts = *parts_;
  if (!parts.together) return;
  std::vector<int> likely;
  RE2::Set::ErrorInfo trouble{};
  bool any = parts.together->Match(piece_of(texts.text()), &likely, &trouble);
  if (!any && trouble.kind == RE2::Set::kNoError) return;
  // Too much for one automaton: each is looked for alone.
  if (trouble.kind != RE2::Set::kNoError) {
    likely.clear();
    for (size_t i = 0; i < parts.builtins.size(); ++i) likely.push_back(static_cast<int>(i));
  }
  std::sort(likely.begin(), likely.end());
  for (int index : likely) {
    const Builtin& one = *parts.builtins[static_cast<size_t>(index)];
    each_match(*parts.expressions[static_cast<size_t>(index)], texts.text(),
               [&](size_t begin, size_t length) {
                 std::string_view text = std::string_view(texts.text()).substr(begin, length);
                 if (one.closer && !one.closer(text)) return true;
                 found.scanners = true;
                 note(found, all,
                      {std::string(name_of(one.scanner)), std::string(one.type), one.confidence,
                       begin, length});
                 return true;
               });
  }
}

/// Values of members that are called like a secret and look like one.
void ContentSearch::search_names(const Texts& texts, bool all, Found& found) const {
  if (!parts_->by_secret) return;
  for (const Piece& piece : texts.pieces()) {
    if (!piece.secret_by_name || !is_random(texts.view(piece))) continue;
    found.scanners = true;
    note(found, all, {"secret", "labelled_secret", 80, piece.begin, piece.length});
  }
}

/// Keywords, and the rule's own expressions. Those may have anchors: they see one piece at a time.
void ContentSearch::search_own(const Texts& texts, bool all, Found& found) const {
  const Parts& parts = *parts_;
  bool keyword_scanner = std::find(parts.content.scanners.begin(), parts.content.scanners.end(),
                                   Scanner::keyword) != parts.content.scanners.end();
  if (parts.keywords)
    each_match(*parts.keywords, texts.text(), [&](size_t begin, size_t length) {
      found.keywords = true;
      found.scanners = found.scanners || keyword_scanner;
      note(found, all, {"keyword", "keyword", 100, begin, length});
      return true;
    });
  for (const auto& pattern : parts.patterns)
    for (const Piece& piece : texts.pieces())
      each_match(*pattern, texts.view(piece), [&](size_t begin, size_t length) {
        found.patterns = true;
        note(found, all, {"pattern", "pattern", 100, piece.begin + begin, length});
        return true;
      });
}

ContentSearch::Found ContentSearch::in(const Texts& texts, uint64_t bytes_whole, bool all) const {
  Found found;
  if (parts_->by_size && bytes_whole > parts_->content.size_over) {
    found.scanners = true;
    note(found, all, {"size", "size", 100, 0, 0});
  }
  search_builtins(texts, all, found);
  search_names(texts, all, found);
  search_own(texts, all, found);
  return found;
}

bool ContentSearch::holds(const Found& found) const {
  const policy::Content& content = parts_->content;
  return (content.scanners.empty() || found.scanners) &&
         (content.keywords.empty() || found.keywords) &&
         (content.patterns.empty() || found.patterns);
}

}  // namespace fermata::scan
