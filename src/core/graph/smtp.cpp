#include <algorithm>

#include "base/json.h"
#include "core/graph/advance.h"
#include "core/graph/calls.h"
#include "core/mail/message.h"

/// The smtp node (G-37): the mail it sends, and what the answer of a mail server means.
namespace fermata::graph {

namespace {

constexpr int64_t mail_timeout_ms = 30'000;

using Addresses = std::vector<mail::Address>;

/// A text with addresses, or an array of such texts.
Result<Addresses, std::string> addresses_in(const Value& parameters, std::string_view name) {
  const Value& written = parameters.get(name);
  Addresses all;
  auto add = [&](const Value& entry) -> std::string {
    if (entry.is_null()) return "";
    if (!entry.is_string()) return "A mail address is text; this is " + to_json(entry) + ".";
    auto read = mail::read_addresses(entry.as_string());
    if (!read) return std::move(read).error();
    all.insert(all.end(), read->begin(), read->end());
    return "";
  };
  std::string mistake;
  if (!written.is_array()) mistake = add(written);
  if (written.is_array())
    for (const Value& entry : written.items())
      if (mistake.empty()) mistake = add(entry);
  if (!mistake.empty()) return Failure{"\"" + std::string(name) + "\": " + mistake};
  return all;
}

struct Mail {
  Addresses from, to, cc, bcc;
  /// Each once, in the order they are named.
  std::vector<std::string> recipients() const {
    std::vector<std::string> all;
    for (const Addresses* list : {&to, &cc, &bcc})
      for (const mail::Address& one : *list)
        if (std::find(all.begin(), all.end(), one.address) == all.end()) all.push_back(one.address);
    return all;
  }
};

Result<Mail, std::string> read_mail(const Value& parameters) {
  Mail read;
  std::pair<std::string_view, Addresses*> lists[] = {
      {"from", &read.from}, {"to", &read.to}, {"cc", &read.cc}, {"bcc", &read.bcc}};
  for (auto [name, list] : lists) {
    auto found = addresses_in(parameters, name);
    if (!found) return Failure{std::move(found).error()};
    *list = *std::move(found);
  }
  if (read.from.size() != 1)
    return Failure{std::string("\"from\": One address is expected; there are ") +
                   std::to_string(read.from.size()) + "."};
  return read;
}

std::string message_id_of(const Run& run, TokenId id, const mail::Address& from) {
  return "<" + idempotency_key_of(run, activation_of(run, id)) + "@" + std::string(from.domain()) +
         ">";
}

std::string text_of(const Value& value) { return value.is_null() ? "" : to_text(value); }

}  // namespace

std::optional<NodeError> mistake_in_mail(const Step& step, const Value& parameters) {
  auto mail = read_mail(parameters);
  if (!mail) return NodeError{"parameter_invalid", std::move(mail).error(), {}};
  size_t count = mail->recipients().size();
  size_t most = step.given.limits.mail_recipients_max;
  if (count == 0) return NodeError{"parameter_invalid", "The mail has no recipient.", {}};
  if (count > most)
    return NodeError{"parameter_invalid",
                     "The mail has " + std::to_string(count) + " recipients; at most " +
                         std::to_string(most) + " are allowed (setting graph_mail_recipients_max).",
                     {}};
  return std::nullopt;
}

CallRequest mail_request(const Step& step, TokenId id) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  const Value& parameters = token.parameters;
  // Parameters with a mistake never become a call.
  auto read = read_mail(parameters);
  check(static_cast<bool>(read));
  mail::Message message;
  message.from = read->from.front();
  message.to = read->to;
  message.cc = read->cc;
  message.subject = text_of(parameters.get("subject"));
  message.body = text_of(parameters.get("body"));
  message.html = parameters.get("body_type") == Value("html");
  // Every attempt sends the same mail, by which others can tell that it is one.
  message.message_id = message_id_of(run, id, message.from);
  message.date = token.since;
  CallRequest request;
  request.mail = MailEnvelope{message.from.address, read->recipients(), message.message_id};
  request.body = mail::composed(message);
  request.timeout_ms = run.definition->nodes[token.node].timeout_ms.value_or(mail_timeout_ms);
  return request;
}

void take_mail_answer(Step& step, const CallAnswer& answer) {
  TokenId id = answer.ticket.token;
  if (!answer.error.empty()) return fail_node(step, id, {answer.error, answer.message, {}});
  if (answer.status / 100 != 2) {
    // 4yz asks to try again later: a list of grey senders, a full box, too many connections.
    bool temporary = answer.status / 100 == 4;
    return fail_node(
        step, id,
        {"smtp_rejected",
         "the mail server answered " + std::to_string(answer.status) + " " + answer.status_text,
         Value::object({{"status", answer.status}, {"temporary", temporary}}),
         temporary ? "server_error" : ""});
  }
  auto sent = read_mail(step.run.tokens.at(id).parameters);
  check(static_cast<bool>(sent));
  Value recipients = Value::array();
  for (const std::string& address : sent->recipients()) recipients.push(address);
  finish_node(step, id,
              {Value::object({{"success", true},
                              {"message_id", message_id_of(step.run, id, sent->from.front())},
                              {"recipients", recipients},
                              {"duration_ms", answer.duration_ms}}),
               {},
               Route::all()});
}

}  // namespace fermata::graph
