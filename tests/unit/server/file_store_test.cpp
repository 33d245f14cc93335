#include "support/server/file_store.h"

#include "support/server/null_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace smb3::server {
namespace {

using testing::ElementsAre;
using wire::FileAttributes;
using wire::FileTime;

constexpr std::uint64_t first_tick = 133'000'000'000'000'000;

std::vector<std::byte> bytes_of(std::string_view text) {
  const Bytes bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string contents(Node& node, std::uint64_t offset, std::size_t length) {
  std::string text(length, '?');
  const auto got = node.read(offset, std::as_writable_bytes(std::span(text)));
  text.resize(got.value_or(0));
  return text;
}

std::vector<std::u16string> names(Node& folder) {
  std::vector<std::u16string> all;
  const auto entries = folder.list();
  for (const StoreEntry& entry : *entries) all.push_back(entry.name);
  return all;
}

class TemporaryFolder {
 public:
  TemporaryFolder() { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/smb3-store-XXXXXX";
};

// What holds for every store that keeps files.
class StoreTest : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    ShareSettings share;
    share.store = GetParam();
    share.folder = folder_.path();
    share.size_bytes = 64_MiB;
    Clock clock{[](void* ticks) { return FileTime{++*static_cast<std::uint64_t*>(ticks)}; },
                &ticks_};
    auto made = make_store(share, clock);
    ASSERT_TRUE(made) << describe(made.error());
    store_ = std::move(*made);
  }
  std::shared_ptr<Node> make(std::u16string_view path, std::string_view text = {}) {
    auto node = store_->create(path, false, FileAttributes::none);
    EXPECT_TRUE(node);
    EXPECT_TRUE((*node)->write(0, bytes_of(text)));
    return *node;
  }
  void make_folder(std::u16string_view path) {
    EXPECT_TRUE(store_->create(path, true, FileAttributes::none));
  }
  NtStatus open_status(std::u16string_view path) {
    auto node = store_->open(path);
    return node ? NtStatus::success : node.error();
  }
  std::shared_ptr<Node> open(std::u16string_view path) { return store_->open(path).value(); }

  TemporaryFolder folder_;
  std::uint64_t ticks_ = first_tick;
  std::unique_ptr<FileStore> store_;
};

INSTANTIATE_TEST_SUITE_P(All, StoreTest, testing::Values(StoreKind::memory, StoreKind::folder),
                         [](const auto& info) {
                           return info.param == StoreKind::memory ? "Memory" : "Folder";
                         });

TEST_P(StoreTest, KeepsWhatIsWritten) {
  auto node = make(u"a.txt", "hello world");
  EXPECT_EQ(contents(*node, 0, 100), "hello world");
  EXPECT_EQ(contents(*node, 6, 3), "wor");
  EXPECT_EQ(contents(*node, 11, 5), "");
  EXPECT_EQ(contents(*node, 1 << 20, 5), "");
  ASSERT_TRUE(node->write(6, bytes_of("W")));
  ASSERT_TRUE(node->write(13, bytes_of("!")));
  EXPECT_EQ(contents(*node, 0, 100), std::string("hello World\0\0!", 14));
  EXPECT_EQ(node->status()->size_bytes, 14u);
  EXPECT_FALSE(node->status()->is_directory);
  EXPECT_EQ(node->status()->attributes, FileAttributes::normal);
}

TEST_P(StoreTest, WhatWasCutOffComesBackAsZeros) {
  auto node = make(u"a", std::string(3_MiB, 'x'));
  ASSERT_TRUE(node->set_size(1_MiB + 10));
  ASSERT_TRUE(node->set_size(2_MiB));
  EXPECT_EQ(contents(*node, 1_MiB + 5, 10), std::string("xxxxx\0\0\0\0\0", 10));
  EXPECT_EQ(contents(*node, 2_MiB - 2, 10), std::string(2, '\0'));
  ASSERT_TRUE(node->set_size(0));
  ASSERT_TRUE(node->set_size(4));
  EXPECT_EQ(contents(*node, 0, 10), std::string(4, '\0'));
}

TEST_P(StoreTest, OneFileIsOneNodeUnderAnySpelling) {
  auto node = make(u"\u00C4b", "x");
  EXPECT_EQ(open(u"\u00E4B"), node);
  EXPECT_EQ(store_->create(u"\u00E4B", false, {}).error(), NtStatus::object_name_collision);
  EXPECT_EQ(store_->create(u"", true, {}).error(), NtStatus::object_name_collision);
  EXPECT_THAT(names(*open(u"")), ElementsAre(u"\u00C4b"));
}

TEST_P(StoreTest, WhyANameIsNotThere) {
  make(u"file");
  make_folder(u"Folder");
  EXPECT_EQ(open_status(u"none"), NtStatus::object_name_not_found);
  EXPECT_EQ(open_status(u"folder\\none"), NtStatus::object_name_not_found);
  EXPECT_EQ(open_status(u"none\\x"), NtStatus::object_path_not_found);
  EXPECT_EQ(open_status(u"file\\x"), NtStatus::object_path_not_found);
  EXPECT_EQ(open_status(u"..\\x"), NtStatus::object_name_invalid);
  EXPECT_EQ(open_status(u"folder\\..\\file"), NtStatus::object_name_invalid);
  EXPECT_EQ(open_status(u"fi*"), NtStatus::object_name_invalid);
  EXPECT_EQ(store_->create(u"none\\x", false, {}).error(), NtStatus::object_path_not_found);
  EXPECT_EQ(store_->remove(u"none").error(), NtStatus::object_name_not_found);
  EXPECT_EQ(store_->rename(u"none", u"x", true).error(), NtStatus::object_name_not_found);
}

TEST_P(StoreTest, RemovesOnlyEmptyFolders) {
  make_folder(u"d");
  auto node = make(u"d\\f", "still there");
  EXPECT_EQ(store_->remove(u"D").error(), NtStatus::directory_not_empty);
  EXPECT_EQ(store_->remove(u"").error(), NtStatus::access_denied);
  ASSERT_TRUE(store_->remove(u"d\\F"));
  EXPECT_EQ(contents(*node, 0, 100), "still there");  // open all the while
  EXPECT_TRUE(store_->remove(u"d"));
  EXPECT_THAT(names(*open(u"")), ElementsAre());
}

TEST_P(StoreTest, RenamesAndReplaces) {
  make_folder(u"d");
  auto a = make(u"a", "A");
  auto b = make(u"d\\b", "B");
  EXPECT_EQ(store_->rename(u"a", u"d\\B", false).error(), NtStatus::object_name_collision);
  ASSERT_TRUE(store_->rename(u"a", u"d\\B", true));
  EXPECT_THAT(names(*open(u"d")), ElementsAre(u"B"));
  EXPECT_EQ(open(u"d\\b"), a);
  EXPECT_EQ(contents(*b, 0, 9), "B");
  EXPECT_EQ(open_status(u"a"), NtStatus::object_name_not_found);
  EXPECT_EQ(store_->rename(u"d\\b", u"none\\b", true).error(), NtStatus::object_path_not_found);
}

TEST_P(StoreTest, RenamesToAnotherSpelling) {
  auto a = make(u"name", "A");
  ASSERT_TRUE(store_->rename(u"name", u"NAME", false));
  EXPECT_THAT(names(*open(u"")), ElementsAre(u"NAME"));
  EXPECT_EQ(open(u"name"), a);
  ASSERT_TRUE(store_->rename(u"name", u"NAME", false));  // to itself
  EXPECT_EQ(open(u"name"), a);
}

TEST_P(StoreTest, RenameProtectsFoldersAndReadOnlyFiles) {
  make_folder(u"d");
  make_folder(u"e");
  make(u"f");
  NodeChange read_only;
  read_only.attributes = FileAttributes::readonly;
  ASSERT_TRUE(make(u"locked")->change(read_only));
  EXPECT_EQ(store_->rename(u"f", u"d", true).error(), NtStatus::access_denied);
  EXPECT_EQ(store_->rename(u"d", u"e", true).error(), NtStatus::access_denied);
  EXPECT_EQ(store_->rename(u"f", u"locked", true).error(), NtStatus::access_denied);
  EXPECT_EQ(store_->rename(u"d", u"D\\x", true).error(), NtStatus::access_denied);
  EXPECT_EQ(store_->rename(u"", u"x", true).error(), NtStatus::access_denied);
  ASSERT_TRUE(store_->rename(u"d", u"e\\d", false));
  EXPECT_THAT(names(*open(u"e")), ElementsAre(u"d"));
}

TEST_P(StoreTest, KeepsAttributesAndTimes) {
  constexpr auto hidden = FileAttributes::hidden | FileAttributes::archive;
  auto node = store_->create(u"a", false, hidden).value();
  EXPECT_EQ(node->status()->attributes, hidden);
  const FileTime created{first_tick + 10}, accessed{first_tick + 20}, written{first_tick + 30};
  ASSERT_TRUE(node->change({created, accessed, written, {}, FileAttributes::readonly}));
  NodeStatus status = node->status().value();
  EXPECT_EQ(status.attributes, FileAttributes::readonly);
  EXPECT_EQ(status.creation_time, created);
  EXPECT_EQ(status.last_access_time, accessed);
  EXPECT_EQ(status.last_write_time, written);
  ASSERT_TRUE(node->change({}));
  EXPECT_EQ(node->status()->attributes, FileAttributes::readonly);
  EXPECT_EQ(node->status()->last_write_time, written);
  ASSERT_TRUE(node->change({{}, {}, {}, {}, FileAttributes::normal}));
  EXPECT_EQ(node->status()->attributes, FileAttributes::normal);
  EXPECT_EQ(open(u"")->list()->front().status.creation_time, created);
}

TEST_P(StoreTest, FoldersSayThatTheyAreFolders) {
  make_folder(u"d");
  auto node = open(u"d");
  EXPECT_TRUE(node->status()->is_directory);
  EXPECT_EQ(node->status()->attributes, FileAttributes::directory);
  ASSERT_TRUE(node->change({{}, {}, {}, {}, FileAttributes::hidden}));
  EXPECT_EQ(node->status()->attributes, FileAttributes::directory | FileAttributes::hidden);
  EXPECT_TRUE(open(u"")->list()->front().status.is_directory);
  EXPECT_NE(node->status()->file_index, open(u"")->status()->file_index);
}

class MemoryStoreTest : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Only, MemoryStoreTest, testing::Values(StoreKind::memory));

