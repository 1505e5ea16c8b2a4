#include "adapters/nats/nats_wire.h"

#include <atomic>
#include <thread>

#include "adapters/nats/inbox.h"
#include "adapters/nats/link.h"
#include "adapters/nats/streams.h"
#include "base/json.h"

namespace fermata {

using namespace nats;

namespace {

constexpr int batch_max = 64;
constexpr int64_t fetch_ms = 5'000;
constexpr int64_t publish_wait_ms = 2'000;
constexpr int64_t open_pause_first_ms = 200;
constexpr int64_t open_pause_max_ms = 10'000;
constexpr size_t plain_waiting_max = 16'384;
constexpr int64_t payload_bytes_advised = 1 << 20;

/// Plain subjects that every replica reads, and those that one of them does.
constexpr const char* read_by_all[] = {"sys.heartbeat", "sys.handshake", "sys.config.changed"};
constexpr const char* read_by_one[] = {"sys.job.progress"};
constexpr const char* group = "fermata";

}  // namespace

struct NatsWire::Parts {
  explicit Parts(NatsOptions given) : options(std::move(given)), link(options) {}
  ~Parts() { stop(); }

  /// Until something is asked of it or it stops.
  bool rest(int64_t ms) {
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, std::chrono::milliseconds(ms), [&] { return stopping.load(); });
    return !stopping;
  }

  Outcome<void> check_server(bool first);
  Outcome<void> prepare(bool first);
  Outcome<void> listen();
  void take_advisory(natsMsg* advisory);
  Outcome<Subscription> subscribe(const ConsumerWanted& consumer);
  void read(const ConsumerWanted& consumer);
  bool fetch(const ConsumerWanted& consumer, natsSubscription* from);
  void publish_all();
  bool publish_one(const WireMessage& message);
  void stop();

  const NatsOptions options;
  Link link;
  Inbox inbox{plain_waiting_max, options.prefix};
  std::atomic<bool> stopping{false};
  std::mutex mutex;
  std::condition_variable stopped;
  std::condition_variable more;
  std::deque<WireMessage> outgoing;
  std::atomic<uint64_t> published{0};
  std::atomic<uint64_t> publish_failures{0};
  std::mutex prepare_mutex;
  uint64_t prepared_epoch = 0;
  std::vector<Subscription> plain;
  size_t hearing = 0;  ///< threads of libnats that deliver what is heard
  std::vector<std::thread> threads;
};

Outcome<void> NatsWire::Parts::check_server(bool first) {
  jsAccountInfo* found = nullptr;
  jsErrCode code{};
  natsStatus status = js_GetAccountInfo(&found, link.jetstream(), nullptr, &code);
  AccountInfo info(found);
  if (code == JSNotEnabledErr || code == JSNotEnabledForAccountErr || status == NATS_NO_RESPONDERS)
    return fail(ErrorCode::invalid_setting,
                "NATS has no JetStream for this account: nothing would be kept. Start the server "
                "with `jetstream {}` in its configuration (or -js), or enable it for the account.");
  if (status != NATS_OK)
    return fail(ErrorCode::io_failed,
                "NATS: JetStream does not answer: " + text_of(status, code) + ".");
  if (!first || !options.on_warning) return {};
  options.on_warning(
      "NATS acknowledges messages before they are on disk (2.9 writes them out every 60 s; from "
      "2.10 on set `sync_interval: always`): acknowledged messages may die with its machine. "
      "Dispatches are sent again; submissions of others are not");
  if (natsConnection_GetMaxPayload(link.connection()) < payload_bytes_advised)
    options.on_warning("NATS takes messages of " +
                       std::to_string(natsConnection_GetMaxPayload(link.connection())) +
                       " bytes at most (max_payload); 1 MiB is advised");
  return {};
}

/// What is needed of this connection, once for all who need it.
Outcome<void> NatsWire::Parts::prepare(bool first) {
  std::lock_guard lock(prepare_mutex);
  uint64_t epoch = link.epoch();
  if (prepared_epoch == epoch) return {};
  FERMATA_TRY_VOID(check_server(first));
  for (const StreamWanted& stream :
       streams_wanted(options.stream_sys, options.stream_jobs, options.prefix)) {
    FERMATA_TRY(warnings, prepare_stream(link.jetstream(), stream));
    if (!first || !options.on_warning) continue;
    for (const std::string& warning : warnings) options.on_warning(warning);
  }
  for (const ConsumerWanted& consumer : consumers_wanted(options.prefix))
    FERMATA_TRY_VOID(prepare_consumer(link.jetstream(), options.stream_sys, consumer));
  prepared_epoch = epoch;
  return {};
}

