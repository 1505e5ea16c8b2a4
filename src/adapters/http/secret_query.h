#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fermata::http {

using QueryPairs = std::vector<std::pair<std::string, std::string>>;

/// The address with these parameters behind its own. One whose name is there already stays as it is
/// written.
std::string with_query(std::string_view url, const QueryPairs& pairs);

/// The address without the parameters that are exactly these, however they are encoded.
std::string without_query(std::string_view url, const QueryPairs& pairs);

/// Puts `***` in place of each of these texts.
void redact(std::string& text, const std::vector<std::string>& hidden);

}  // namespace fermata::http
