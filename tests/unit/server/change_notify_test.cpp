#include "support/server/names.h"
#include "unit/server/data_fixture.h"
#include "wire/change_notify.h"

#include <gmock/gmock.h>

namespace smb3::server {
namespace {

using testing::ElementsAre;
using testing::Pair;
using wire::CompletionFilter;
using wire::FileAction;

class ChangeNotifyTest : public DataTest {
 protected:
  ChangeNotifyTest() {
    notify.file_id = open_folder(u"d");
    notify.output_buffer_length = 4096;
    notify.completion_filter = CompletionFilter::file_name | CompletionFilter::dir_name;
  }
  std::unique_ptr<Call> wait() {
    auto one = call();
    one->start(notify, change_notify);
    return one;
  }
  std::vector<std::pair<FileAction, std::u16string>> changes(Call& one) {
    reactor_.settle();
    EXPECT_TRUE(one.ended());
    EXPECT_EQ(one.answer().status, NtStatus::success);
    const auto response =
        wire::decode<wire::ChangeNotifyResponse>(one.answer().message->bytes()).value();
    std::vector<std::pair<FileAction, std::u16string>> all;
    const auto list = wire::decode_chain<wire::FileNotifyInformation>(response.output_buffer,
                                                                      wire::file_notify_alignment);
    for (const auto& change : *list) all.emplace_back(change.action, from_wire(change.file_name));
    return all;
  }

  wire::ChangeNotifyRequest notify;
};

TEST_F(ChangeNotifyTest, TellsOfNamesThatComeAndGo) {
  auto one = wait();
  EXPECT_FALSE(one->ended());
  open(u"elsewhere");
  reactor_.settle();
  EXPECT_FALSE(one->ended());
  const auto id = open(u"d\\x");
  EXPECT_THAT(changes(*one), ElementsAre(Pair(FileAction::added, u"x")));
  tree_->share->opens->set_delete_pending(*open_with(id).node, true);
  close(id);
  auto two = wait();
  EXPECT_THAT(changes(*two), ElementsAre(Pair(FileAction::removed, u"x")));
}

TEST_F(ChangeNotifyTest, WatchesATreeOnlyIfAsked) {
  open_folder(u"d\\sub");
  auto one = wait();
  ChangeWatches& watches = tree_->share->watches;
  watches.report_name(FileAction::added, false, u"d\\sub\\y");
  reactor_.settle();
  EXPECT_FALSE(one->ended());
  one->cancel();
  reactor_.settle();
  notify.file_id = open_folder(u"d");
  notify.flags = wire::ChangeNotifyFlags::watch_tree;
  auto two = wait();
  watches.report_rename(false, u"d\\sub\\y", u"d\\sub\\z");
  EXPECT_THAT(changes(*two), ElementsAre(Pair(FileAction::renamed_old_name, u"sub\\y"),
                                         Pair(FileAction::renamed_new_name, u"sub\\z")));
}

TEST_F(ChangeNotifyTest, EndsWhenCancelled) {
  auto one = wait();
  one->cancel();
  reactor_.settle();
  ASSERT_TRUE(one->ended());
  EXPECT_EQ(one->answer().status, NtStatus::cancelled);
}

TEST_F(ChangeNotifyTest, EndsWithItsOpen) {
  auto one = wait();
  auto two = wait();
  close(notify.file_id);
  reactor_.settle();
  ASSERT_TRUE(one->ended());
  ASSERT_TRUE(two->ended());
  EXPECT_EQ(one->answer().status, NtStatus::notify_cleanup);
  EXPECT_TRUE(wire::decode<wire::ChangeNotifyResponse>(one->answer().message->bytes()));
}

TEST_F(ChangeNotifyTest, TheOldestRequestIsServedFirst) {
  auto one = wait();
  auto two = wait();
  ChangeWatches& watches = tree_->share->watches;
  watches.report_name(FileAction::added, false, u"d\\1");
  reactor_.settle();
  EXPECT_TRUE(one->ended());
  EXPECT_FALSE(two->ended());
  watches.report_name(FileAction::added, false, u"d\\2");
  EXPECT_THAT(changes(*two), ElementsAre(Pair(FileAction::added, u"2")));
}

TEST_F(ChangeNotifyTest, MoreThanFitsIsSaidWithoutAList) {
  notify.output_buffer_length = 8;
  auto one = wait();
  tree_->share->watches.report_name(FileAction::added, false, u"d\\1");
  reactor_.settle();
  ASSERT_TRUE(one->ended());
  EXPECT_EQ(one->answer().status, NtStatus::notify_enum_dir);
}

TEST_F(ChangeNotifyTest, RefusesFilesAndTheBlind) {
  const auto folder = notify.file_id;
  notify.file_id = open(u"file");
  EXPECT_EQ(ask(notify, change_notify).status, NtStatus::invalid_parameter);
  notify.file_id = open_folder(u"d", wire::AccessMask::read_attributes);
  EXPECT_EQ(ask(notify, change_notify).status, NtStatus::access_denied);
  notify.file_id = folder;
  notify.output_buffer_length = (1 << 20) + 1;
  EXPECT_EQ(ask(notify, change_notify).status, NtStatus::invalid_parameter);
}

}  // namespace
}  // namespace smb3::server
