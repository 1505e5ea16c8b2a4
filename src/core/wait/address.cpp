#include "core/wait/address.h"

namespace fermata::waits {

std::string normal_phone(std::string_view written) {
  std::string out;
  for (char c : written) {
    if (c >= '0' && c <= '9') out += c;
    if (c == '+' && out.empty()) out += c;
  }
  if (out.starts_with("00")) out.replace(0, 2, "+");
  return out == "+" ? std::string() : out;
}

std::string normal_email(std::string_view written) {
  while (!written.empty() && written.front() == ' ') written.remove_prefix(1);
  while (!written.empty() && written.back() == ' ') written.remove_suffix(1);
  std::string out(written);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace fermata::waits
