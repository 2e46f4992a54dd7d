// A small program for tests to start in environments of their choice: see child_process.hpp. It
// says what it sees on the standard output; exit code 0 means that it came to its end.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/usm.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "copy/copy.hpp"
#include "memory/registry.hpp"
#include "runtime/queues.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/exchange/dlpack.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

void print_devices() {
  for (const sycl::device& device : usmx::get_devices()) {
    std::cout << usmx::describe(device) << "\n";
  }
}

void print_variable(const char* name) {
  const char* value = std::getenv(name);
  value == nullptr ? std::cout << "is not set" : std::cout << "='" << value << "'";
}

template <class Call>
void print_device_error(Call call) {
  try {
    call();
  } catch (const usmx::device_error& error) {
    std::cout << error.what() << "\n";
  }
}

constexpr std::size_t work_nbytes = 32 << 20;
constexpr int work_rounds = 30;
// Ordinary memory, which outlives the runtime.
unsigned char* const work_result = new unsigned char[work_nbytes]();

void print_whether_work_finished() {
  const bool finished = work_result[work_nbytes - 1] == work_rounds;
  std::cout << (finished ? "finished" : "unfinished") << std::endl;
}

// Enough work to be under way when main returns: nobody waits for it, nobody frees its memory. The
// handler comes first in order to run last, after the library's own.
void submit_work() {
  std::atexit(print_whether_work_finished);
  sycl::queue queue = usmx::default_queue();
  auto* memory = sycl::malloc_device<unsigned char>(work_nbytes, queue);
  sycl::event last;  // the queue is out of order
  for (int round = 1; round <= work_rounds; ++round) {
    last = queue.memset(memory, round, work_nbytes, last);
    last = queue.memcpy(work_result, memory, work_nbytes, last);
  }
  std::cout << "leaving main" << std::endl;
}

/// An array of memory with unfinished work, whose result is in `work_result`.
usmx::array array_with_work(const sycl::queue& queue) {
  const std::ptrdiff_t shape[] = {work_nbytes};
  usmx::array memory = usmx::empty(shape, usmx::type_code::uint8, queue);
  for (int round = 1; round <= work_rounds; ++round) {
    const auto value = static_cast<std::byte>(round);
    usmx::fill_async(memory, &value);
  }
  const std::ptrdiff_t stride[] = {1};
  auto* result = reinterpret_cast<std::byte*>(work_result);
  (void)usmx::copy_to_host_async(memory, {result, usmx::type_code::uint8, shape, stride}, nullptr);
  return memory;
}

// Submits work by usmx's functions to a queue that is not usmx's, and of which nothing is left in
// main.
void submit_work_to_a_queue_of_its_own(bool in_order) {
  std::atexit(print_whether_work_finished);
  const sycl::queue queue =
      in_order ? sycl::queue(usmx::default_device(), sycl::property::queue::in_order())
               : sycl::queue(usmx::default_device());
  array_with_work(queue);
  std::cout << "leaving main" << std::endl;
}

// Made before the first queue: let go after usmx's own handler has run, at the very end.
std::optional<usmx::array> kept_to_the_end;

// An array with unfinished work, which something lets go after main.
void leave_an_array(std::string_view to) {
  std::atexit(print_whether_work_finished);
  const auto let_go = [] { kept_to_the_end.reset(); };
  if (to == "early-handler") {
    std::atexit(let_go);
  }
  const sycl::queue queue = usmx::internal::default_queue();
  if (to == "late-static") {
    static const usmx::array kept = array_with_work(queue);
  } else {
    kept_to_the_end = array_with_work(queue);
  }
  if (to == "foreign-queue") {
    kept_to_the_end->view();  // from here on others may work on it
    kept_to_the_end = array_with_work(sycl::queue(usmx::default_device()));
    kept_to_the_end->view();
  }
  if (to == "late-handler") {
    std::atexit(let_go);
  }
  std::cout << "leaving main" << std::endl;
}

