#include "ports/contacts.h"

#include <algorithm>

namespace fermata {
namespace {

char in_lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_within(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) { return in_lower_case(a) == in_lower_case(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

bool matches(const ContactFilter& filter, const Contact& contact) {
  if (!contact.exists() || contact.account != filter.account) return false;
  if (!filter.phone.empty() && phone_key(filter.phone) != phone_key(contact.phone)) return false;
  if (!filter.email.empty() && email_key(filter.email) != email_key(contact.email)) return false;
  if (filter.opted_out && *filter.opted_out != contact.opted_out_at.has_value()) return false;
  return filter.q.empty() || is_within(contact.id, filter.q) ||
         is_within(contact.phone, filter.q) || is_within(contact.email, filter.q);
}

}  // namespace fermata