TEST_P(MemoryStoreTest, HolesCostNothing) {
  auto node = make(u"a");
  const std::uint64_t before = store_->free_bytes();
  ASSERT_TRUE(node->write((1ULL << 30) - 1, bytes_of("x")));
  EXPECT_LE(before - store_->free_bytes(), 1_MiB);
  ASSERT_TRUE(node->set_size(1ULL << 50));
  EXPECT_LE(before - store_->free_bytes(), 1_MiB);
  EXPECT_EQ(contents(*node, (1ULL << 30) - 3, 4), std::string("\0\0x\0", 4));
  ASSERT_TRUE(node->set_size(0));
  EXPECT_EQ(store_->free_bytes(), before);
  EXPECT_EQ(node->status()->allocated_bytes, 0u);
}

TEST_P(MemoryStoreTest, IsFullAtItsSize) {
  auto node = make(u"a");
  const std::string chunk(1_MiB, 'x');
  for (std::uint64_t at = 0; at < 64; ++at) ASSERT_TRUE(node->write(at << 20, bytes_of(chunk)));
  EXPECT_EQ(store_->free_bytes(), 0u);
  EXPECT_EQ(node->write(64_MiB, bytes_of("x")).error(), NtStatus::disk_full);
  EXPECT_EQ(node->status()->size_bytes, 64_MiB);
  EXPECT_TRUE(node->write(5, bytes_of("over what is there")));
  ASSERT_TRUE(store_->remove(u"a"));
  EXPECT_EQ(store_->free_bytes(), 0u);  // still open
  node.reset();
  EXPECT_EQ(store_->free_bytes(), 64_MiB);
}

