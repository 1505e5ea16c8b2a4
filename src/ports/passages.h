#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fermata {

/// A way for bytes there and back between two processes that meet only in the store (C-2). Bytes
/// arrive in order and once, or the passage is over. Safe from any thread. Letting go of it breaks
/// it off.
class Passage {
 public:
  virtual ~Passage() = default;
  /// Sent as the other side makes room; until then it is kept here.
  virtual void say(std::string_view bytes) = 0;
  /// How much more may be said before it has to be kept here.
  virtual size_t room() const = 0;
  /// So many bytes that were heard are done with: the other side may say as many again.
  virtual void took(size_t bytes) = 0;
  /// Says what is still kept here, and that this was all. Nothing is heard any more.
  virtual void finish() = 0;
  /// Of one that another has begun: nothing of it was made use of, and it may be begun elsewhere.
  virtual void refuse() = 0;
};

enum class PassageEnd : uint8_t {
  finished,  ///< the other side has said all
  broken,    ///< the other side is gone, or bytes were lost
  refused,   ///< nobody took it: nothing of it was heard there
};

/// Who hears what comes over a passage. Called on one thread of the adapter, one call at a time;
/// must not block. Calls back into the passage are allowed.
class PassageEar {
 public:
  virtual ~PassageEar() = default;
  virtual void heard(std::string bytes) = 0;
  /// There is room again after there was none.
  virtual void may_say() = 0;
  /// The last call.
  virtual void over(PassageEnd end) = 0;
};

/// Passages of one process: to the one that leads while another does, from the others while it
/// leads itself.
class Passages {
 public:
  virtual ~Passages() = default;
  /// A passage to the process that leads. `opening` says to it what this is. Fails with
  /// store_unavailable when nobody takes it, with queue_full when there are too many.
  virtual Outcome<std::shared_ptr<Passage>> call(std::string_view opening,
                                                 std::shared_ptr<PassageEar> ear) = 0;
  /// While this process leads: asked who hears a passage that another has begun; nobody refuses it.
  using Taker = std::function<std::shared_ptr<PassageEar>(std::string_view opening,
                                                          std::shared_ptr<Passage> passage)>;
  virtual void take_calls(Taker taker) = 0;
  /// Breaks off all of them and takes no more; waits until the taker is left alone.
  virtual void stop() = 0;

  struct Counts {
    size_t open = 0;
    uint64_t calls = 0;    ///< begun, from either side
    uint64_t refused = 0;  ///< for want of room or of somebody who takes them
    uint64_t broken = 0;   ///< over without having been finished
    uint64_t bytes = 0;    ///< said and heard
  };
  virtual Counts counts() const = 0;
};

}  // namespace fermata
