// Functions that submit work and do not wait for it, for the test extensions of all binding
// libraries.
#pragma once

#include <Python.h>

#include <numeric>
#include <utility>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>

#include "support/gate.hpp"
#include "usmx/array/in.hpp"
#include "usmx/array/submit.hpp"

namespace test_extension {

/// Releases the interpreter lock: what submits may wait.
class unlocked {
 public:
  unlocked() : thread_(PyEval_SaveThread()) {}
  unlocked(const unlocked&) = delete;
  unlocked& operator=(const unlocked&) = delete;
  ~unlocked() { PyEval_RestoreThread(thread_); }

 private:
  PyThreadState* thread_;
};

using read_doubles = usmx::read<double, 1, usmx::c_contig>;
using written_doubles = usmx::write<double, 1, usmx::c_contig>;

inline std::size_t nbytes_but_one(std::ptrdiff_t count) {
  return sizeof(double) * static_cast<std::size_t>(count - 1);
}

/// y[1:] = x[:-1], for two arrays of one size.
inline sycl::event shift(const read_doubles& x, const written_doubles& y) {
  const unlocked other_threads_run;
  return usmx::submit(y.queue(), {x}, {y}, [&](sycl::handler& command) {
    command.memcpy(y.data() + 1, x.data(), nbytes_but_one(x.size()));
  });
}

/// Shifts as a library does that takes and gives events.
inline sycl::event shift_by_events(const read_doubles& x, const written_doubles& y) {
  const unlocked other_threads_run;
  sycl::queue queue = y.queue();
  const sycl::event done = queue.memcpy(y.data() + 1, x.data(), nbytes_but_one(x.size()),
                                        usmx::pending_events({x}, {y}));
  x.record(done);
  y.record(done);
  return done;
}

/// Shifts into a new array.
inline usmx::array shifted(const read_doubles& x) {
  const auto y = [&] {
    const unlocked other_threads_run;
    return written_doubles(usmx::empty({x.size()}, usmx::float64, x.queue()));
  }();
  shift(x, y);
  return y.array();
}

inline double sum_on_host(const usmx::host<const double, 1>& x) {
  const auto elements = x.view();
  return std::accumulate(elements.begin(), elements.end(), 0.0);
}

/// Whether there is work on an array when a function begins, by what its parameter says.
template <class Parameter>
bool is_busy(const Parameter& x) {
  return x.array().may_be_busy();
}
inline bool is_busy_array(const usmx::array& x) { return x.may_be_busy(); }

/// Work that finishes when Python says so.
class gate {
 public:
  explicit gate(const usmx::array& x) : gate_(x.memory().context()) {}
  sycl::event event() const { return gate_.event(); }
  void open() { gate_.open(); }

 private:
  support::gate gate_;
};

template <class Arg, class Module>
void bind_chained_functions(Module& m) {
  namespace up = usmx::python;
  up::def(m, "shift", &shift, Arg("x"), Arg("y"));
  up::def(m, "shift_by_events", &shift_by_events, Arg("x"), Arg("y"));
  up::def(m, "shifted", &shifted, Arg("x"));
  up::def(m, "sum_on_host", &sum_on_host, Arg("x"));
  up::def(m, "is_busy_when_read", &is_busy<read_doubles>, Arg("x"));
  up::def(m, "is_busy_when_written", &is_busy<written_doubles>, Arg("x"));
  up::def(m, "is_busy_when_unordered", &is_busy<usmx::unordered<const double, 1>>, Arg("x"));
  up::def(m, "is_busy_when_in", &is_busy<usmx::in<const double, 1>>, Arg("x"));
  m.def("is_busy_array", &is_busy_array, Arg("x"));
  m.def("ended", [](const read_doubles&, int) {}, Arg("x"), Arg("k"));
  usmx::python::end_overloads(m, "ended");
  m.def("listed", [](const read_doubles&, int) {}, Arg("x"), Arg("k"));
  m.def("are_busy", [](const std::vector<read_doubles>& xs) {
    std::vector<bool> busy;
    for (const auto& x : xs) busy.push_back(is_busy(x));
    return busy;
  });
  m.def("are_busy_arrays", [](const std::vector<usmx::array>& xs) {
    std::vector<bool> busy;
    for (const auto& x : xs) busy.push_back(is_busy_array(x));
    return busy;
  });
}

}  // namespace test_extension
