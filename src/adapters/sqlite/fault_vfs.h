#pragma once
#include <string_view>

namespace fermata::sqlite {

/// What goes wrong with the disk under the databases of this process, for tests.
struct Fault {
  /// The n-th call that changes a file fails; 0 for none.
  int at = 0;
  /// Later ones fail too until the fault is lifted.
  bool stays = false;
  /// SQLITE_FULL or SQLITE_IOERR; a failing write leaves half of its bytes.
  int result = 0;
  /// Only files whose names end so.
  std::string_view suffix = "";
};

/// From now on databases are opened on a disk that can fail; it works until `set_fault`.
void use_faulty_disk();
void set_fault(Fault fault);
/// Calls that would have counted since the last `set_fault`.
int fault_calls();

}  // namespace fermata::sqlite
