#include "server/console/folder.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "server/console/answer.h"

namespace fermata::server {
namespace {

constexpr uint64_t file_bytes_max = 32 << 20;

std::string_view media_type_of(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> types[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".json", "application/json"}};
  for (const auto& [ending, type] : types)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

/// A file of the folder itself: nothing above it, whatever the path says.
std::optional<std::string> read_file(const std::string& folder, std::string_view path) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::path root = fs::weakly_canonical(folder, problem);
  fs::path file = fs::weakly_canonical(root / path.substr(1), problem);
  std::string inside = root.string() + "/";
  if (problem || !file.string().starts_with(inside)) return std::nullopt;
  if (!fs::is_regular_file(file, problem) || fs::file_size(file, problem) > file_bytes_max)
    return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return std::nullopt;
  return std::move(text).str();
}

std::string tag_of(std::string_view text) { return "\"" + sha256_hex(text).substr(0, 24) + "\""; }

}  // namespace

std::string folder_tag(const std::string& folder) {
  auto page = read_file(folder, "/index.html");
  return page ? tag_of(*page) : std::string();
}

std::optional<http::Response> folder_answer(const http::Request& request,
                                            const std::string& folder) {
  if (request.method != http::Method::get && request.method != http::Method::head)
    return std::nullopt;
  std::string path(request.path);
  if (!path.starts_with('/')) return std::nullopt;
  auto text = path == "/" ? std::nullopt : read_file(folder, path);
  if (!text && console_page(path)) {
    path = "/index.html";
    text = read_file(folder, path);
  }
  if (!text) return std::nullopt;
  std::string etag = tag_of(*text);
  ConsoleFile file;
  file.path = path;
  file.media_type = media_type_of(path);
  file.etag = etag;
  file.plain = *text;
  return file_response(request, file);
}

}  // namespace fermata::server
