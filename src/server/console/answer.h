#pragma once
#include <optional>

#include "server/console/files.h"
#include "server/http/message.h"

namespace fermata::server {

/// The console's answer to a request that no route takes: one of its files, or its page for every
/// address that could be one of its pages, so that links into it work (U-2). Nothing when the
/// request is none of the console's business or there are no files.
std::optional<http::Response> console_answer(const http::Request& request,
                                             const ConsoleFiles& files);

/// True for an address that could be one of the console's pages.
bool console_page(std::string_view path);
/// One file as browsers get it, with what its pages may do.
http::Response file_response(const http::Request& request, const ConsoleFile& file);

}  // namespace fermata::server
