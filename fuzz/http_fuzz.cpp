#include <cstdint>
#include <optional>

#include "base/check.h"
#include "server/http/parser.h"

/// Any bytes in pieces of any size: requests or one refusal; the same whatever the pieces.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata::http;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  ParserLimits limits{4096, 32, 1 << 16};
  auto parse = [&](size_t piece) {
    std::string seen;
    RequestParser parser(limits);
    std::optional<Request> request(std::in_place);
    std::string_view rest = input;
    while (!rest.empty() && parser.state() != RequestParser::State::failed) {
      std::string_view part = rest.substr(0, piece);
      size_t taken = parser.feed(part, *request);
      fermata::check(taken <= part.size());
      rest.remove_prefix(taken);
      if (parser.state() == RequestParser::State::done) {
        seen += request->body + "\n";
        parser.reset();
        request.emplace();
      } else if (taken == 0) {
        break;
      }
    }
    return seen;
  };
  std::string whole = parse(input.size() + 1);
  fermata::check(parse(1) == whole);
  return 0;
}
