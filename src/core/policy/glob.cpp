#include "core/policy/glob.h"

namespace fermata::policy {

namespace {

/// Bytes of the character at `at`: `?` stands for a character, not for a byte of it.
size_t character_bytes(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) ++end;
  return end - at;
}

}  // namespace

Glob::Glob(std::string pattern) : pattern_(std::move(pattern)) {
  size_t wild = pattern_.find_first_of("*?");
  exact_ = wild == std::string::npos;
  prefix_ = exact_ ? pattern_.size() : wild;
}

bool Glob::matches(std::string_view text) const {
  if (exact_) return text == pattern_;
  if (!text.starts_with(prefix())) return false;
  std::string_view pattern = pattern_;
  size_t p = prefix_;
  size_t t = prefix_;
  // Where to go on when what follows the last star does not fit: one character further.
  size_t star = std::string_view::npos;
  size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t += character_bytes(text, t);
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool Glob::covers(const Glob& other) const {
  if (pattern_ == other.pattern_) return true;
  if (other.exact()) return matches(other.text());
  bool ends_open = prefix_ + 1 == pattern_.size() && pattern_.back() == '*';
  return ends_open && other.prefix().starts_with(prefix());
}

}  // namespace fermata::policy
