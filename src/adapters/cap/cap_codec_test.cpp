#include "adapters/cap/cap_codec.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace fermata {
namespace {

using namespace cap;

// Bytes put together by hand from the table of tags, so that a wrong tag in proto/cap.proto is
// noticed and not merely repeated.
constexpr std::string_view request_bytes =
    "0a03742d311203732d311a0b0880dddacb0610c0a9d33a2001528c020a036a2d3112076a6f622e7061791803"
    "220f72656469733a2f2f6374783a6a2d312a02616432060a014112013132060a01421201323a017042027766"
    "480452036d656d620c086410c80118ac0220e0d4036a0461636d65720270727a060a01781201798201350a04"
    "61636d651205616c696365180122056b65792d312a0370646632056d6f6e65793a0367707542047061636b4a"
    "060a01611201628a01370a0a6a6f622e726566756e64120d72656469733a2f2f6374783a632a060a01451201"
    "31420220055a060a016c12016d62062a04756e646f9a010c0a03642d3110021a03772d31a20125120b687474"
    "70733a2f2f662f781a0200ff22106170706c69636174696f6e2f6a736f6e2807";
constexpr std::string_view result_bytes =
    "1203732d311a0b0880dddacb0610c0a9d33a20015a4c0a036a2d31100a1a0f72656469733a2f2f7265733a6a"
    "2d312203772d3128d20932034534323a076e6f206c75636b420261314202613248cb01520c0a03642d311002"
    "1a03772d316203120175";
constexpr std::string_view heartbeat_bytes =
    "1203732d311a0b0880dddacb0610c0a9d33a200162360a03772d31120265751a0367707525000048412d0000"
    "c64230033a037064665a0370617960086a090a047a6f6e651201617500004842";
constexpr std::string_view alert_bytes =
    "1203732d311a0b0880dddacb0610c0a9d33a20016a260a047761726e1204746578741a076665726d61746122"
    "033130302802306442060a016b120176";
constexpr std::string_view progress_bytes =
    "1203732d311a0b0880dddacb0610c0a9d33a20017a1d0a036a2d311828220468616c663804420c0a03642d31"
    "10011a03772d31";
constexpr std::string_view cancel_bytes =
    "1203732d311a0b0880dddacb0610c0a9d33a200182011e0a036a2d31120473746f701a03626f62220c0a0364"
    "2d3110011a03772d31";
constexpr std::string_view handshake_bytes =
    "1203732d311a0b0880dddacb0610c0a9d33a20018a01300a03772d3110031a02010222150a11646973706174"
    "63685f6964656e7469747910012a03312e3032076a6f622e706179";

Packet packet_with(Payload payload, std::string trace = "") {
  Packet packet;
  packet.trace_id = std::move(trace);
  packet.sender_id = "s-1";
  packet.created_at = {1'769'385'600'123};
  packet.payload = std::move(payload);
  return packet;
}

Packet full_request() {
  JobRequest request;
  request.job_id = "j-1";
  request.topic = "job.pay";
  request.priority = Priority::critical;
  request.context_ptr = "redis://ctx:j-1";
  request.adapter_id = "ad";
  request.env = {{"A", "1"}, {"B", "2"}};
  request.parent_job_id = "p";
  request.workflow_id = "wf";
  request.step_index = 4;
  request.memory_id = "mem";
  request.budget = Budget{100, 200, 300, 60'000};
  request.tenant_id = "acme";
  request.principal_id = "pr";
  request.labels = {{"x", "y"}};
  request.meta =
      Metadata{"acme", "alice", ActorType::human, "key-1", "pdf", {"money"}, {"gpu"}, "pack", {}};
  request.meta->labels = {{"a", "b"}};
  Compensation undo;
  undo.topic = "job.refund";
  undo.context_ptr = "redis://ctx:c";
  undo.env = {{"E", "1"}};
  undo.budget = Budget{0, 0, 0, 5};
  undo.labels = {{"l", "m"}};
  undo.meta = Metadata{};
  undo.meta->capability = "undo";
  request.compensation = undo;
  request.dispatch = Dispatch{"d-1", 2, "w-1"};
  request.context_ref = Reference{"https://f/x", std::string("\0\xff", 2), "application/json", 7};
  return packet_with(request, "t-1");
}

Packet full_result() {
  JobResult result;
  result.job_id = "j-1";
  result.status = Status::failed_retryable;
  result.result_ptr = "redis://res:j-1";
  result.worker_id = "w-1";
  result.execution_ms = 1'234;
  result.error_code = "E42";
  result.error_message = "no luck";
  result.artifact_ptrs = {"a1", "a2"};
  result.error_number = 203;
  result.dispatch = Dispatch{"d-1", 2, "w-1"};
  result.result_ref = Reference{"u", "", "", 0};
  return packet_with(result);
}

Packet full_heartbeat() {
  Heartbeat beat;
  beat.worker_id = "w-1";
  beat.region = "eu";
  beat.type = "gpu";
  beat.cpu_load = 12.5F;
  beat.gpu_utilization = 99;
  beat.memory_load = 50;
  beat.active_jobs = 3;
  beat.capabilities = {"pdf"};
  beat.pool = "pay";
  beat.max_parallel_jobs = 8;
  beat.labels = {{"zone", "a"}};
  return packet_with(beat);
}

std::vector<std::pair<std::string_view, Packet>> golden() {
  Dispatch first{"d-1", 1, "w-1"};
  return {
      {request_bytes, full_request()},
      {result_bytes, full_result()},
      {heartbeat_bytes, full_heartbeat()},
      {alert_bytes,
       packet_with(Alert{"warn", "text", "fermata", "100", Severity::warning, 100, {{"k", "v"}}})},
      {progress_bytes, packet_with(JobProgress{"j-1", 40, "half", Status::running, first})},
      {cancel_bytes, packet_with(JobCancel{"j-1", "stop", "bob", first})},
      {handshake_bytes,
       packet_with(Handshake{
           "w-1", Role::worker, {1, 2}, {{"dispatch_identity", true}}, "1.0", {"job.pay"}})}};
}

std::string bytes_of(std::string_view digits) {
  std::string bytes;
  EXPECT_TRUE(unhex(digits, bytes));
  return bytes;
}

// C-72
TEST(CapCodec, packets_are_the_bytes_of_the_table) {
  CapCodec codec;
  for (const auto& [digits, packet] : golden()) {
    EXPECT_EQ(hex(codec.write(packet)), digits);
    auto read = codec.read(bytes_of(digits));
    ASSERT_TRUE(read) << digits;
    EXPECT_TRUE(*read == packet) << digits;
  }
}

TEST(CapCodec, fields_that_are_not_known_are_ignored) {
  CapCodec codec;
  // Tag 21 of the packet is others', tag 100 is nobody's yet.
  std::string bytes = bytes_of(result_bytes) + bytes_of(
                                                   "aa01026f6b"
                                                   "a006"
                                                   "07");
  auto read = codec.read(bytes);
  ASSERT_TRUE(read);
  EXPECT_TRUE(*read == full_result());
}

TEST(CapCodec, packet_without_a_payload_that_is_known_has_none) {
  CapCodec codec;
  auto read =
      codec.read(bytes_of("1203732d31"
                          "2001"
                          "9a01026f6b"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read->payload));
  EXPECT_EQ(read->sender_id, "s-1");
}

TEST(CapCodec, other_versions_and_unknown_words_are_kept_as_they_came) {
  CapCodec codec;
  auto read =
      codec.read(bytes_of("2002"
                          "5a02"
                          "1063"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, 2);
  EXPECT_EQ(static_cast<int>(std::get<JobResult>(read->payload).status), 99);
}

TEST(CapCodec, hostile_bytes_are_refused) {
  CapCodec codec;
  std::string whole = bytes_of(request_bytes);
  // Cut anywhere it is refused or read as something shorter, and never more than that.
  for (size_t size = 0; size < whole.size(); ++size) (void)codec.read(whole.substr(0, size));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bent = whole;
    bent[at] = static_cast<char>(bent[at] ^ 0xff);
    (void)codec.read(bent);
  }
  EXPECT_FALSE(codec.read("\xff\xff\xff"));
  EXPECT_FALSE(codec.read(bytes_of("0a05414243")));
  EXPECT_FALSE(codec.read(bytes_of("0a02c328")));  // a text that is no UTF-8
  auto long_one = codec.read(std::string(packet_bytes_max + 1, 'x'));
  ASSERT_FALSE(long_one);
  EXPECT_NE(long_one.error().message.find("8388608"), std::string::npos);
}

TEST(CapCodec, times_at_the_ends_of_what_can_be_said_are_read) {
  CapCodec codec;
  Packet packet = packet_with({});
  packet.created_at = {-1};
  auto read = codec.read(codec.write(packet));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->created_at.ms, -1);
  // seconds = INT64_MAX
  EXPECT_TRUE(codec.read(bytes_of("1a0a08ffffffffffffffff7f")));
}

}  // namespace
}  // namespace fermata
