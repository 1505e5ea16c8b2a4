#include "server/wire/gateway.h"

#include "base/hash.h"
#include "base/overloaded.h"

namespace fermata::server {
namespace {

constexpr size_t news_max = 256;
constexpr Duration idle_pause{1'000};
constexpr Duration quiet_pause{60'000};

}  // namespace

Gateway::Gateway(GatewayParts parts, GatewayOptions options)
    : parts_(parts),
      options_(std::move(options)),
      workers_(
          parts, options_,
          [this](const WorkerId& worker, const fleet::LeaseKey& lease) {
            bool understood = workers_.understands_dispatch(worker);
            post([this, worker, lease, understood] { tell_cancelled(worker, lease, understood); });
          },
          [this](const Value& job, front::cap::DispatchTerms terms) { dispatch(job, terms); }) {}

Gateway::~Gateway() { stop(); }

void Gateway::start() {
  thread_ = std::thread([this] { run(); });
}

void Gateway::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  parts_.wire.wake();
  thread_.join();
}

void Gateway::settled(const job::Job& state) {
  bool ours = state.finished() && state.source == job::Source::wire;
  if (ours) post([this, id = state.id] { tell_end(id, 0); });
}

void Gateway::post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  parts_.wire.wake();
}

void Gateway::run() {
  catch_up();
  while (!stopping_) {
    bool owing = catching_up_ || !untold_.empty();
    Wire::News news = parts_.wire.wait(news_max, owing ? idle_pause : quiet_pause);
    for (const WireConfirm& confirm : news.confirms) confirmed(confirm);
    std::vector<std::function<void()>> tasks;
    {
      std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    for (const std::function<void()>& task : tasks) task();
    for (WireDelivery& delivery : news.deliveries) handle(std::move(delivery));
    for (std::deque<JobId> again = std::exchange(untold_, {}); !again.empty(); again.pop_front())
      tell_end(again.front(), 0);
    if (catching_up_) catch_up_page();
  }
}

void Gateway::handle(WireDelivery delivery) {
  ++counts_.received;
  if (parts_.memory && delivery.number != 0 && !delivery.place.empty()) {
    GuardedPlace& place = places_[delivery.number];
    place = {delivery.place, sha256_hex(delivery.bytes).substr(0, guard_print_digits)};
    if (delivery.deliveries > 1 && parts_.memory->was_done(place)) {
      ++counts_.guarded;
      return settle_done(delivery.number);
    }
  }
  if (delivery.exhausted)
    return (void)bury(
        delivery,
        {ErrorCode::queue_full, "It was delivered as often as it may be and never done with.", {}});
  auto packet = parts_.codec.read(delivery.bytes);
  if (!packet) return refuse(delivery, packet.error());
  if (packet->sender_id == options_.sender) return ack(delivery);
  if (packet->version != cap::version_understood) {
    if (delivery.deliveries == 1)
      parts_.wire.announce("sys.alert", parts_.codec.write(front::cap::version_alert(
                                            packet->version, packet->sender_id, options_.sender,
                                            parts_.clock.now())));
    return refuse(delivery, {ErrorCode::bad_request,
                             "Protocol version " + std::to_string(packet->version) +
                                 " is not understood (code 100).",
                             {}});
  }
  use(std::move(delivery), *std::move(packet));
}

void Gateway::use(WireDelivery delivery, cap::Packet packet) {
  const std::string& subject = delivery.subject;
  const cap::Payload& payload = packet.payload;
  if (const auto* request = std::get_if<cap::JobRequest>(&payload))
    if (subject == "sys.job.submit") return submit(std::move(delivery), packet, *request);
  if (const auto* ended = std::get_if<cap::JobResult>(&payload))
    if (subject == "sys.job.result") return result(std::move(delivery), *ended);
  if (const auto* wanted = std::get_if<cap::JobCancel>(&payload))
    if (subject == "sys.job.cancel") return cancel(std::move(delivery), packet, *wanted);
  if (const auto* beat = std::get_if<cap::Heartbeat>(&payload))
    return hear_beat(*beat, packet.created_at);
  if (const auto* progress = std::get_if<cap::JobProgress>(&payload))
    return hear_progress(*progress);
  if (const auto* handshake = std::get_if<cap::Handshake>(&payload)) {
    bool named = handshake->role == cap::Role::worker && is_subject_token(handshake->component_id);
    if (!named) return;
    (void)parts_.jobs.with_workers([this, worker = WorkerId(handshake->component_id),
                                    introduction = front::cap::read_introduction(*handshake)](
                                       Workers&) { workers_.introduce(worker, introduction); });
    return;
  }
  refuse(
      delivery,
      {ErrorCode::bad_request, "The packet has no payload that belongs on " + subject + ".", {}});
}

std::string metrics_of(const Gateways& gateways) {
  std::string out;
  auto line = [&](std::string_view name, std::string_view kind, std::string_view help,
                  auto figure) {
    uint64_t sum = 0;
    for (const auto& gateway : gateways) sum += figure(gateway->counts(), gateway->health());
    out += "# HELP " + std::string(name) + " " + std::string(help) + "\n# TYPE " +
           std::string(name) + " " + std::string(kind) + "\n" + std::string(name) + " " +
           std::to_string(sum) + "\n";
  };
  using Told = const Gateway::Counts&;
  using Health = const WireHealth&;
  line("fermata_wire_received_total", "counter", "Messages of CAP that came in.",
       [](Told counts, Health) { return counts.received.load(); });
  line("fermata_wire_refused_total", "counter", "Deliveries of messages that cannot be used.",
       [](Told counts, Health) { return counts.refused.load(); });
  line("fermata_wire_dead_total", "counter", "Messages that became dead letters.",
       [](Told counts, Health) { return counts.dead.load(); });
  line("fermata_wire_put_off_total", "counter",
       "Deliveries put off because the store was away or busy.",
       [](Told counts, Health) { return counts.put_off.load(); });
  line("fermata_wire_labels_stripped_total", "counter", "Reserved labels left out of submissions.",
       [](Told counts, Health) { return counts.labels_stripped.load(); });
  line("fermata_wire_guarded_total", "counter",
       "Deliveries that a guard knew as done with; the store was not asked.",
       [](Told counts, Health) { return counts.guarded.load(); });
  line("fermata_wire_redelivered_total", "counter", "Deliveries that were not the first.",
       [](Told, Health health) { return health.redelivered; });
  line("fermata_wire_published_total", "counter", "Messages that NATS has taken.",
       [](Told, Health health) { return health.published; });
  line("fermata_wire_publish_failures_total", "counter", "Attempts to publish that failed.",
       [](Told, Health health) { return health.publish_failures; });
  line("fermata_wire_unpublished", "gauge", "Messages that wait for NATS.",
       [](Told, Health health) { return uint64_t{health.unpublished}; });
  line("fermata_wire_degraded", "gauge", "Accounts for which NATS is away or not as it should be.",
       [](Told, Health health) { return uint64_t{health.up ? 0u : 1u}; });
  return out;
}

}  // namespace fermata::server