TEST_P(MemoryStoreTest, AViewOutlivesWhatHappensToTheFile) {
  auto node = make(u"a", "before");
  const ContentView view = node->view(0, 100);
  ASSERT_EQ(view.bytes.size(), 6u);
  ASSERT_TRUE(node->write(0, bytes_of("after and longer")));
  EXPECT_EQ(std::memcmp(view.bytes.data(), "before", 6), 0);
  ASSERT_TRUE(node->set_size(0));
  ASSERT_TRUE(store_->remove(u"a"));
  node.reset();
  EXPECT_EQ(std::memcmp(view.bytes.data(), "before", 6), 0);
}

TEST_P(MemoryStoreTest, NoViewAcrossPiecesOrHoles) {
  auto node = make(u"a", std::string(2_MiB, 'x'));
  EXPECT_EQ(node->view(1_MiB, 1_MiB).bytes.size(), 1_MiB);
  EXPECT_TRUE(node->view(1_MiB - 1, 2).bytes.empty());
  EXPECT_TRUE(node->view(2_MiB, 1).bytes.empty());
  ASSERT_TRUE(node->set_size(4_MiB));
  EXPECT_TRUE(node->view(3_MiB, 1).bytes.empty());
  EXPECT_EQ(contents(*node, 3_MiB, 1), std::string(1, '\0'));
}

TEST_P(MemoryStoreTest, ChangesAreMarkedWithTheClock) {
  auto node = make(u"a", "x");
  const FileTime before = node->status()->last_write_time;
  ASSERT_TRUE(node->write(0, bytes_of("y")));
  EXPECT_GT(node->status()->last_write_time, before);
  EXPECT_LT(node->status()->creation_time, before);
}

