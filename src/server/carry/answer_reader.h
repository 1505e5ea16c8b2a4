#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"

namespace fermata::server {

/// Reads the one answer that another server of ours has written for a request, in pieces of any
/// size: by length, in chunks, or to the end. Headers of the way (Connection, Date, those of
/// framing) are left out, as the server that answers the client writes its own.
class AnswerReader {
 public:
  /// `bodiless`: the request was a HEAD.
  explicit AnswerReader(bool bodiless) : bodiless_(bodiless) {}

  /// False when it is no answer of ours; then nothing more should be fed.
  bool feed(std::string_view bytes);
  /// No more will come. False when that is too early.
  bool finish();

  bool has_head() const { return state_ != State::head; }
  bool streams() const { return streams_; }  ///< in chunks: it may stay open for long
  bool complete() const { return state_ == State::done; }
  /// What has come of the body since it was last asked for.
  std::string take_body();
  /// Head of the answer; its strings live as long as a copy of it.
  const http::Response& head() const { return head_; }

 private:
  enum class State : uint8_t {
    head,
    sized,
    until_end,
    chunk_size,
    chunk_data,
    chunk_end,
    last,
    done
  };
  struct Kept {
    std::string content_type;
    std::vector<std::string> names;
  };
  bool read_head();
  bool read_field(std::string_view line, Kept& kept);
  bool step();
  bool read_line(std::string& line);

  const bool bodiless_;
  State state_ = State::head;
  std::string input_;
  std::string body_;
  size_t left_ = 0;  ///< of the body or the chunk
  bool sized_ = false;
  bool streams_ = false;
  http::Response head_;
};

}  // namespace fermata::server
