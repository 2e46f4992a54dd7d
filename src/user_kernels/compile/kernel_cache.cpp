#include "user_kernels/compile/kernel_cache.hpp"

#include <exception>
#include <string>
#include <string_view>

#include "kernels/store.hpp"
#include "user_kernels/messages.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

/// All that was given, each with its size, so that two programs differ.
std::string text_of(const program& source) {
  std::string text;
  const auto add = [&](const std::string& part) { text += message(part.size(), ':', part, '\n'); };
  add(source.text);
  for (const std::string& option : source.options) {
    add(option);
  }
  for (const auto& [name, content] : source.files) {
    add(name);
    add(content);
  }
  return text;
}

/// "user-axpy": also the beginning of the file's name. Generated kernels are known by their user's
/// name.
std::string group_of(const program& source) {
  constexpr std::string_view generated = "usmx_named_";
  constexpr std::size_t longest = 40;
  std::string_view name = source.kernels.empty() ? std::string_view() : source.kernels.front();
  name.remove_prefix(name.starts_with(generated) ? generated.size() : 0);
  return message("user-", name.substr(0, longest));
}

kernel_cache_key key_of(const program& source, const sycl::device& device,
                        const compile_target& target) {
  return {group_of(source), device.get_info<sycl::info::device::name>(),
          message(build_identity_of(device), '\n', identity_of(target), '\n', text_of(source))};
}

}  // namespace

cached_program::cached_program(const program& source, const sycl::device& device,
                               const compile_target& target) {
  if (reads_only_given_files(source)) {
    key_ = key_of(source, device, target);
  }
}

std::optional<compiled_program> cached_program::load() const {
  const auto content = key_ ? files_.load(*key_) : std::nullopt;
  if (!content) {
    return std::nullopt;
  }
  try {
    message_reader reader({content->data(), content->size()});
    compiled_program made;
    made.executable = reader.text();
    made.log = reader.text();
    return made;
  } catch (const std::exception& useless) {
    discard(useless.what());
    return std::nullopt;
  }
}

void cached_program::store(const compiled_program& made) const {
  if (key_) {
    message_writer content;
    content.add(made.executable);
    content.add(made.log);
    files_.store(*key_, content.bytes());
  }
}

void cached_program::discard(const char* reason) const { files_.discard(*key_, reason); }

}  // namespace usmx::inline v1::detail
