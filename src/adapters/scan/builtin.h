#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "core/policy/content.h"

/// What the scanners know by themselves (J-49).
namespace fermata::scan {

/// Looks closer at what an expression has found.
using Closer = bool (*)(std::string_view found);

struct Builtin {
  policy::Scanner scanner;
  std::string_view type;
  std::string_view pattern;  ///< matches no NUL byte, which stands between texts
  uint32_t confidence;       ///< in percent
  Closer closer = nullptr;
  std::string_view national_id{};  ///< only where the policy names it
};
std::span<const Builtin> builtins();

// closer.cpp
bool passes_luhn(std::string_view found);
bool passes_iban(std::string_view found);
bool is_phone(std::string_view found);
bool is_ssn(std::string_view found);
bool is_dni(std::string_view found);
/// A label and what looks like a key behind it.
bool is_labelled_secret(std::string_view found);
/// True for a text that nobody would write by hand.
bool is_random(std::string_view text);
/// True for the name of a member that holds a secret.
bool names_secret(std::string_view key);

}  // namespace fermata::scan