Outcome<void> NatsWire::Parts::listen() {
  auto hear = [](natsConnection*, natsSubscription*, natsMsg* message, void* parts) {
    static_cast<Parts*>(parts)->inbox.take_plain(Message(message));
  };
  auto over = [](void* parts) {
    auto* self = static_cast<Parts*>(parts);
    std::lock_guard lock(self->mutex);
    --self->hearing;
    self->stopped.notify_all();
  };
  auto keep = [&](natsStatus status, natsSubscription* made) -> Outcome<void> {
    if (status != NATS_OK)
      return fail(ErrorCode::io_failed, "NATS: subscribing: " + text_of(status) + ".");
    plain.emplace_back(made);
    {
      std::lock_guard lock(mutex);
      ++hearing;
    }
    if (natsSubscription_SetOnCompleteCB(made, over, this) != NATS_OK) over(this);
    return {};
  };
  for (const char* subject : read_by_all) {
    natsSubscription* made = nullptr;
    natsStatus status = natsConnection_Subscribe(&made, link.connection(),
                                                 (options.prefix + subject).c_str(), hear, this);
    FERMATA_TRY_VOID(keep(status, made));
  }
  auto advise = [](natsConnection*, natsSubscription*, natsMsg* message, void* parts) {
    Message owned(message);
    static_cast<Parts*>(parts)->take_advisory(message);
  };
  for (const ConsumerWanted& consumer : consumers_wanted(options.prefix)) {
    std::string subject =
        "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + options.stream_sys + "." + consumer.name;
    natsSubscription* made = nullptr;
    natsStatus status = natsConnection_QueueSubscribe(&made, link.connection(), subject.c_str(),
                                                      group, advise, this);
    FERMATA_TRY_VOID(keep(status, made));
  }
  for (const char* subject : read_by_one) {
    natsSubscription* made = nullptr;
    natsStatus status = natsConnection_QueueSubscribe(
        &made, link.connection(), (options.prefix + subject).c_str(), group, hear, this);
    FERMATA_TRY_VOID(keep(status, made));
  }
  return {};
}

/// The server says that it delivers a message no more; the stream still has it.
void NatsWire::Parts::take_advisory(natsMsg* advisory) {
  auto said =
      parse_json({natsMsg_GetData(advisory), static_cast<size_t>(natsMsg_GetDataLength(advisory))});
  if (!said || !said->get("stream_seq").is_integer()) return;
  auto place = static_cast<uint64_t>(said->get("stream_seq").as_integer());
  const Value& often = said->get("deliveries");
  natsMsg* found = nullptr;
  jsErrCode code{};
  natsStatus status =
      js_GetMsg(&found, link.jetstream(), options.stream_sys.c_str(), place, nullptr, &code);
  if (status != NATS_OK) return;
  inbox.take_exhausted(Message(found), options.stream_sys + ":" + std::to_string(place),
                       often.is_integer() ? static_cast<uint32_t>(often.as_integer()) : 1);
}

Outcome<Subscription> NatsWire::Parts::subscribe(const ConsumerWanted& consumer) {
  FERMATA_TRY_VOID(prepare(false));
  jsSubOptions wanted;
  jsSubOptions_Init(&wanted);
  wanted.Stream = options.stream_sys.c_str();
  wanted.Consumer = consumer.name.c_str();
  natsSubscription* made = nullptr;
  jsErrCode code{};
  natsStatus status = js_PullSubscribe(&made, link.jetstream(), consumer.subject.c_str(),
                                       consumer.name.c_str(), nullptr, &wanted, &code);
  if (status == NATS_OK) return Subscription(made);
  // It may have been deleted since: then it is looked for anew.
  std::lock_guard lock(prepare_mutex);
  prepared_epoch = 0;
  return fail(ErrorCode::io_failed, "NATS: consumer " + consumer.name +
                                        " cannot be read: " + text_of(status, code) + ".");
}

