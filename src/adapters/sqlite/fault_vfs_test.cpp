#include "adapters/sqlite/fault_vfs.h"

#include <sqlite3.h>

#include <mutex>
#include <new>
#include <string>

#include "base/check.h"

namespace fermata::sqlite {
namespace {

std::mutex fault_mutex;
Fault fault;
int calls = 0;

/// The result of the next call that changes a file of this name.
int next_result(const std::string& name) {
  std::lock_guard lock(fault_mutex);
  if (!name.ends_with(fault.suffix)) return SQLITE_OK;
  ++calls;
  bool fails = fault.at != 0 && (calls == fault.at || (fault.stays && calls > fault.at));
  return fails ? fault.result : SQLITE_OK;
}

sqlite3_vfs* real_vfs() {
  static sqlite3_vfs* vfs = sqlite3_vfs_find("unix");
  return vfs;
}

/// Begins with what SQLite knows of a file; the real file lies behind it.
struct FaultFile {
  sqlite3_file base;
  std::string* name;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

FaultFile* mine(sqlite3_file* file) { return reinterpret_cast<FaultFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return mine(file)->real(); }

int close_file(sqlite3_file* file) {
  int result = real(file)->pMethods->xClose(real(file));
  delete mine(file)->name;
  return result;
}
int read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  return real(f)->pMethods->xRead(real(f), to, size, at);
}
int write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  int failure = next_result(*mine(f)->name);
  int written = failure == SQLITE_OK ? size : size / 2;
  int result = real(f)->pMethods->xWrite(real(f), from, written, at);
  return failure == SQLITE_OK ? result : failure;
}
int truncate(sqlite3_file* f, sqlite3_int64 size) {
  int failure = next_result(*mine(f)->name);
  return failure == SQLITE_OK ? real(f)->pMethods->xTruncate(real(f), size) : failure;
}
int sync(sqlite3_file* f, int flags) {
  int failure = next_result(*mine(f)->name);
  // A disk is full when it is written, not when it is synchronised.
  if (failure == SQLITE_FULL) failure = SQLITE_OK;
  return failure == SQLITE_OK ? real(f)->pMethods->xSync(real(f), flags) : failure;
}
int file_size(sqlite3_file* f, sqlite3_int64* size) {
  return real(f)->pMethods->xFileSize(real(f), size);
}
int lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
int unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
int check_reserved(sqlite3_file* f, int* out) {
  return real(f)->pMethods->xCheckReservedLock(real(f), out);
}
int control(sqlite3_file* f, int op, void* arg) {
  return real(f)->pMethods->xFileControl(real(f), op, arg);
}
int sector_size(sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); }
int characteristics(sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
int shm_map(sqlite3_file* f, int region, int size, int extend, void volatile** out) {
  return real(f)->pMethods->xShmMap(real(f), region, size, extend, out);
}
int shm_lock(sqlite3_file* f, int offset, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
void shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
int shm_unmap(sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }

const sqlite3_io_methods methods = {2,
                                    close_file,
                                    read,
                                    write,
                                    truncate,
                                    sync,
                                    file_size,
                                    lock,
                                    unlock,
                                    check_reserved,
                                    control,
                                    sector_size,
                                    characteristics,
                                    shm_map,
                                    shm_lock,
                                    shm_barrier,
                                    shm_unmap,
                                    nullptr,
                                    nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  auto* opened = new (file) FaultFile{};
  int result = real_vfs()->xOpen(real_vfs(), name, opened->real(), flags, flags_out);
  if (result != SQLITE_OK) return result;
  opened->name = new std::string(name == nullptr ? "" : name);
  opened->base.pMethods = &methods;
  return SQLITE_OK;
}

}  // namespace

void use_faulty_disk() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs copy = *real_vfs();
    copy.zName = "faulty";
    copy.pNext = nullptr;
    copy.szOsFile = static_cast<int>(sizeof(FaultFile)) + real_vfs()->szOsFile;
    copy.xOpen = open_file;
    return copy;
  }();
  check(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}

void set_fault(Fault next) {
  std::lock_guard lock(fault_mutex);
  fault = next;
  calls = 0;
}

int fault_calls() {
  std::lock_guard lock(fault_mutex);
  return calls;
}

}  // namespace fermata::sqlite
