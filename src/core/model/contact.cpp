#include "core/model/contact.h"

#include <algorithm>

namespace fermata {

bool Contact::is_out_of(const WorkflowId& workflow) const {
  if (opted_out_at) return true;
  return std::find(opted_out_of.begin(), opted_out_of.end(), workflow.text()) != opted_out_of.end();
}

std::string phone_key(std::string_view phone) {
  std::string digits;
  bool leading_plus = false;
  for (char c : phone) {
    if (c == '+' && digits.empty()) leading_plus = true;
    if (c >= '0' && c <= '9') digits.push_back(c);
  }
  if (!leading_plus && digits.starts_with("00")) {
    leading_plus = true;
    digits.erase(0, 2);
  }
  if (digits.empty()) return {};
  return leading_plus ? "+" + digits : digits;
}

std::string email_key(std::string_view email) {
  size_t first = email.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  email = email.substr(first, email.find_last_not_of(" \t\r\n") - first + 1);
  std::string key(email);
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return key;
}

}  // namespace fermata
