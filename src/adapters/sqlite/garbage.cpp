#include "adapters/sqlite/garbage.h"

namespace fermata::sqlite {

Outcome<Retention::Sweep> Garbage::sweep(size_t limit) {
  Retention::Sweep sweep;
  while (sweep.removed < limit) {
    uint64_t number = 0;
    uint64_t head = 0;
    {
      Rows rows = first_.query();
      if (!rows.next()) {
        if (rows.failed()) return database_.failure("looking for histories to be removed");
        return sweep;
      }
      number = rows.natural(0);
      head = rows.natural(1);
    }
    while (head != 0 && sweep.removed < limit) {
      uint64_t prev = 0;
      {
        Rows rows = link_.query(head);
        // A link that is missing ends the chain: what was before it cannot be found this way.
        if (rows.next()) prev = rows.natural(0);
        if (rows.failed()) return database_.failure("reading a history to be removed");
      }
      if (!drop_link_.execute(head)) return database_.failure("removing history");
      head = prev < head ? prev : 0;
      ++sweep.removed;
    }
    bool noted = head == 0 ? drop_.execute(number) : shorten_.execute(head, number);
    if (!noted) return database_.failure("removing history");
  }
  sweep.more = true;
  return sweep;
}

}  // namespace fermata::sqlite
