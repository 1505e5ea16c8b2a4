#include "core/wait/event_types.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/words.h"

namespace fermata::waits {
namespace {

constexpr std::string_view built_in[] = {
#define FERMATA_EVENT_TYPE(name) name,
#define FERMATA_EVENT_ALIAS(spelling, name)
#include "core/wait/event_types.def"
#undef FERMATA_EVENT_TYPE
#undef FERMATA_EVENT_ALIAS
};

constexpr std::pair<std::string_view, std::string_view> spellings[] = {
#define FERMATA_EVENT_TYPE(name)
#define FERMATA_EVENT_ALIAS(spelling, name) {spelling, name},
#include "core/wait/event_types.def"
#undef FERMATA_EVENT_TYPE
#undef FERMATA_EVENT_ALIAS
};

constexpr std::string_view custom_prefix = "custom.";

bool is_plain(std::string_view name) {
  if (name.empty() || name.size() > event_type_bytes_max) return false;
  return std::ranges::none_of(name, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::string_view spelled(std::string_view name) {
  for (const auto& [spelling, meant] : spellings)
    if (spelling == name) return meant;
  return name;
}

}  // namespace

bool is_built_in_event_type(std::string_view name) {
  return std::ranges::find(built_in, name) != std::end(built_in);
}

std::optional<std::string> event_type_named(std::string_view name,
                                            std::span<const std::string> registered) {
  if (!is_plain(name)) return std::nullopt;
  // What an account has registered is its own, even if it is spelt like an alias.
  if (std::ranges::find(registered, name) != registered.end()) return std::string(name);
  std::string_view meant = spelled(name);
  if (is_built_in_event_type(meant)) return std::string(meant);
  bool custom = name.starts_with(custom_prefix) && name.size() > custom_prefix.size();
  return custom ? std::optional(std::string(name)) : std::nullopt;
}

std::optional<std::string> run_signal_named(std::string_view name) {
  if (!is_plain(name)) return std::nullopt;
  return std::string(spelled(name));
}

std::string_view nearest_event_type(std::string_view name) {
  std::vector<std::string_view> known(std::begin(built_in), std::end(built_in));
  return nearest_word(name, known);
}

}  // namespace fermata::waits
