// SQLite with C++'s ways: statements that finish themselves, errors as exceptions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace gridstride {

/// What SQLite says, with the file's name.
class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One prepared statement. Parameters are bound in their order, columns read in theirs.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);

  Statement& bind(std::int64_t value);
  Statement& bind(int value) { return bind(std::int64_t{value}); }
  Statement& bind(double value);
  Statement& bind(std::string_view text);
  Statement& bind_bytes(std::string_view bytes);
  Statement& bind_null();

  /// The next row; false behind the last one.
  bool step();
  /// A statement that returns no row.
  void run();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  struct Finish {
    void operator()(sqlite3_stmt* statement) const;
  };
  [[noreturn]] void fail() const;
  void check(int code) const;

  std::unique_ptr<sqlite3_stmt, Finish> statement_;
  int bound_ = 0;
};

/// One connection. A process has one for each thread that uses the file.
class Database {
 public:
  /// Opens the file, or makes it. Writers wait for each other for a minute. Throws DatabaseError.
  explicit Database(const std::filesystem::path& file);

  Statement prepare(std::string_view sql);
  /// Several statements without parameters.
  void execute(const std::string& sql);
  /// All of `work` or nothing of it, whatever stops the process. Others write before or after it.
  void transaction(const std::function<void()>& work);
  std::int64_t last_row() const;
  /// Rows that the last statement changed.
  int changes() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace gridstride
