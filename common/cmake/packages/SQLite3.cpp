// What the course uses of SQLite.
#include <sqlite3.h>

int run(const char* file) {
  sqlite3* database = nullptr;
  if (sqlite3_open_v2(file, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) !=
      SQLITE_OK)
    return sqlite3_extended_errcode(database);
  sqlite3_busy_timeout(database, 1000);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, "INSERT INTO text VALUES (?1) ON CONFLICT DO NOTHING RETURNING 1",
                     -1, &statement, nullptr);
  sqlite3_bind_blob64(statement, 1, "x", 1, SQLITE_TRANSIENT);
  const int step = sqlite3_step(statement);
  sqlite3_finalize(statement);
  sqlite3_close_v2(database);
  return step;
}
