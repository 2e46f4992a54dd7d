// The lines of a memory log, as a test wants them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace support {

/// The line as it is, and what lies between its commas.
struct memory_log_line {
  std::string text;
  std::vector<std::string> fields;

  const std::string& time() const { return fields[0]; }
  const std::string& thread() const { return fields[1]; }
  const std::string& action() const { return fields[2]; }
  const std::string& source() const { return fields[3]; }
  const std::string& kind() const { return fields[4]; }
  std::size_t nbytes() const { return std::stoull(fields[5]); }
  const std::string& address() const { return fields[6]; }
  const std::string& device() const { return fields[7]; }
};

/// Without the first one, which says what is in the others.
inline std::vector<memory_log_line> memory_log_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(text, "time,thread,action,source,kind,nbytes,address,device");
  std::vector<memory_log_line> lines;
  while (std::getline(file, text)) {
    memory_log_line line{text, {}};
    std::istringstream rest(text + ",");
    for (std::string field; std::getline(rest, field, ',');) {
      line.fields.push_back(field);
    }
    EXPECT_EQ(line.fields.size(), 8U) << text;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace support
