#include "adapters/http/secret_query.h"

#include <algorithm>

#include "base/hash.h"

namespace fermata::http {
namespace {

/// An address cut at its query: `lead?query#rest`.
struct Parts {
  std::string_view lead;
  std::string_view query;
  std::string_view rest;  ///< with its `#`
};

Parts parts_of(std::string_view url) {
  Parts parts;
  size_t hash = std::min(url.find('#'), url.size());
  parts.rest = url.substr(hash);
  url = url.substr(0, hash);
  size_t mark = url.find('?');
  parts.lead = url.substr(0, mark);
  if (mark != std::string_view::npos) parts.query = url.substr(mark + 1);
  return parts;
}

std::string joined(const Parts& parts, const std::string& query) {
  std::string out(parts.lead);
  if (!query.empty()) out += "?" + query;
  return out.append(parts.rest);
}

std::string encoded(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : "%" + hex({&c, 1});
  }
  return out;
}

/// What an escape that is none stands for is itself.
std::string decoded(std::string_view text) {
  std::string out;
  std::string byte;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && unhex(text.substr(i + 1, 2), byte) && byte.size() == 1) {
      out += byte;
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::string_view> parameters_of(std::string_view query) {
  std::vector<std::string_view> out;
  while (!query.empty()) {
    size_t end = std::min(query.find('&'), query.size());
    out.push_back(query.substr(0, end));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return out;
}

std::pair<std::string, std::string> pair_of(std::string_view parameter) {
  size_t equals = std::min(parameter.find('='), parameter.size());
  std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
  return {decoded(parameter.substr(0, equals)), decoded(value)};
}

}  // namespace

std::string with_query(std::string_view url, const QueryPairs& pairs) {
  if (pairs.empty()) return std::string(url);
  Parts parts = parts_of(url);
  std::string query(parts.query);
  std::vector<std::string_view> written = parameters_of(parts.query);
  for (const auto& [name, value] : pairs) {
    bool is_written = std::any_of(written.begin(), written.end(), [&](std::string_view parameter) {
      return pair_of(parameter).first == name;
    });
    if (is_written) continue;
    query += (query.empty() ? "" : "&") + encoded(name) + "=" + encoded(value);
  }
  return joined(parts, query);
}

std::string without_query(std::string_view url, const QueryPairs& pairs) {
  if (pairs.empty()) return std::string(url);
  Parts parts = parts_of(url);
  std::string query;
  for (std::string_view parameter : parameters_of(parts.query)) {
    if (std::find(pairs.begin(), pairs.end(), pair_of(parameter)) != pairs.end()) continue;
    query.append(query.empty() ? "" : "&").append(parameter);
  }
  return joined(parts, query);
}

void redact(std::string& text, const std::vector<std::string>& hidden) {
  for (const std::string& secret : hidden) {
    if (secret.empty() || text.find(secret) == std::string::npos) continue;
    std::string out;
    size_t from = 0;
    for (size_t at; (at = text.find(secret, from)) != std::string::npos;) {
      out.append(text, from, at - from).append("***");
      from = at + secret.size();
    }
    text = out.append(text, from);
  }
}

}  // namespace fermata::http
