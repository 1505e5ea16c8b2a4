#include "cli/client_http.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

namespace fermata::cli {
namespace {

constexpr size_t head_bytes_max = 256 << 10;
constexpr size_t body_bytes_max = size_t{1} << 30;

class SocketChannel final : public Channel {
 public:
  explicit SocketChannel(int socket) : socket_(socket) {}
  ~SocketChannel() override { close(socket_); }

  Outcome<size_t> read(char* into, size_t most) override {
    while (true) {
      ssize_t count = recv(socket_, into, most, 0);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK)
        return fail(ErrorCode::io_failed, "The server was silent for too long.");
      return fail(ErrorCode::io_failed, std::string("Reading the answer: ") + strerror(errno));
    }
  }

  Outcome<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0)
        return fail(ErrorCode::io_failed, std::string("Sending the request: ") + strerror(errno));
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return {};
  }

 private:
  const int socket_;
};

Outcome<int> connect_to(const ServerAddress& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int problem = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (problem != 0)
    return fail(ErrorCode::io_failed, address.host + ": " + gai_strerror(problem) + ".");
  int last_errno = ECONNREFUSED;
  int connected = -1;
  for (addrinfo* each = found; each != nullptr && connected < 0; each = each->ai_next) {
    int fd = socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (fd < 0) continue;
    if (connect(fd, each->ai_addr, each->ai_addrlen) == 0) {
      connected = fd;
    } else {
      last_errno = errno;
      close(fd);
    }
  }
  freeaddrinfo(found);
  if (connected >= 0) return connected;
  return fail(ErrorCode::io_failed, "No server answers at " + address.authority() + ": " +
                                        strerror(last_errno) + ". Start one with `fermata serve` " +
                                        "or name another with --server.");
}

/// Reads bytes as lines and counted pieces.
class Reader {
 public:
  explicit Reader(Channel& channel) : channel_(channel) {}

  Outcome<std::string> line() {
    while (true) {
      size_t end = buffer_.find("\r\n", begin_);
      if (end != std::string::npos) {
        std::string text = buffer_.substr(begin_, end - begin_);
        begin_ = end + 2;
        return text;
      }
      if (buffer_.size() - begin_ > head_bytes_max) return garbled();
      FERMATA_TRY(more, fill());
      if (!more) return garbled();
    }
  }

  /// Up to `most` bytes; empty at the end of the stream.
  Outcome<std::string> some(size_t most) {
    if (begin_ == buffer_.size()) {
      FERMATA_TRY(more, fill());
      if (!more) return std::string();
    }
    size_t count = std::min(most, buffer_.size() - begin_);
    std::string piece = buffer_.substr(begin_, count);
    begin_ += count;
    return piece;
  }

  static Failure<Error> garbled() {
    return fail(ErrorCode::io_failed, "The answer ended early or is not HTTP.");
  }

 private:
  Outcome<bool> fill() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    char bytes[16 << 10];
    FERMATA_TRY(count, channel_.read(bytes, sizeof bytes));
    buffer_.append(bytes, count);
    return count > 0;
  }

  Channel& channel_;
  std::string buffer_;
  size_t begin_ = 0;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

Outcome<HttpAnswer> read_head(Reader& reader) {
  HttpAnswer answer;
  FERMATA_TRY(status_line, reader.line());
  if (!status_line.starts_with("HTTP/1.") || status_line.size() < 12) return Reader::garbled();
  std::from_chars(status_line.data() + 9, status_line.data() + 12, answer.status);
  while (true) {
    FERMATA_TRY(line, reader.line());
    if (line.empty()) break;
    size_t colon = line.find(':');
    if (colon == std::string::npos) return Reader::garbled();
    size_t value = line.find_first_not_of(" \t", colon + 1);
    answer.headers.emplace_back(lower(line.substr(0, colon)),
                                value == std::string::npos ? "" : line.substr(value));
  }
  return answer;
}

std::string_view header(const HttpAnswer& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers)
    if (key == name) return value;
  return {};
}

