// Reading of a command line by a table, and the overwriting of secrets.
#include "option_table.h"

#include "unit/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace smb3::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct OptionTable : testing::Test {
  bool all = false;
  bool many = false;
  std::string value = "unset";
  std::string maybe = "unset";
  std::string error;

  std::vector<std::string> read(std::vector<std::string> texts) {
    Arguments arguments(std::move(texts));
    auto store = [](std::string& target) {
      return [&target](char* text) {
        target = text == nullptr ? "none" : text;
        return Result<void>();
      };
    };
    std::vector<Option> table = {
        flag('a', "all", "take all", all),
        flag('m', "many", "take many", many),
        {'v', "value", Takes::value, "X", "a value", store(value)},
        {0, "maybe", Takes::maybe_value, "Y", "perhaps a value", store(maybe)},
        {0, "number", Takes::value, "N", "a bad value",
         [](char*) { return Result<void>(std::unexpected(Error(ErrorKind::local, "no number"))); }},
        {'?', "help", Takes::nothing, "", "help", store(maybe)},
    };
    auto operands = read_options(table, arguments.count(), arguments.pointers());
    if (!operands) {
      error = describe(operands.error());
      return {};
    }
    return std::vector<std::string>(operands->begin(), operands->end());
  }
};

TEST_F(OptionTable, OperandsAndOptionsMayBeMixed) {
  EXPECT_THAT(read({"one", "-a", "two", "--value", "x", "three"}),
              ElementsAre("one", "two", "three"));
  EXPECT_TRUE(all);
  EXPECT_FALSE(many);
  EXPECT_EQ(value, "x");
}

TEST_F(OptionTable, ValuesStandInAllTheUsualPlaces) {
  read({"--value=1"});
  EXPECT_EQ(value, "1");
  read({"-v2"});
  EXPECT_EQ(value, "2");
  read({"-v", "3"});
  EXPECT_EQ(value, "3");
  read({"-amv4"});
  EXPECT_EQ(value, "4");
  EXPECT_TRUE(all && many);
  read({"--value="});
  EXPECT_EQ(value, "");
  read({"-v", "-a"});
  EXPECT_EQ(value, "-a");
  read({"-v1", "-v2"});
  EXPECT_EQ(value, "2");
}

TEST_F(OptionTable, AnOptionalValueNeverTakesTheNextArgument) {
  EXPECT_THAT(read({"--maybe", "one", "two"}), ElementsAre("one", "two"));
  EXPECT_EQ(maybe, "none");
  EXPECT_THAT(read({"--maybe=x", "one"}), ElementsAre("one"));
  EXPECT_EQ(maybe, "x");
}

TEST_F(OptionTable, OperandsAreTakenAsTheyAre) {
  EXPECT_THAT(read({"[a,b]", "", "-", "++", "{}", "%s", "--", "--all", "-x"}),
              ElementsAre("[a,b]", "", "-", "++", "{}", "%s", "--all", "-x"));
  EXPECT_FALSE(all);
  EXPECT_EQ(error, "");
}

// A value is found where it stands, not where something ends in the same way.
TEST_F(OptionTable, ValuesAreThoseOfTheOption) {
  Arguments arguments({"box", "--secret", "x", "x", "thex", "-aSx", "--secret=x", "-mS", "box",
                       "box", "--", "x", "--secret=x"});
  std::vector<Option> table = {
      flag('a', "all", "take all", all),
      flag('m', "many", "take many", many),
      {'S', "secret", Takes::value, "X", "overwritten",
       [](char* text) {
         overwrite(text);
         return Result<void>();
       }},
  };
  auto operands = read_options(table, arguments.count(), arguments.pointers());
  ASSERT_TRUE(operands) << describe(operands.error());
  EXPECT_THAT(std::vector<std::string>(operands->begin(), operands->end()),
              ElementsAre("box", "x", "thex", "box", "x", "--secret=x"));
  EXPECT_EQ(arguments.seen(),
            "program box --secret * x thex -aS* --secret=* -mS *** box -- x --secret=x ");
}

TEST_F(OptionTable, ValuesMayLookLikeOptionsOrBeEmpty) {
  EXPECT_THAT(read({"--value", "--all", "one"}), ElementsAre("one"));
  EXPECT_EQ(value, "--all");
  EXPECT_FALSE(all);
  EXPECT_THAT(read({"--value", "", "one"}), ElementsAre("one"));
  EXPECT_EQ(value, "");
  EXPECT_THAT(read({"-v", "", "one"}), ElementsAre("one"));
  EXPECT_EQ(value, "");
  EXPECT_EQ(error, "");
  read({"--value", "--maybe", "one"});  // what cannot be found is refused
  EXPECT_TRUE(value == "--maybe" || error == "--value needs a value") << value << error;
}

TEST_F(OptionTable, SaysWhatIsWrong) {
  read({"--unheard"});
  EXPECT_EQ(error, "unknown option --unheard");
  read({"x", "-aq", "y"});
  EXPECT_EQ(error, "unknown option -q");
  read({"--value"});
  EXPECT_EQ(error, "--value needs a value");
  read({"-av"});
  EXPECT_EQ(error, "--value needs a value");
  read({"--all=yes"});
  EXPECT_EQ(error, "--all takes no value");
  read({"--number=x"});
  EXPECT_EQ(error, "--number: no number");
}

TEST_F(OptionTable, DoesNotShowTheValueOfAnUnknownOption) {
  read({"--passphrase=hush"});
  EXPECT_THAT(error, HasSubstr("--passphrase"));
  EXPECT_THAT(error, Not(HasSubstr("hush")));
}

TEST_F(OptionTable, AQuestionMarkCanBeAnOption) {
  EXPECT_THAT(read({"-?", "x"}), ElementsAre("x"));
  EXPECT_EQ(maybe, "none");
  EXPECT_EQ(error, "");
}

TEST(OptionTableHelp, HasALineAnOption) {
  bool target = false;
  std::vector<Option> table = {
      flag('a', "all", "take all", target),
      {0, "a-rather-long-name-for-it", Takes::value, "VALUE", "first\nsecond", {}},
      {0, "maybe", Takes::maybe_value, "Y", "perhaps", {}},
  };
  EXPECT_EQ(help_of(table),
            "  -a, --all                   take all\n"
            "      --a-rather-long-name-for-it=VALUE\n"
            "                              first\n"
            "                              second\n"
            "      --maybe[=Y]             perhaps\n");
}

std::string after_overwriting_url(std::string text) {
  overwrite_url_password(text.data());
  return text;
}

TEST(Overwrite, PasswordOfAUrl) {
  EXPECT_EQ(after_overwriting_url("smb://D;u:hush@host/s/x"), "smb://D;u:****@host/s/x");
  EXPECT_EQ(after_overwriting_url("SMB://u:a/b@c:d@host/s"), "SMB://u:*******@host/s");
  EXPECT_EQ(after_overwriting_url("smb://u@host/s"), "smb://u@host/s");
  EXPECT_EQ(after_overwriting_url("smb://host:445/s"), "smb://host:445/s");
  EXPECT_EQ(after_overwriting_url("//host/s/u:x@y"), "//host/s/u:x@y");
  EXPECT_EQ(after_overwriting_url("./smb://u:x@y"), "./smb://u:x@y");
  EXPECT_EQ(after_overwriting_url(""), "");
}

}  // namespace
}  // namespace smb3::cli
