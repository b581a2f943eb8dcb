// A result row as a table for people, and the lines that it is made of.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ouro::runner {

// What every table has, and in it what `print` prints of this row alone.
void print_table(const nlohmann::json& row, void (*print)(const nlohmann::json& row));

// One line; `more` is in a third column.
void line(const char* name, const std::string& value, const std::string& more = "");

// Values in a table. "-" where a row has null; an average of nothing is "-", too.
std::string count(const nlohmann::json& number);
std::string milliseconds(const nlohmann::json& ns);
std::string nanoseconds(const nlohmann::json& ns);
std::string per_cent(const nlohmann::json& part);
std::string mebibytes(const nlohmann::json& bytes);
std::string per_object(const nlohmann::json& ns, const nlohmann::json& objects);

// Several lines: of percentiles with their keys in rows, each in the unit that suits it;
void print_percentiles(const char* name, const nlohmann::json& percentiles);
// of the processors' time for the run;
void print_run_cpu(const nlohmann::json& row);
// of the collections by generation, and what came of the candidates;
void print_cycles(const nlohmann::json& row);
// of the garbage that waited;
void print_backlog(const nlohmann::json& row);
// of collections with everything alive, and of one with everything dropped.
void print_collections(const nlohmann::json& row);

}  // namespace ouro::runner