/// False when the subscription is of no use any more.
bool NatsWire::Parts::fetch(const ConsumerWanted& consumer, natsSubscription* from) {
  size_t room = inbox.room(consumer.name, options.unsettled_max);
  if (room == 0) {
    inbox.wait_for_room(consumer.name, options.unsettled_max, {1'000});
    return true;
  }
  natsMsgList list{};
  jsErrCode code{};
  int wanted = static_cast<int>(std::min<size_t>(room, batch_max));
  natsStatus status = natsSubscription_Fetch(&list, from, wanted, fetch_ms, &code);
  for (int i = 0; i < list.Count; ++i) {
    inbox.take(consumer.name, Message(list.Msgs[i]));
    list.Msgs[i] = nullptr;
  }
  natsMsgList_Destroy(&list);
  return status == NATS_OK || status == NATS_TIMEOUT;
}

void NatsWire::Parts::read(const ConsumerWanted& consumer) {
  int64_t pause = open_pause_first_ms;
  Subscription from;
  uint64_t epoch = 0;
  while (!stopping) {
    if (from && epoch == link.epoch() && fetch(consumer, from.get())) {
      inbox.keep_alive();
      pause = open_pause_first_ms;
      continue;
    }
    from.reset();
    if (stopping) return;
    epoch = link.epoch();
    auto made = subscribe(consumer);
    link.trouble(consumer.name, made ? "" : made.error().message);
    if (made) {
      from = *std::move(made);
      continue;
    }
    if (!rest(pause)) return;
    pause = std::min(pause * 2, open_pause_max_ms);
  }
}

bool NatsWire::Parts::publish_one(const WireMessage& message) {
  jsPubOptions wanted;
  jsPubOptions_Init(&wanted);
  wanted.MaxWait = publish_wait_ms;
  if (!message.id.empty()) wanted.MsgId = message.id.c_str();
  jsPubAck* answered = nullptr;
  jsErrCode code{};
  std::string subject = options.prefix + message.subject;
  natsStatus status = js_Publish(&answered, link.jetstream(), subject.c_str(), message.bytes.data(),
                                 static_cast<int>(message.bytes.size()), &wanted, &code);
  PublishAck ack(answered);
  if (status == NATS_OK) {
    ++published;
    link.trouble("publish", "");
    if (message.ticket != 0) inbox.confirm({message.ticket, ack->Duplicate});
    return true;
  }
  ++publish_failures;
  if (status == NATS_MAX_PAYLOAD) {
    // Nothing is waited for: it never will.
    if (options.on_warning)
      options.on_warning("NATS does not take " + std::to_string(message.bytes.size()) +
                         " bytes to " + subject + " (max_payload); it is not sent");
    return true;
  }
  link.trouble("publish", "NATS: publishing to " + subject + ": " + text_of(status, code));
  return false;
}

void NatsWire::Parts::publish_all() {
  int64_t pause = open_pause_first_ms;
  for (;;) {
    WireMessage next;
    {
      std::unique_lock lock(mutex);
      more.wait(lock, [&] { return stopping || !outgoing.empty(); });
      if (stopping) return;
      next = outgoing.front();
    }
    if (publish_one(next)) {
      pause = open_pause_first_ms;
      std::lock_guard lock(mutex);
      outgoing.pop_front();
      continue;
    }
    if (!rest(pause)) return;
    pause = std::min(pause * 2, open_pause_max_ms);
  }
}

void NatsWire::Parts::stop() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  stopped.notify_all();
  more.notify_all();
  link.close();
  inbox.wake();
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  {
    std::unique_lock lock(mutex);
    stopped.wait(lock, [&] { return hearing == 0; });
  }
  plain.clear();
}

Outcome<std::unique_ptr<NatsWire>> NatsWire::open(NatsOptions options) {
  auto parts = std::make_unique<Parts>(std::move(options));
  FERMATA_TRY_VOID(parts->link.open());
  FERMATA_TRY_VOID(parts->prepare(true));
  FERMATA_TRY_VOID(parts->listen());
  Parts* shared = parts.get();
  for (const ConsumerWanted& consumer : consumers_wanted(shared->options.prefix))
    parts->threads.emplace_back([shared, consumer] { shared->read(consumer); });
  parts->threads.emplace_back([shared] { shared->publish_all(); });
  return std::unique_ptr<NatsWire>(new NatsWire(std::move(parts)));
}

NatsWire::NatsWire(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

NatsWire::~NatsWire() = default;

bool NatsWire::publish(WireMessage message) {
  {
    std::lock_guard lock(parts_->mutex);
    if (parts_->outgoing.size() >= parts_->options.unpublished_max) return false;
    parts_->outgoing.push_back(std::move(message));
  }
  parts_->more.notify_one();
  return true;
}

void NatsWire::announce(const std::string& subject, const std::string& bytes) {
  std::string whole = parts_->options.prefix + subject;
  natsConnection_Publish(parts_->link.connection(), whole.c_str(), bytes.data(),
                         static_cast<int>(bytes.size()));
}

void NatsWire::settle(uint64_t number, WireSettlement settlement) {
  Message message = parts_->inbox.settle(number);
  if (!message) return;
  switch (settlement.kind) {
    case WireSettlement::Kind::ack: natsMsg_Ack(message.get(), nullptr); break;
    case WireSettlement::Kind::again:
      natsMsg_NakWithDelay(message.get(), settlement.delay.ms, nullptr);
      break;
    case WireSettlement::Kind::dead: natsMsg_Term(message.get(), nullptr); break;
  }
}

Wire::News NatsWire::wait(size_t most, Duration patience) {
  return parts_->inbox.wait(most, patience);
}

void NatsWire::wake() { parts_->inbox.wake(); }

Outcome<uint64_t> NatsWire::pending(const std::string& subject) {
  for (const ConsumerWanted& consumer : consumers_wanted(parts_->options.prefix)) {
    if (consumer.subject != parts_->options.prefix + subject) continue;
    jsConsumerInfo* found = nullptr;
    jsErrCode code{};
    natsStatus status =
        js_GetConsumerInfo(&found, parts_->link.jetstream(), parts_->options.stream_sys.c_str(),
                           consumer.name.c_str(), nullptr, &code);
    ConsumerInfo info(found);
    if (status != NATS_OK)
      return fail(ErrorCode::io_failed, "NATS: " + consumer.name + ": " + text_of(status, code));
    return info->NumPending + static_cast<uint64_t>(info->NumAckPending);
  }
  return fail(ErrorCode::internal, "nobody reads " + subject);
}

Outcome<std::optional<std::string>> NatsWire::latest(const std::string& subject) {
  natsMsg* found = nullptr;
  jsErrCode code{};
  natsStatus status =
      js_GetLastMsg(&found, parts_->link.jetstream(), parts_->options.stream_sys.c_str(),
                    (parts_->options.prefix + subject).c_str(), nullptr, &code);
  Message message(found);
  if (status == NATS_NOT_FOUND) return std::optional<std::string>{};
  if (status != NATS_OK)
    return fail(ErrorCode::io_failed, "NATS: " + subject + ": " + text_of(status, code));
  return std::optional(
      std::string(natsMsg_GetData(found), static_cast<size_t>(natsMsg_GetDataLength(found))));
}

WireHealth NatsWire::health() const {
  WireHealth health;
  health.trouble = parts_->link.troubles();
  health.up = parts_->link.up() && health.trouble.empty();
  health.redelivered = parts_->inbox.redelivered();
  health.published = parts_->published;
  health.publish_failures = parts_->publish_failures;
  std::lock_guard lock(parts_->mutex);
  health.unpublished = parts_->outgoing.size();
  return health;
}

Outcome<std::vector<std::string>> nats_urls(const std::string& list) {
  std::vector<std::string> urls;
  std::string_view rest = list;
  while (!rest.empty()) {
    std::string_view url = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(url.size() + 1, rest.size()));
    while (url.starts_with(' ')) url.remove_prefix(1);
    while (url.ends_with(' ')) url.remove_suffix(1);
    if (url.starts_with("nats://") || url.starts_with("tls://")) {
      urls.emplace_back(url);
    } else if (!url.empty()) {
      return fail(ErrorCode::invalid_setting,
                  "bus: addresses begin with nats:// or tls://, separated by commas.");
    }
  }
  return urls;
}

}  // namespace fermata
