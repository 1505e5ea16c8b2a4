#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The names of signals (W-51).
namespace fermata::waits {

constexpr size_t event_type_bytes_max = 100;

/// The one spelling of a type: built in, registered by the account, or under `custom.`; nothing
/// for what is none of these.
std::optional<std::string> event_type_named(std::string_view name,
                                            std::span<const std::string> registered = {});
/// What may be the name of a signal that is sent to one run: 1 to 100 bytes of plain text. Other
/// spellings of built-in types mean these here too.
std::optional<std::string> run_signal_named(std::string_view name);
/// True for those that every account knows.
bool is_built_in_event_type(std::string_view name);
/// The built-in type whose name is nearest, or empty.
std::string_view nearest_event_type(std::string_view name);

}  // namespace fermata::waits
