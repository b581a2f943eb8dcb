// What does not fit a schema is told with its place, what is there, and what is allowed there; also behind a
// reference to another file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "experiments/runner/run/schema.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kSchema = R"({
  "type": "object",
  "required": ["name", "samples"],
  "properties": {
    "name": {"type": "string", "enum": ["one", "two"], "description": "of it"},
    "samples": {"type": "array", "items": {"type": ["integer", "null"], "minimum": 0}},
    "part": {"$ref": "part.schema.json", "description": "a part"},
    "checksum": {"type": "integer"},
    "either": {"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 2}]}
  }
})";
constexpr const char* kPart = R"({
  "type": "object",
  "required": ["count"],
  "properties": {"count": {"type": "integer"}, "others": {"type": "object", "additionalProperties": {"type": "number"}}},
  "additionalProperties": false
})";

class ASchema : public testing::Test {
protected:
    ASchema() {
        std::string name = testing::TempDir() + "ouro-XXXXXX";
        folder_ = mkdtemp(name.data());
        std::ofstream(folder_ / "whole.schema.json") << kSchema;
        std::ofstream(folder_ / "part.schema.json") << kPart;
        std::ofstream(folder_ / "broken.schema.json") << "{";
    }
    ~ASchema() override { std::filesystem::remove_all(folder_); }

    // Of a value that fits but for what is replaced in it.
    std::vector<std::string> problems(const json& replaced) const {
        json value = {{"name", "one"},
                      {"samples", {1, nullptr, 0}},
                      {"part", {{"count", 1}, {"others", {{"a", 1.5}, {"b", 2}}}}},
                      {"either", true},
                      {"checksum", UINT64_MAX},
                      {"more", "of anything"}};
        value.merge_patch(replaced);
        return Schemas(folder_).problems(value, "whole.schema.json");
    }

    std::filesystem::path folder_;
};

TEST_F(ASchema, HasNothingToSayOfWhatFits) {
    EXPECT_THAT(problems(json::object()), IsEmpty());
}

TEST_F(ASchema, NamesWhatIsLacking) {
    EXPECT_THAT(problems({{"name", nullptr}}), ElementsAre("the value lacks name"));
    EXPECT_THAT(problems({{"part", {{"count", nullptr}}}}), ElementsAre("part lacks count"));
}

TEST_F(ASchema, NamesThePlaceWhatIsThereAndWhatIsAllowed) {
    EXPECT_THAT(
        problems({{"name", "three"}}),
        ElementsAre(AllOf(StartsWith("name: "), HasSubstr("\"three\""),
                          HasSubstr(R"(allowed: {"enum":["one","two"],"type":"string"})"))));
    EXPECT_THAT(
        problems({{"samples", {1, "x", 2}}}),
        ElementsAre(AllOf(StartsWith("samples[1]: "), HasSubstr("\"x\""),
                          HasSubstr(R"(allowed: {"minimum":0,"type":["integer","null"]})"))));
    EXPECT_THAT(problems({{"samples", {1, -1}}}),
                ElementsAre(AllOf(StartsWith("samples[1]: "), HasSubstr("-1"), HasSubstr("0"))));
    EXPECT_THAT(problems({{"samples", {1, 1.5}}}), ElementsAre(StartsWith("samples[1]: ")));
    EXPECT_THAT(problems({{"part", {{"others", {{"a", "x"}}}}}}),
                ElementsAre(AllOf(StartsWith("part.others.a: "),
                                  HasSubstr(R"(allowed: {"type":"number"})"))));
    EXPECT_THAT(problems({{"part", 5}}),
                ElementsAre(AllOf(StartsWith("part: "), HasSubstr("\"object\""))));
    EXPECT_THAT(problems({{"either", 1}}), testing::Contains(StartsWith("either: ")));
}

TEST_F(ASchema, NamesAKeyThatIsNotKnown) {
    EXPECT_THAT(problems({{"part", {{"cuont", 1}}}}),
                ElementsAre(AllOf(StartsWith("part: "), HasSubstr("'cuont'"))));
}

TEST_F(ASchema, TellsAllThatIsWrong) {
    EXPECT_THAT(problems({{"name", 5}, {"samples", {-1, -2}}, {"part", {{"count", nullptr}}}}),
                testing::SizeIs(testing::Ge(4)));
}

TEST_F(ASchema, ThatIsNoneIsAnError) {
    Schemas schemas(folder_);
    EXPECT_THROW(schemas.problems({}, "broken.schema.json"), std::runtime_error);
    EXPECT_THROW(schemas.problems({}, "missing.schema.json"), std::runtime_error);
}

}  // namespace
}  // namespace ouro::runner
