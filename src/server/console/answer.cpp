#include "server/console/answer.h"

#include "server/routes/common.h"

namespace fermata::server {
namespace {

/// Nothing from elsewhere, no inline script or style, no text turned into markup (U-74).
constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types svelte-trusted-html fermata-worker";

/// Where programs look for answers: a page there would be taken for one.
constexpr std::string_view not_pages[] = {"/api", "/webhook", "/demo/echo", "/assets"};

bool is_under(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool may_be_page(std::string_view path) {
  for (std::string_view folder : not_pages)
    if (is_under(path, folder)) return false;
  // `/runs/x` is a page; `/robots.txt` and other files that are not there are not. Ids of things
  // may have a dot: `/jobs/x.3`, `/contacts/ada@example.org`.
  std::string_view first = path.substr(0, path.find('/', 1));
  return first.find('.') == std::string_view::npos;
}

const ConsoleFile* choose(std::string_view path, const ConsoleFiles& files) {
  if (const ConsoleFile* file = files.find(path)) return file;
  return may_be_page(path) ? files.find("/index.html") : nullptr;
}

/// True when the client says that it reads `coding`; `q=0` says that it does not.
bool accepts(std::string_view header, std::string_view coding) {
  while (!header.empty()) {
    size_t end = std::min(header.find(','), header.size());
    std::string_view one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    size_t name_end = std::min(one.find_first_of("; "), one.size());
    if (!http::equal_ignoring_case(one.substr(0, name_end), coding)) continue;
    std::string_view weight = one.substr(name_end);
    size_t q = weight.find("q=");
    return q == weight.npos || weight.find_first_of("123456789", q) != weight.npos;
  }
  return false;
}

void add_body(http::Response& response, const ConsoleFile& file, std::string_view accepted) {
  if (!file.brotli.empty() && accepts(accepted, "br")) {
    response.headers.emplace_back("Content-Encoding", "br");
    response.body = file.brotli;
  } else if (!file.gzip.empty() && accepts(accepted, "gzip")) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = file.gzip;
  } else {
    response.body = file.plain;
  }
}

}  // namespace

std::optional<http::Response> console_answer(const http::Request& request,
                                             const ConsoleFiles& files) {
  if (request.method != http::Method::get && request.method != http::Method::head)
    return std::nullopt;
  const ConsoleFile* file = choose(request.path, files);
  if (!file) return std::nullopt;
  return file_response(request, *file);
}

bool console_page(std::string_view path) { return may_be_page(path); }

http::Response file_response(const http::Request& request, const ConsoleFile& file) {
  http::Response response;
  response.content_type = file.media_type;
  // The names under assets change with what they hold.
  bool hashed = is_under(file.path, "/assets");
  response.headers.emplace_back("Cache-Control",
                                hashed ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.emplace_back("ETag", std::string(file.etag));
  response.headers.emplace_back("Vary", "Accept-Encoding");
  response.headers.emplace_back("Content-Security-Policy", std::string(policy));
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  if (routes::names_tag(request.header("if-none-match"), file.etag)) {
    response.status = 304;
    return response;
  }
  add_body(response, file, request.header("accept-encoding"));
  return response;
}

}  // namespace fermata::server
