#include "adapters/rabbitmq/rabbit_connection.h"

#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <sys/time.h>

#include <charconv>

namespace fermata {

namespace {

constexpr int frame_bytes_max = 131'072;
constexpr int version_major_least = 3, version_minor_least = 10;
/// Where Debian and most others keep the authorities of the machine.
constexpr const char* machine_authorities = "/etc/ssl/certs/ca-certificates.crt";

timeval time_of(Duration duration) {
  return {static_cast<time_t>(duration.ms / 1'000),
          static_cast<suseconds_t>(duration.ms % 1'000 * 1'000)};
}

}  // namespace

amqp_bytes_t bytes_of(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};
}

std::string text_of(amqp_bytes_t bytes) {
  return bytes.len == 0 ? std::string()
                        : std::string(static_cast<const char*>(bytes.bytes), bytes.len);
}

bool is_new_enough(std::string_view version) {
  int major = 0, minor = 0;
  const char* end = version.data() + version.size();
  auto first = std::from_chars(version.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return false;
  return major > version_major_least ||
         (major == version_major_least && minor >= version_minor_least);
}

Outcome<std::unique_ptr<RabbitConnection>> RabbitConnection::open(const RabbitAddress& address,
                                                                  Duration timeout) {
  std::unique_ptr<RabbitConnection> connection(new RabbitConnection(address));
  FERMATA_TRY_VOID(connection->connect(timeout));
  FERMATA_TRY_VOID(connection->log_in());
  connection->read_version();
  if (!is_new_enough(connection->version_))
    return fail(ErrorCode::invalid_setting,
                "RabbitMQ at " + address.shown() + " is version " + connection->version_ +
                    "; 3.10 is the oldest whose quorum queues expire messages and dead-letter "
                    "them safely. Use a newer one.");
  return connection;
}

RabbitConnection::~RabbitConnection() {
  // Without the closing words: whoever is on the other side may be gone, and the socket says it.
  if (state_ != nullptr) amqp_destroy_connection(state_);
}

Outcome<void> RabbitConnection::connect(Duration timeout) {
  state_ = amqp_new_connection();
  amqp_socket_t* socket = nullptr;
  if (address_.tls) {
    socket = amqp_ssl_socket_new(state_);
    const char* authorities =
        address_.tls_ca.empty() ? machine_authorities : address_.tls_ca.c_str();
    if (socket != nullptr && amqp_ssl_socket_set_cacert(socket, authorities) != AMQP_STATUS_OK)
      return fail(ErrorCode::invalid_setting,
                  "the authorities in " + std::string(authorities) + " cannot be read");
  } else {
    socket = amqp_tcp_socket_new(state_);
  }
  if (socket == nullptr) return fail(ErrorCode::io_failed, "no socket for RabbitMQ could be made");
  timeval limit = time_of(timeout);
  amqp_set_handshake_timeout(state_, &limit);
  amqp_set_rpc_timeout(state_, &limit);
  int status = amqp_socket_open_noblock(socket, address_.host.c_str(), address_.port, &limit);
  if (status != AMQP_STATUS_OK) return failure("connecting", status);
  return {};
}

Outcome<void> RabbitConnection::log_in() {
  amqp_rpc_reply_t reply =
      amqp_login(state_, address_.vhost.c_str(), 0, frame_bytes_max, heartbeat_seconds,
                 AMQP_SASL_METHOD_PLAIN, address_.user.c_str(), address_.password.c_str());
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
    Said words = said(reply);
    if (words.code == AMQP_ACCESS_REFUSED || words.code == AMQP_NOT_ALLOWED)
      return fail(ErrorCode::invalid_setting,
                  "RabbitMQ at " + address_.shown() + " does not let user " + address_.user +
                      " into vhost " + address_.vhost + ": " + words.text +
                      ". Correct the user, password or vhost in `bus`.");
    return failure("logging in", words);
  }
  amqp_channel_open(state_, channel);
  reply = amqp_get_rpc_reply(state_);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) return failure("opening a channel", said(reply));
  return {};
}

void RabbitConnection::read_version() {
  const amqp_table_t* properties = amqp_get_server_properties(state_);
  for (int i = 0; i < properties->num_entries; ++i) {
    const amqp_table_entry_t& entry = properties->entries[i];
    if (text_of(entry.key) == "version" && entry.value.kind == AMQP_FIELD_KIND_UTF8)
      version_ = text_of(entry.value.value.bytes);
  }
}

RabbitConnection::Said RabbitConnection::said(const amqp_rpc_reply_t& reply) const {
  if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION)
    return {0, amqp_error_string2(reply.library_error)};
  if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION) return {0, "no answer"};
  if (reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD) {
    const auto* close = static_cast<const amqp_connection_close_t*>(reply.reply.decoded);
    return {close->reply_code, text_of(close->reply_text)};
  }
  if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
    const auto* close = static_cast<const amqp_channel_close_t*>(reply.reply.decoded);
    return {close->reply_code, text_of(close->reply_text)};
  }
  return {0, "an answer that was not expected"};
}

Failure<Error> RabbitConnection::failure(std::string_view doing, const Said& said) const {
  return fail(ErrorCode::io_failed,
              "RabbitMQ at " + address_.shown() + ", " + std::string(doing) + ": " + said.text);
}

Failure<Error> RabbitConnection::failure(std::string_view doing, int status) const {
  return failure(doing, Said{0, amqp_error_string2(status)});
}

}  // namespace fermata
