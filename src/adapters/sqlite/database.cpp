#include "adapters/sqlite/database.h"

#include "adapters/sqlite/file_layer.h"

#include "base/check.h"

namespace fermata::sqlite {
namespace {

int flags_of(Database::Mode mode) {
  int common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  switch (mode) {
    case Database::Mode::read:
    case Database::Mode::frozen: return common | SQLITE_OPEN_READONLY;
    case Database::Mode::write: return common | SQLITE_OPEN_READWRITE;
    case Database::Mode::create: break;
  }
  return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

}  // namespace

ErrorCode error_code_of(int result) {
  if (result == SQLITE_IOERR_DATA) return ErrorCode::data_damaged;
  switch (result & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorCode::data_damaged;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::store_unavailable;
    default: return ErrorCode::io_failed;
  }
}

std::string_view cause_of(int result) {
  switch (result) {
    case SQLITE_READONLY_DIRECTORY:
    case SQLITE_CANTOPEN_DIRTYWAL: return "its directory cannot be written";
    case SQLITE_IOERR_NOMEM: return "memory is short";
    case SQLITE_IOERR_SHMSIZE: return "the disk is full";
    case SQLITE_IOERR_DATA: return "stored data is damaged";
    default: break;
  }
  switch (result & 0xff) {
    case SQLITE_FULL: return "the disk is full";
    case SQLITE_READONLY:
    case SQLITE_PERM: return "it is read-only";
    case SQLITE_CANTOPEN: return "a file cannot be opened";
    case SQLITE_IOERR: return "the disk failed";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return "stored data is damaged";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another process holds it";
    case SQLITE_NOMEM: return "memory is short";
    case SQLITE_CONSTRAINT: return "a rule of the database forbids it";
    case SQLITE_TOOBIG: return "it is too large";
    default: return "SQLite refused";
  }
}

Outcome<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file, Mode mode) {
  // Without its statistics SQLite allocates without a lock that all connections share.
  static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)configured;
  std::unique_ptr<Database> database(new Database(file));
  std::string uri = file_uri(file, mode == Mode::frozen ? "?immutable=1" : "");
  int result = sqlite3_open_v2(uri.c_str(), &database->handle_, flags_of(mode), file_layer());
  if (result != SQLITE_OK) return database->failure("opening it");
  sqlite3_extended_result_codes(database->handle_, 1);
  // Writers are kept apart by a mutex of the store; this covers a backup or a verification that
  // recovers the log at the same moment.
  sqlite3_busy_timeout(database->handle_, 5000);
  // SQLite is content with reading when a file is protected; a store that cannot be written is not.
  bool to_write = mode == Mode::write || mode == Mode::create;
  if (to_write && sqlite3_db_readonly(database->handle_, "main") == 1) {
    return fail(ErrorCode::io_failed,
                file.string() + ": it is read-only while opening it to write");
  }
  return database;
}

Database::~Database() {
  // Statements are owned by what owns the connection and are gone by now; v2 forgives any other.
  sqlite3_close_v2(handle_);
}

Outcome<void> Database::run(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure(sql);
  return {};
}

Outcome<int64_t> Database::number(const char* sql) {
  Statement statement(*this, sql);
  Rows rows = statement.query();
  int64_t value = rows.next() ? rows.integer(0) : 0;
  if (rows.failed()) return failure(sql);
  return value;
}

Failure<Error> Database::failure(std::string_view doing) const {
  int result = sqlite3_extended_errcode(handle_);
  std::string cause(cause_of(result));
  if (result == SQLITE_IOERR_DATA) {
    cause = "page " + std::to_string(damaged_page(handle_)) + " fails its checksum";
  }
  std::string message = file_.string() + ": " + cause + " (SQLite " + std::to_string(result) +
                        ", " + sqlite3_errmsg(handle_) + ") while " + std::string(doing);
  return fail(error_code_of(result), std::move(message));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::prepare() {
  ready_ = true;
  if (handle_ != nullptr) return;
  ready_ = sqlite3_prepare_v3(database_.handle(), sql_, -1, SQLITE_PREPARE_PERSISTENT, &handle_,
                              nullptr) == SQLITE_OK;
}

void Statement::bind(int index, int64_t value) {
  if (ready_) ready_ = sqlite3_bind_int64(handle_, index, value) == SQLITE_OK;
}

void Statement::bind(int index, std::string_view text) {
  if (!ready_) return;
  // A null pointer would bind NULL instead of an empty text.
  const char* data = text.empty() ? "" : text.data();
  ready_ = sqlite3_bind_text64(handle_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8) ==
           SQLITE_OK;
}

void Statement::bind(int index, Blob blob) {
  if (!ready_) return;
  const char* data = blob.bytes.empty() ? "" : blob.bytes.data();
  ready_ = sqlite3_bind_blob64(handle_, index, data, blob.bytes.size(), SQLITE_STATIC) == SQLITE_OK;
}

void Statement::bind(int index, std::nullopt_t) {
  if (ready_) ready_ = sqlite3_bind_null(handle_, index) == SQLITE_OK;
}

Rows::~Rows() {
  if (statement_->handle_ != nullptr) sqlite3_reset(statement_->handle_);
}

bool Rows::next() {
  check(!failed_);
  if (!statement_->ready_) {
    failed_ = true;
    return false;
  }
  int result = sqlite3_step(statement_->handle_);
  if (result == SQLITE_ROW) return true;
  failed_ = result != SQLITE_DONE;
  return false;
}

int64_t Rows::integer(int column) const {
  return sqlite3_column_int64(statement_->handle_, column);
}

std::string_view Rows::text(int column) const { return blob(column); }

std::string_view Rows::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_->handle_, column);
  int size = sqlite3_column_bytes(statement_->handle_, column);
  return {static_cast<const char*>(data), static_cast<size_t>(size)};
}

}  // namespace fermata::sqlite
