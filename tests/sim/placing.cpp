// The files of a run: put in place before, and found afterwards.
#include "base/utf16.h"
#include "sim/world.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace smb3::sim {
namespace {

namespace fs = std::filesystem;
using server::FileStore;
using server::Node;

// Times of this machine would make two runs differ.
void set_time(const fs::path& path, std::uint64_t chance) {
  const timespec time{.tv_sec = static_cast<time_t>(1'700'000'000 + chance % 1'000'000),
                      .tv_nsec = static_cast<long>(chance % 10'000'000) * 100};
  const timespec times[2] = {time, time};
  ::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

void write_local(const fs::path& path, const std::vector<std::byte>& bytes, std::uint64_t chance) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  set_time(path, chance);
}

std::vector<std::byte> read_local(const fs::path& path) {
  std::vector<std::byte> bytes(fs::file_size(path));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

std::u16string share_path(std::string_view path) {
  const auto bytes = to_utf16le(path).value();
  std::u16string text(bytes.size() / 2, u'\0');
  std::memcpy(text.data(), bytes.data(), bytes.size());
  for (char16_t& c : text) {
    if (c == u'/') c = u'\\';
  }
  return text;
}

std::string utf8(std::u16string_view text) {
  return from_utf16le(std::as_bytes(std::span(text))).value();
}

void write_remote(FileStore& store, const std::string& path, const std::vector<std::byte>& bytes) {
  auto node = store.create(share_path(path), false, wire::FileAttributes::normal).value();
  static_cast<void>(node->write(0, bytes));
}

std::vector<std::byte> read_remote(Node& node) {
  std::vector<std::byte> bytes(node.status().value().size_bytes);
  for (std::size_t done = 0; done < bytes.size();) {
    const auto count = node.read(done, MutableBytes(bytes).subspan(done));
    if (!count || *count == 0) break;
    done += *count;
  }
  return bytes;
}

std::string join(const std::string& a, const std::string& b) {
  return a.empty() ? b : b.empty() ? a : a + "/" + b;
}

// Where files are put, here or there.
class Place {
 public:
  Place(std::string folder, FileStore* store) : folder_(std::move(folder)), store_(store) {}
  void make_folder(const std::string& path) {
    if (store_) {
      static_cast<void>(
          store_->create(share_path(join(folder_, path)), true, wire::FileAttributes::directory));
    } else {
      fs::create_directories(join(folder_, path));
    }
  }
  void write(const std::string& path, const std::vector<std::byte>& bytes, std::uint64_t chance) {
    const std::string whole = join(folder_, path);
    store_ ? write_remote(*store_, whole, bytes) : write_local(whole, bytes, chance);
  }
  void finish_folder(const std::string& path, std::uint64_t chance) {
    if (!store_) set_time(join(folder_, path), chance);
  }

 private:
  std::string folder_;
  FileStore* store_;
};

}  // namespace

std::string World::source_top() const { return source_is_local() ? folder_ + "/source" : "source"; }

std::string World::target_top() const { return target_is_local() ? folder_ + "/target" : "target"; }

void World::place_files() {
  FileStore* from = source_is_local() ? nullptr : source_node().cluster->share("data")->store.get();
  FileStore* to = target_is_local() ? nullptr : target_node().cluster->share("copy")->store.get();
  Place source(source_top(), from), target(target_top(), to);
  const bool is_tree = plan_.files.empty() || !plan_.files.front().path.empty();
  bool some_exist = false;
  for (const PlannedFile& file : plan_.files) some_exist |= file.replaces.has_value();
  if (is_tree) source.make_folder("");
  if (is_tree && some_exist) target.make_folder("");
  for (const std::string& folder : plan_.folders) {
    source.make_folder(folder);
    if (some_exist) target.make_folder(folder);
  }
  for (const PlannedFile& file : plan_.files) {
    source.write(file.path, contents_of(file.contents, file.size), file.contents);
    if (file.replaces) {
      target.write(file.path, contents_of(*file.replaces, file.replaced_size()), *file.replaces);
    }
  }
  if (!is_tree) return;
  for (std::size_t i = plan_.folders.size(); i-- > 0;) source.finish_folder(plan_.folders[i], i);
  source.finish_folder("", 0);
}

World::Found World::find_target() {
  Found found;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    if (name != "source" && name != "target") found.outside.push_back(name);
  }
  const std::string top = target_top();
  if (target_is_local()) {
    if (fs::is_regular_file(top)) found.files[""] = read_local(top);
    if (!fs::is_directory(top)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string below = entry.path().lexically_relative(top);
      if (entry.is_directory()) found.folders.push_back(below);
      if (entry.is_regular_file()) found.files[below] = read_local(entry.path());
    }
    return found;
  }
  FileStore& store = *target_node().cluster->share("copy")->store;
  const auto visit = [&](const auto& self, const std::string& below) -> void {
    auto node = store.open(share_path(join(top, below)));
    if (!node) return;
    if (!(*node)->status().value().is_directory) {
      found.files[below] = read_remote(**node);
      return;
    }
    if (!below.empty()) found.folders.push_back(below);
    const auto entries = (*node)->list();
    for (const server::StoreEntry& entry : *entries) {
      self(self, join(below, utf8(entry.name)));
    }
  };
  visit(visit, "");
  return found;
}

}  // namespace smb3::sim
