// That something fails, with the right error and with the values that people need in its message.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <source_location>
#include <string>
#include <typeinfo>

#include "usmx/base/error.hpp"

namespace support {

/// Expects `action` to throw exactly Error, whose message holds every one of `parts`.
template <class Error, class Action>
void expect_error(Action&& action, std::initializer_list<std::string> parts = {},
                  std::source_location where = std::source_location::current()) {
  const char* file = where.file_name();
  const int line = static_cast<int>(where.line());
  try {
    action();
    ADD_FAILURE_AT(file, line) << "expected an exception, found none";
  } catch (const std::exception& found) {
    if (typeid(found) != typeid(Error)) {
      ADD_FAILURE_AT(file, line) << "expected " << typeid(Error).name() << ", found "
                                 << typeid(found).name() << ": " << found.what();
      return;
    }
    const std::string message = found.what();
    for (const std::string& part : parts) {
      if (message.find(part) == std::string::npos) {
        ADD_FAILURE_AT(file, line) << "expected '" << part << "' in the message: " << message;
      }
    }
  }
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected '" << part << "' in: " << text;
}

/// The message of the Error that `action` throws; empty when it throws none.
template <class Error, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// As error messages print a value.
template <class Value>
std::string text(const Value& value) {
  return usmx::detail::message(value);
}

}  // namespace support