// Whether usmx expects others' work on its queues, before and after it hands one out.
void print_exposure(std::string_view by) {
  const sycl::device device = usmx::default_device();
  std::cout << usmx::internal::cached_queues_exposed();
  if (by == "default") {
    usmx::default_queue();
  } else if (by == "device") {
    usmx::cached_queue(device);
  } else if (by == "context") {
    usmx::cached_queue(usmx::default_context(device), device);
  }
  std::cout << usmx::internal::cached_queues_exposed();
}

// Threads that nobody joins are inside of usmx when main returns.
void leave_threads_at_work() {
  const sycl::queue queue = usmx::default_queue();
  for (int id = 0; id < 4; ++id) {
    std::thread([queue] {
      for (;;) {
        const std::ptrdiff_t shape[] = {1 << 16};
        usmx::zeros(shape, usmx::type_code::float64, queue, usmx::usm_kind::device).wait();
        usmx::synchronize();
      }
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// Layouts with gaps, in any order of dimensions and in both directions, of up to 20,000 elements,
/// or, now and then, of a few million.
class random_layouts {
 public:
  explicit random_layouts(unsigned seed) : random_(seed) {}

  std::ptrdiff_t number(std::ptrdiff_t from, std::ptrdiff_t to) {
    return std::uniform_int_distribution<std::ptrdiff_t>(from, to)(random_);
  }
  std::vector<std::ptrdiff_t> shape() {
    std::ptrdiff_t left = number(0, 20) == 0 ? 4'000'000 : 20'000;
    std::vector<std::ptrdiff_t> extents(static_cast<std::size_t>(number(1, 5)));
    for (std::ptrdiff_t& extent : extents) {
      extent = number(1, number(0, 1) == 0 ? left : std::min<std::ptrdiff_t>(left, 20));
      left /= extent;
    }
    std::ranges::shuffle(extents, random_);
    return extents;
  }
  usmx::layout layout(const std::vector<std::ptrdiff_t>& shape) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    number(0, 1) == 0 ? std::ranges::reverse(order) : std::ranges::shuffle(order, random_);
    std::vector<std::ptrdiff_t> strides(shape.size());
    std::ptrdiff_t span = number(0, 2) == 0 ? number(2, 3) : 1;
    std::ptrdiff_t offset = 0;
    for (const std::size_t k : order) {
      const bool backwards = number(0, 3) == 0;
      strides[k] = backwards ? -span : span;
      offset += backwards ? span * (shape[k] - 1) : 0;
      span *= shape[k];
      span += number(0, 1) * number(0, 3);
    }
    return usmx::layout::strided(shape, strides, offset);
  }

 private:
  std::mt19937 random_;
};

/// An array of a device, or one in ordinary memory.
class random_array {
 public:
  random_array(random_layouts& random, const std::vector<std::ptrdiff_t>& shape, usmx::dtype type,
               usmx::usm_kind kind, const sycl::queue& queue)
      : layout_(random.layout(shape)), type_(type), queue_(queue) {
    if (kind == usmx::usm_kind::unknown) {
      ordinary_.resize(static_cast<std::size_t>(layout_.span()->last + 1) * type.itemsize());
    } else {
      usm_ = usmx::empty(layout_, type, queue, kind);
    }
  }

  usmx::array_view view() {
    return usm_ ? usm_->view()
                : usmx::array_view(ordinary_.data(), type_, layout_, usmx::usm_kind::unknown,
                                   queue_, false);
  }

 private:
  usmx::layout layout_;
  usmx::dtype type_;
  sycl::queue queue_;
  std::optional<usmx::array> usm_;
  std::vector<std::byte> ordinary_;
};

/// Between ordinary memory and memory of a device of its own, as which each device counts here.
/// Says before each copy how many commands it may take; commands_test.cpp counts them.
void copy_in_random_layouts(unsigned seed) {
  using enum usmx::usm_kind;
  constexpr std::size_t piece_nbytes = std::size_t{4} << 20;
  constexpr std::array types{usmx::type_code::uint8, usmx::type_code::float32,
                             usmx::type_code::float64};
  constexpr std::array ways{std::pair(device, unknown), std::pair(unknown, device),
                            std::pair(device, device)};
  usmx::internal::count_all_devices_as_remote(true);
  const sycl::queue queue = usmx::default_queue();
  random_layouts random(seed);
  const auto any_type = [&] { return types[static_cast<std::size_t>(random.number(0, 2))]; };
  for (std::size_t round = 0; round < 150; ++round) {
    const auto [from, to] = ways[round % ways.size()];
    const auto shape = random.shape();
    const usmx::dtype type = any_type();
    random_array source(random, shape, type, from, queue);
    random_array destination(random, shape, random.number(0, 2) == 0 ? any_type() : type, to,
                             queue);
    const usmx::array_view source_view = source.view();
    const usmx::array_view destination_view = destination.view();
    const std::size_t nbytes =
        static_cast<std::size_t>(source_view.size()) * destination_view.type().itemsize();
    std::cout << "copy: " << 3 + nbytes / piece_nbytes * 2 << " commands at most from "
              << source_view.layout() << " to " << destination_view.layout() << ", "
              << source_view.type() << " to " << destination_view.type() << std::endl;
    usmx::internal::copy_elements(source_view, destination_view);
  }
}

/// Whether others may work, on the queue that peers keep, on memory that is lent to a consumer who
/// was told no queue: before, meanwhile and after.
void print_lending(std::string_view form) {
  const sycl::device device = usmx::default_device();
  const auto in_order = [&] {
    return sycl::queue(usmx::default_context(device), device, sycl::property::queue::in_order());
  };
  usmx::internal::add_peers_queue(in_order());
  const usmx::array lent = usmx::empty({4}, usmx::float64, in_order());
  const sycl::queue peers =
      *usmx::internal::peers_queue_beside(usmx::internal::cached_queue(device));
  const auto print = [&] {
    const std::vector<sycl::queue> others = lent.owner()->others_queues();
    std::cout << (std::ranges::find(others, peers) == others.end() ? "closed" : "open");
  };
  const auto print_with = [&](auto* tensor) {
    std::cout << ' ';
    print();
    tensor->deleter(tensor);
  };
  print();
  if (form == "tensor") {
    print_with(usmx::exchange::to_dlpack(lent, usmx::exchange::dlpack_device(lent)));
  } else if (form == "legacy-tensor") {
    print_with(usmx::exchange::to_legacy_dlpack(lent, usmx::exchange::dlpack_device(lent)));
  } else {
    const usmx::buffer part = usmx::buffer::lent_out(lent.owner());
    std::cout << ' ';
    print();
  }
  lent.wait();
  std::cout << ' ';
  print();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  const char* argument = argc > 2 ? argv[2] : "";
  if (command == "devices") {
    print_devices();
  } else if (command == "variable") {
    print_variable(argument);
  } else if (command == "default") {
    print_device_error([] { usmx::default_device(); });
  } else if (command == "select") {
    print_device_error([&] { usmx::select_device(argument); });
  } else if (command == "diagnose") {
    std::cout << usmx::diagnose_missing_device() << "\n";
  } else if (command == "exit-at-work") {
    submit_work();
  } else if (command == "exit-at-own-work") {
    submit_work_to_a_queue_of_its_own(argument == std::string_view("in-order"));
  } else if (command == "exit-with-array") {
    leave_an_array(argument);
  } else if (command == "exposed") {
    print_exposure(argument);
  } else if (command == "lent") {
    print_lending(argument);
  } else if (command == "exit-with-threads") {
    leave_threads_at_work();
  } else if (command == "copies") {
    copy_in_random_layouts(static_cast<unsigned>(std::atol(argument)));
  } else {
    std::cerr << "usage: usmx_child devices|variable|default|select|diagnose|exit-at-work|"
                 "exit-at-own-work|exit-with-array|exit-with-threads|exposed|lent|copies\n";
    return 2;
  }
  return 0;
}