class FolderStoreTest : public StoreTest {
 protected:
  std::string at(std::string_view name) const { return folder_.path() + '/' + std::string(name); }
};
INSTANTIATE_TEST_SUITE_P(Only, FolderStoreTest, testing::Values(StoreKind::folder));

TEST_P(FolderStoreTest, SymbolicLinksAreNoFiles) {
  make(u"inside", "x");
  std::filesystem::create_symlink("/etc/hostname", at("out"));
  std::filesystem::create_directory_symlink("/etc", at("dir"));
  std::filesystem::create_symlink("inside", at("in"));
  EXPECT_EQ(open_status(u"out"), NtStatus::access_denied);
  EXPECT_EQ(open_status(u"in"), NtStatus::access_denied);
  EXPECT_EQ(open_status(u"dir\\hostname"), NtStatus::access_denied);
  EXPECT_THAT(names(*open(u"")), ElementsAre(u"inside"));
}

TEST_P(FolderStoreTest, TheExactSpellingWins) {
  std::ofstream(at("Name")) << "upper";
  std::ofstream(at("name")) << "lower";
  EXPECT_EQ(contents(*open(u"name"), 0, 9), "lower");
  EXPECT_EQ(contents(*open(u"Name"), 0, 9), "upper");
}

TEST_P(FolderStoreTest, ReadOnlyIsTheMode) {
  auto node = make(u"a");
  ASSERT_TRUE(node->change({{}, {}, {}, {}, FileAttributes::readonly | FileAttributes::system}));
  struct stat found;
  ASSERT_EQ(::stat(at("a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0222, 0u);
  EXPECT_EQ(open(u"a")->status()->attributes, FileAttributes::readonly | FileAttributes::system);
}

TEST_P(FolderStoreTest, NamesThatAreNoTextAreNotListed) {
  std::ofstream(at("\xFF\xFE")) << "x";
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  make(u"ok");
  EXPECT_THAT(names(*open(u"")), ElementsAre(u"ok"));
  EXPECT_EQ(open_status(u"pipe"), NtStatus::access_denied);
}

TEST(NullStore, ReadsAFixedPattern) {
  ShareSettings share;
  share.store = StoreKind::null;
  share.null_file_bytes = 1ULL << 40;
  auto store = make_store(share, {[](void*) { return FileTime{first_tick}; }, nullptr}).value();
  auto node = store->open(u"any\\name").value();
  for (const std::uint64_t offset : {0ULL, 12345ULL, 1ULL << 20, (1ULL << 39) + 7}) {
    const ContentView view = node->view(offset, 1_MiB);
    ASSERT_EQ(view.bytes.size(), 1_MiB);
    for (const std::size_t at : {0u, 1u, 4096u, 1048575u}) {
      EXPECT_EQ(view.bytes[at], null_pattern(offset + at));
    }
  }
  EXPECT_EQ(node->view((1ULL << 40) - 3, 100).bytes.size(), 3u);
  EXPECT_TRUE(node->view(1ULL << 40, 1).bytes.empty());
  EXPECT_NE(null_pattern(5_MiB), null_pattern(5_MiB + 1_MiB));
  std::vector<std::byte> all(9_MiB);
  EXPECT_EQ(node->read(3, all).value(), 9_MiB);
  EXPECT_EQ(all.back(), null_pattern(9_MiB + 2));
}

TEST(NullStore, TakesWhatIsWrittenAndKeepsItsSize) {
  ShareSettings share;
  share.store = StoreKind::null;
  share.null_file_bytes = 10;
  auto store = make_store(share, {[](void*) { return FileTime{first_tick}; }, nullptr}).value();
  EXPECT_EQ(store->create(u"x", false, {}).error(), NtStatus::object_name_collision);
  EXPECT_EQ(store->open(u".part").error(), NtStatus::object_name_not_found);
  auto node = store->create(u".part", false, {}).value();
  ASSERT_TRUE(node->write(7, bytes_of("abc")));
  ASSERT_TRUE(node->set_size(1000));
  EXPECT_EQ(store->rename(u".part", u"x", false).error(), NtStatus::object_name_collision);
  ASSERT_TRUE(store->rename(u".part", u"x", true));
  EXPECT_EQ(store->open(u"X").value(), node);
  EXPECT_EQ(node->status()->size_bytes, 1000u);
  ASSERT_TRUE(store->remove(u"x"));
  EXPECT_EQ(store->open(u"x").value()->status()->size_bytes, 10u);
  EXPECT_EQ(store->open(u"").value()->list()->size(), 1u);
}

}  // namespace
}  // namespace smb3::server
