#pragma once
#include <nats/nats.h>

#include <memory>
#include <string>

/// Owners of what libnats hands out.
namespace fermata::nats {

template <auto destroy>
struct Destroyer {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};

using Options = std::unique_ptr<natsOptions, Destroyer<natsOptions_Destroy>>;
using Connection = std::unique_ptr<natsConnection, Destroyer<natsConnection_Destroy>>;
using JetStream = std::unique_ptr<jsCtx, Destroyer<jsCtx_Destroy>>;
using Subscription = std::unique_ptr<natsSubscription, Destroyer<natsSubscription_Destroy>>;
using Message = std::unique_ptr<natsMsg, Destroyer<natsMsg_Destroy>>;
using StreamInfo = std::unique_ptr<jsStreamInfo, Destroyer<jsStreamInfo_Destroy>>;
using ConsumerInfo = std::unique_ptr<jsConsumerInfo, Destroyer<jsConsumerInfo_Destroy>>;
using AccountInfo = std::unique_ptr<jsAccountInfo, Destroyer<jsAccountInfo_Destroy>>;
using PublishAck = std::unique_ptr<jsPubAck, Destroyer<jsPubAck_Destroy>>;

/// What went wrong, with JetStream's own number where it gave one.
inline std::string text_of(natsStatus status, int jetstream_code = 0) {
  std::string text = natsStatus_GetText(status);
  if (jetstream_code != 0) text += " (JetStream error " + std::to_string(jetstream_code) + ")";
  return text;
}

constexpr int64_t nanoseconds_per_ms = 1'000'000;

}  // namespace fermata::nats
