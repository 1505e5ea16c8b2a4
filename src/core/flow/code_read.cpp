#include "base/bytes.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "core/flow/code.h"
#include "core/flow/code_bytes.h"
#include "core/flow/code_form.h"
#include "core/flow/library.h"

namespace fermata::flow {

namespace {

using Program = Expression::Program;

Failure<CodeError> damaged(std::string why) {
  return {{false, "the stored code cannot be read: " + std::move(why)}};
}

/// Reads what CodeWriter wrote. Believes nothing: what it gives is held to the same rules as what
/// the compiler makes, and where the compiler needs none, to those of this file.
class CodeReader {
 public:
  CodeReader(std::string_view bytes, Program& program, bool library)
      : in_(bytes), program_(program), library_(library) {}

  bool run() {
    program_.rhythm = in_.u8() == 1;
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) program_.constants.push_back(in_.value());
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) root();
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) path();
    size_t functions = in_.count();
    if (functions > in_.remaining() / function_bytes_min) return false;
    // All of them stand before their code is read, which may name any.
    for (size_t i = 0; i < functions; ++i) {
      program_.functions.push_back(std::make_unique<Function>());
      program_.functions.back()->program = &program_;
      program_.functions.back()->index = static_cast<uint32_t>(i);
      program_.functions.back()->library = library_;
    }
    for (size_t i = 0; i < functions && in_.ok(); ++i) read(*program_.functions[i]);
    if (!in_.done() || functions == 0) return false;
    return program_.functions[0]->captures.empty() && make_ready(program_);
  }

 private:
  /// What the smallest takes: its heading, and two instructions to give null.
  static constexpr size_t function_bytes_min = 16;

  uint32_t number() {
    uint64_t wide = in_.varint();
    if (wide > UINT32_MAX) in_.fail();
    return static_cast<uint32_t>(wide);
  }
  std::string text() {
    std::string_view content = in_.text();
    if (!is_utf8(content)) in_.fail();
    return std::string(content);
  }
  /// A place in the source; the library's is not stored.
  uint32_t offset() {
    uint32_t at = number();
    if (at > program_.text.size()) in_.fail();
    return in_.ok() ? at : 0;
  }
  int64_t offset_behind(int64_t last, int64_t by) {
    auto size = static_cast<int64_t>(program_.text.size());
    if (by < -last || by > size - last) in_.fail();
    return in_.ok() ? last + by : 0;
  }

  /// What is always given to a script.
  void root() {
    std::string name = text();
    if (library_ || (name != "Inputs" && name != "Context")) return in_.fail();
    program_.roots.push_back(std::move(name));
  }

  /// Where a reference to one of them stands.
  void path() {
    PathSpan& path = program_.paths.emplace_back();
    path.whole.begin = offset();
    path.whole.end = offset();
    path.part_end = offset();
    if (path.whole.begin > path.part_end || path.part_end > path.whole.end) in_.fail();
  }

  void read(Function& function) {
    uint32_t around = number();
    if (around > function.index) return in_.fail();
    if (around > 0) function.around = program_.functions[around - 1].get();
    function.name = text();
    function.parameters = number();
    uint8_t flags = in_.u8();
    function.has_rest = (flags & code_form::has_rest) != 0;
    function.is_async = (flags & code_form::is_async) != 0;
    function.slots = number();
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      Function::Capture& capture = function.captures.emplace_back();
      capture.from_slot = in_.u8() == 1;
      capture.index = number();
      capture.name = text();
    }
    code(function);
    notes(function);
  }

  void code(Function& function) {
    size_t count = in_.count();
    function.code.reserve(count);
    function.offsets.reserve(count);
    int64_t at = 0;
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      Instruction in{};
      in.op = static_cast<Opcode>(in_.u8());
      in.b = in_.u8();
      uint32_t c = number();
      if (c > UINT16_MAX) in_.fail();
      in.c = static_cast<uint16_t>(c);
      in.a = number();
      function.code.push_back(in);
      if (!library_) at = offset_behind(at, in_.zigzag());
      function.offsets.push_back(static_cast<uint32_t>(at));
    }
  }

  void notes(Function& function) {
    auto size = static_cast<uint32_t>(function.code.size());
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      Function::Local& local = function.locals.emplace_back();
      local.name = text();
      local.slot = number();
      local.from = number();
      local.to = number();
      local.cell = in_.u8() == 1;
      if (local.slot >= function.slots || local.from > local.to || local.to > size) in_.fail();
    }
    for (size_t n = in_.count(); n > 0 && in_.ok(); --n) {
      Function::Point& point = function.points.emplace_back();
      point.next = number();
      point.span.begin = offset();
      point.span.end = offset();
      point.awaits = in_.u8() == 1;
      bool inside = point.next > 0 && point.next <= size && point.span.begin <= point.span.end;
      if (!inside) in_.fail();
    }
  }

  ByteReader in_;
  Program& program_;
  const bool library_;
};

/// The library as it was when the code was made. Most often that is the one of today.
std::shared_ptr<const Program> read_library(std::string_view bytes, uint32_t library_size) {
  auto made = std::make_shared<Program>();
  made->grammar = Grammar::fragment;
  made->library_size = library_size;
  if (!CodeReader(bytes, *made, true).run() || !name_scripted(*made)) return nullptr;
  return made;
}

}  // namespace

Result<Expression, CodeError> decode_code(std::string_view bytes, std::string_view source) {
  if (bytes.size() < code_form::mark.size() + code_form::checksum_bytes) {
    return damaged("it is too short");
  }
  std::string_view content = bytes.substr(0, bytes.size() - code_form::checksum_bytes);
  uint32_t sum = 0;
  for (size_t i = 0; i < code_form::checksum_bytes; ++i) {
    sum |= uint32_t{static_cast<unsigned char>(bytes[content.size() + i])} << (8 * i);
  }
  if (sum != crc32c(content)) return damaged("its checksum is wrong");
  ByteReader in(content);
  for (char c : code_form::mark) {
    if (in.u8() != static_cast<uint8_t>(c)) return damaged("it is none");
  }
  uint8_t format = in.u8();
  uint64_t code_version = format > code_form::format_version ? 0 : in.varint();
  if (format > code_form::format_version || code_version > current_code_version) {
    return Failure{CodeError{true, "the stored code is of a later release"}};
  }
  uint64_t library_size = in.varint();
  bool known = code_version > 0 && library_size <= builtins_count();
  std::string_view functions = in.text();
  std::string_view library = in.text();
  if (!known || !in.done()) return damaged("its header is wrong");

  auto program = std::make_shared<Program>();
  program->text = source;
  program->grammar = Grammar::script;
  program->code_version = static_cast<uint32_t>(code_version);
  program->library_size = static_cast<uint32_t>(library_size);
  auto hash = sha256(program->text);
  program->hash.assign(hash.begin(), hash.end());
  bool of_today = library_size == builtins_count() && library == prelude_bytes();
  program->prelude = of_today ? prelude_program() : read_library(library, program->library_size);
  if (program->prelude == nullptr) return damaged("its library is not sound");
  if (!CodeReader(functions, *program, false).run()) return damaged("it is not sound");
  return Expression(std::move(program));
}

}  // namespace fermata::flow
