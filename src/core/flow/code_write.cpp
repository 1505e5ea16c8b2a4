#include "base/bytes.h"
#include "core/flow/code.h"
#include "core/flow/code_bytes.h"
#include "core/flow/code_form.h"
#include "core/flow/library.h"

namespace fermata::flow {

namespace {

class CodeWriter {
 public:
  std::string program(const Expression::Program& given) {
    out_.u8(given.rhythm ? 1 : 0);
    out_.varint(given.constants.size());
    for (const Value& constant : given.constants) out_.value(constant);
    out_.varint(given.roots.size());
    for (const std::string& root : given.roots) out_.text(root);
    out_.varint(given.paths.size());
    for (const PathSpan& path : given.paths) {
      out_.varint(path.whole.begin);
      out_.varint(path.whole.end);
      out_.varint(path.part_end);
    }
    out_.varint(given.functions.size());
    for (const auto& function : given.functions) write(*function);
    return out_.take();
  }

 private:
  void write(const Function& function) {
    out_.varint(function.around == nullptr ? 0 : function.around->index + 1);
    out_.text(function.name);
    out_.varint(function.parameters);
    out_.u8(static_cast<uint8_t>((function.has_rest ? code_form::has_rest : 0) |
                                 (function.is_async ? code_form::is_async : 0)));
    out_.varint(function.slots);
    out_.varint(function.captures.size());
    for (const Function::Capture& capture : function.captures) {
      out_.u8(capture.from_slot ? 1 : 0);
      out_.varint(capture.index);
      out_.text(capture.name);
    }
    code(function);
    notes(function);
  }

  /// Each instruction with how far on in the source it stands than the one before it.
  void code(const Function& function) {
    out_.varint(function.code.size());
    int64_t last = 0;
    for (size_t i = 0; i < function.code.size(); ++i) {
      const Instruction& in = function.code[i];
      out_.u8(static_cast<uint8_t>(in.op));
      out_.u8(in.b);
      out_.varint(in.c);
      out_.varint(in.a);
      // Nobody is ever told where in the library something stands.
      if (function.library) continue;
      out_.zigzag(int64_t{function.offsets[i]} - last);
      last = function.offsets[i];
    }
  }

  void notes(const Function& function) {
    out_.varint(function.locals.size());
    for (const Function::Local& local : function.locals) {
      out_.text(local.name);
      out_.varint(local.slot);
      out_.varint(local.from);
      out_.varint(local.to);
      out_.u8(local.cell ? 1 : 0);
    }
    out_.varint(function.points.size());
    for (const Function::Point& point : function.points) {
      out_.varint(point.next);
      out_.varint(function.library ? 0 : point.span.begin);
      out_.varint(function.library ? 0 : point.span.end);
      out_.u8(point.awaits ? 1 : 0);
    }
  }

  ByteWriter out_;
};

}  // namespace

const std::string& prelude_bytes() {
  static const std::string bytes = CodeWriter().program(*prelude_program());
  return bytes;
}

std::string encode_code(const Expression& script) {
  const Expression::Program& program = script.program();
  ByteWriter out;
  out.raw(code_form::mark);
  out.u8(code_form::format_version);
  out.varint(program.code_version);
  out.varint(program.library_size);
  out.text(CodeWriter().program(program));
  out.text(program.prelude == prelude_program() ? prelude_bytes()
                                                : CodeWriter().program(*program.prelude));
  uint32_t sum = crc32c(out.bytes());
  for (size_t i = 0; i < code_form::checksum_bytes; ++i) {
    out.u8(static_cast<uint8_t>(sum >> (8 * i) & 0xff));
  }
  return out.take();
}

}  // namespace fermata::flow