/// Takes `count` bytes (or all until the end) to the sink; false when the sink has had enough.
Outcome<bool> copy(Reader& reader, size_t count, bool until_end, const BodySink& sink) {
  while (count > 0) {
    FERMATA_TRY(piece, reader.some(count));
    if (piece.empty()) {
      if (until_end) return true;
      return Reader::garbled();
    }
    count -= piece.size();
    if (!sink(piece)) return false;
  }
  return true;
}

Outcome<void> read_chunks(Reader& reader, const BodySink& sink) {
  while (true) {
    FERMATA_TRY(line, reader.line());
    size_t size = 0;
    auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    if (problem != std::errc()) return Reader::garbled();
    if (size == 0) return {};
    FERMATA_TRY(more, copy(reader, size, false, sink));
    if (!more) return {};
    FERMATA_TRY(after, reader.line());
    if (!after.empty()) return Reader::garbled();
  }
}

Outcome<void> read_body(Reader& reader, const HttpAnswer& answer, const BodySink& sink) {
  if (answer.status == 204 || answer.status == 304) return {};
  if (lower(header(answer, "transfer-encoding")) == "chunked") return read_chunks(reader, sink);
  std::string_view length = header(answer, "content-length");
  size_t size = SIZE_MAX;
  if (!length.empty() &&
      std::from_chars(length.data(), length.data() + length.size(), size).ec != std::errc())
    return Reader::garbled();
  FERMATA_TRY(all, copy(reader, size, length.empty(), sink));
  (void)all;
  return {};
}

}  // namespace

std::string ServerAddress::authority() const {
  bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + port;
}

Outcome<ServerAddress> parse_server_address(std::string_view text) {
  ServerAddress address;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    address.tls = true;
    address.port = "443";
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  }
  while (rest.ends_with('/')) rest.remove_suffix(1);
  auto wrong = [&] {
    return fail(ErrorCode::usage,
                "'" + std::string(text) + "' is no server; write http://127.0.0.1:4747.");
  };
  size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
  if (bracket == std::string_view::npos) return wrong();
  size_t colon = rest.find(':', bracket);
  std::string_view host = rest.substr(0, colon);
  if (bracket > 0) host = rest.substr(1, bracket - 1);
  if (colon != std::string_view::npos) address.port = rest.substr(colon + 1);
  uint16_t number = 0;
  const char* end = address.port.data() + address.port.size();
  auto [stopped, problem] = std::from_chars(address.port.data(), end, number);
  if (host.empty() || host.find_first_of("/?#@ ") != std::string_view::npos ||
      problem != std::errc() || stopped != end)
    return wrong();
  address.host = host;
  return address;
}

Outcome<std::unique_ptr<Channel>> open_channel(const ServerAddress& address, int silence_seconds) {
  FERMATA_TRY(socket, connect_to(address));
  timeval silence{silence_seconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
  if (address.tls) return open_tls_channel(socket, address.host);
  return std::unique_ptr<Channel>(std::make_unique<SocketChannel>(socket));
}

Outcome<HttpAnswer> exchange(Channel& channel, const ServerAddress& address,
                             const HttpRequest& request, const BodySink& sink) {
  std::string head = request.method + " " + request.target +
                     " HTTP/1.1\r\nHost: " + address.authority() + "\r\nConnection: close\r\n";
  for (const auto& [name, value] : request.headers) head += name + ": " + value + "\r\n";
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT")
    head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  FERMATA_TRY_VOID(channel.write(head + "\r\n" + request.body));
  Reader reader(channel);
  FERMATA_TRY(answer, read_head(reader));
  while (answer.status >= 100 && answer.status < 200) {
    FERMATA_TRY(next, read_head(reader));
    answer = std::move(next);
  }
  BodySink keep = [&](std::string_view piece) {
    answer.body += piece;
    return answer.body.size() < body_bytes_max;
  };
  FERMATA_TRY_VOID(read_body(reader, answer, sink && answer.status == 200 ? sink : keep));
  return std::move(answer);
}

}  // namespace fermata::cli
