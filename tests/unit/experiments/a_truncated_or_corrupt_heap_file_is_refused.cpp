// read_heap_file returns what a sound file says, and refuses every other: cut anywhere, any bit
// changed, sections moved, absurd sizes, contents that contradict each other under correct CRCs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "experiments/workloads/heap_file.hpp"

namespace ouro::workloads {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <class Number>
std::string packed(Number number) {
    std::string bytes;
    for (size_t i = 0; i < sizeof number; ++i)
        bytes += static_cast<char>(static_cast<uint64_t>(number) >> (8 * i));
    return bytes;
}

std::string words(std::initializer_list<uint32_t> numbers) {
    std::string bytes;
    for (uint32_t number : numbers)
        bytes += packed(number);
    return bytes;
}

std::string octets(std::initializer_list<int> numbers) {
    std::string bytes;
    for (int number : numbers)
        bytes += static_cast<char>(number);
    return bytes;
}

// Bit by bit, so that it has nothing in common with the reader's.
uint32_t crc32(const std::string& bytes) {
    uint32_t crc = 0xFFFFFFFF;
    for (unsigned char byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

struct Section {
    uint32_t identifier;
    std::string content;
    uint64_t added_length = 0;  // what its head says beyond the truth
};

// Five objects: 0 a list [1, 2] referenced from outside, 1 a dict {3: 0}, 2 a set {3}, 3 a leaf,
// 4 an immortal leaf.
struct File {
    uint32_t version = 1;
    std::vector<Section> sections = {
        {1, R"({"python": {"version": "3.11.2", "implementation": "CPython",
                           "free_threaded": false},
                "program": {"path": "p.py", "module": null, "args": ["a", "b"]},
                "collect": {"first_ns": 9, "samples_ns": [7, 8, 6], "median_ns": 7},
                "tracked_objects": 3})"},
        {2, packed<uint16_t>(4) + "list" + packed<uint16_t>(1) + "T"},
        {3, octets({1, 2, 4, 0, 0})},
        {4, octets({1, 1, 1, 0, 2})},
        {5, words({0, 1, 1, 1, 1})},
        {6, words({64, 128, 256, 32, 28})},
        {7, words({2, 0, 0, 0, 0})},
        {8, words({2, 2, 1, 0, 0})},
        {9, words({1, 2, 3, 0, 3})},
    };

    std::string& content(uint32_t identifier) { return sections[identifier - 1].content; }

    std::string bytes() const {
        std::string body;
        for (const Section& section : sections) {
            const std::string head =
                packed(section.identifier) +
                packed<uint64_t>(section.content.size() + section.added_length);
            body += head + packed(crc32(head + section.content)) + section.content;
        }
        const std::string header = "OUROHEAP" + packed(version) +
                                   packed(static_cast<uint32_t>(sections.size())) +
                                   packed<uint64_t>(28 + body.size());
        return header + packed(crc32(header)) + body;
    }
};

class HeapFiles : public testing::Test {
protected:
    HeapFiles() {
        std::string name = (std::filesystem::temp_directory_path() / "heap_file_XXXXXX").string();
        directory_ = mkdtemp(name.data());
        path_ = (directory_ / "x.heap").string();
    }
    ~HeapFiles() override { std::filesystem::remove_all(directory_); }

    HeapFile read(const std::string& bytes) {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
        return read_heap_file(path_);
    }

    // The message with which these bytes are refused; empty if they are not.
    std::string refusal(const std::string& bytes) {
        try {
            read(bytes);
        } catch (const HeapFileError& error) {
            EXPECT_LE(error.offset(), bytes.size());
            EXPECT_THAT(error.what(), AllOf(StartsWith(path_ + ": offset " +
                                                       std::to_string(error.offset()) + ": "),
                                            HasSubstr(", expected ")));
            return error.what();
        }
        return "";
    }
    std::string refusal(const File& file) { return refusal(file.bytes()); }

    std::filesystem::path directory_;
    std::string path_;
};

TEST_F(HeapFiles, WhatASoundFileSaysIsRead) {
    const HeapFile heap = read(File().bytes());
    EXPECT_EQ(heap.metadata.python_version, "3.11.2");
    EXPECT_EQ(heap.metadata.python_implementation, "CPython");
    EXPECT_FALSE(heap.metadata.free_threaded);
    EXPECT_EQ(heap.metadata.program, "p.py");
    EXPECT_THAT(heap.metadata.arguments, ElementsAre("a", "b"));
    EXPECT_EQ(heap.metadata.first_collect_ns, 9u);
    EXPECT_THAT(heap.metadata.collect_samples_ns, ElementsAre(7, 8, 6));
    EXPECT_EQ(heap.metadata.median_collect_ns, 7u);
    EXPECT_EQ(heap.metadata.tracked_objects, 3u);
    EXPECT_THAT(heap.types, ElementsAre("list", "T"));
    ASSERT_EQ(heap.object_count(), 5u);
    EXPECT_THAT(heap.kinds, ElementsAre(HeapKind::kList, HeapKind::kDict, HeapKind::kSet,
                                        HeapKind::kLeaf, HeapKind::kLeaf));
    EXPECT_THAT(heap.type_of, ElementsAre(0, 1, 1, 1, 1));
    EXPECT_THAT(heap.sizes, ElementsAre(64, 128, 256, 32, 28));
    EXPECT_THAT(heap.external, ElementsAre(2, 0, 0, 0, 0));
    EXPECT_THAT(heap.references_of(0), ElementsAre(1, 2));
    EXPECT_THAT(heap.references_of(1), ElementsAre(3, 0));
    EXPECT_THAT(heap.references_of(2), ElementsAre(3));
    EXPECT_TRUE(heap.references_of(3).empty());
    EXPECT_TRUE(heap.references_of(4).empty());
    EXPECT_TRUE(heap.is_tracked(2));
    EXPECT_FALSE(heap.is_tracked(3));
    EXPECT_TRUE(heap.is_root(0));
    EXPECT_FALSE(heap.is_root(3));
    EXPECT_TRUE(heap.is_root(4));
}

TEST_F(HeapFiles, AModuleIsNamedAsOnTheCommandLine) {
    File file;
    const std::string path = R"("path": "p.py", "module": null)";
    std::string& text = file.content(1);
    text.replace(text.find(path), path.size(), R"("path": null, "module": "pkg")");
    EXPECT_EQ(read(file.bytes()).metadata.program, "-m pkg");
}

TEST_F(HeapFiles, AHeapWithoutObjectsIsRead) {
    File file;
    std::string& text = file.content(1);
    text.replace(text.find("\"tracked_objects\": 3"), 20, "\"tracked_objects\": 0");
    for (Section& section : file.sections) {
        if (section.identifier > 1)
            section.content.clear();
    }
    EXPECT_EQ(read(file.bytes()).object_count(), 0u);
}

TEST_F(HeapFiles, AFileCutAnywhereIsRefused) {
    const std::string whole = File().bytes();
    for (size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(refusal(whole.substr(0, length)), "") << "cut to " << length << " bytes";
}

TEST_F(HeapFiles, AFileThatGoesOnIsRefused) {
    EXPECT_NE(refusal(File().bytes() + '\0'), "");
}

TEST_F(HeapFiles, EverySingleBitCounts) {
    std::string bytes = File().bytes();
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        const auto mask = static_cast<char>(1 << bit % 8);
        bytes[bit / 8] ^= mask;
        EXPECT_NE(refusal(bytes), "") << "bit " << bit % 8 << " of byte " << bit / 8;
        bytes[bit / 8] ^= mask;
    }
}

TEST_F(HeapFiles, SectionsHaveOneOrderAndComeOnce) {
    for (size_t i = 0; i < 9; ++i) {
        File file;
        file.sections.erase(file.sections.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_NE(refusal(file), "") << "without section " << i + 1;

        file = File();
        file.sections.push_back(file.sections[i]);
        EXPECT_NE(refusal(file), "") << "section " << i + 1 << " twice";

        file = File();
        file.sections[(i + 1) % 9] = file.sections[i];
        EXPECT_THAT(refusal(file), HasSubstr("section")) << i + 1 << " in the next one's place";

        for (size_t j = 0; j < i; ++j) {
            file = File();
            std::swap(file.sections[i], file.sections[j]);
            EXPECT_THAT(refusal(file), HasSubstr("expected section " + std::to_string(j + 1)));
        }
    }
}

// The length is refused, not allocated: 2^63 bytes would end the test.
TEST_F(HeapFiles, AbsurdLengthsAreRefused) {
    for (size_t i = 0; i < 9; ++i) {
        for (uint64_t added : {uint64_t{1}, uint64_t{1} << 32, uint64_t{1} << 63, ~uint64_t{0}}) {
            File file;
            file.sections[i].added_length = added;
            EXPECT_NE(refusal(file), "") << "section " << i + 1 << " longer by " << added;
        }
    }
}

TEST_F(HeapFiles, AbsurdDegreesAreRefused) {
    File file;
    file.content(8) = words({0xFFFFFFFE, 0xFFFFFFFE, 0xFFFFFFFF, 0, 0});
    EXPECT_THAT(refusal(file), HasSubstr("12884901883 references, expected at most 4294967295"));
    file.content(8) = words({0x7FFFFFFE, 2, 1, 0, 0});
    EXPECT_THAT(refusal(file), HasSubstr("section references of 20 bytes"));
}

TEST_F(HeapFiles, AnotherVersionOrFormatIsNamed) {
    File file;
    file.version = 2;
    EXPECT_THAT(refusal(file), HasSubstr("offset 8: found version 2, expected 1"));
    EXPECT_THAT(refusal("\x7f" + std::string("ELF and so on, for more than the header's length")),
                HasSubstr("offset 0: "));
    EXPECT_THAT(refusal(std::string()), HasSubstr("offset 0: "));
}

TEST_F(HeapFiles, WhatIsNoFileIsRefused) {
    EXPECT_THROW(read_heap_file((directory_ / "nothing.heap").string()), HeapFileError);
    EXPECT_THROW(read_heap_file(directory_.string()), HeapFileError);
}

TEST_F(HeapFiles, ContentsMustFitEachOther) {
    struct Case {
        const char* what;
        uint32_t section;
        std::string content;
        const char* message;
    };
    const std::vector<Case> cases = {
        {"an unknown kind", 3, octets({1, 2, 7, 0, 0}), "kind 7 of object 2"},
        {"an unknown flag", 4, octets({1, 1, 1, 0, 8}), "flags 8 of object 4"},
        {"a tracked leaf", 4, octets({1, 1, 1, 1, 2}), "a tracked leaf, object 3"},
        {"another tracked count", 4, octets({1, 1, 0, 0, 2}), "2 tracked objects, expected 3"},
        {"no such type", 5, words({0, 1, 2, 1, 1}), "type 2 of object 2"},
        {"too few types of objects", 5, words({0, 1, 1, 1}), "16 bytes, expected 20 for 5 items"},
        {"too few sizes", 6, words({0}), "section sizes of 4 bytes"},
        {"not whole numbers", 6, std::string(19, '\0'), "section sizes of 19 bytes"},
        {"an unreachable object", 7, words({0, 0, 0, 1, 0}), "object 0 that nothing refers to"},
        {"an odd dict", 8, words({1, 3, 1, 0, 0}), "3 references of object 1, expected pairs"},
        {"a leaf that refers", 8, words({2, 2, 0, 1, 0}),
         "1 references of object 3, expected none"},
        {"fewer degrees than references", 8, words({2, 2, 0, 0, 0}), "20 bytes, expected 16"},
        {"more degrees than references", 8, words({3, 2, 1, 0, 0}), "20 bytes, expected 24"},
        {"no such object", 9, words({1, 2, 3, 5, 3}), "a reference to object 5, expected less"},
        {"a name past the end", 2, packed<uint16_t>(5) + "list", "a name of 5 bytes"},
        {"half a length", 2, packed<uint16_t>(1) + "Tx", "a name of 0 bytes"},
        {"a name with a control character", 2, packed<uint16_t>(1) + "\n", "printable ASCII"},
        {"no JSON", 1, "{\"python\": ", "metadata with"},
        {"JSON of another shape", 1, "[]", "metadata with"},
        {"an empty object", 1, "{}", "metadata with"},
        {"long metadata", 1, std::string((1 << 20) + 1, ' '), "metadata of 1048577 bytes"},
        {"deep metadata", 1, std::string(1 << 20, '['), "metadata nested too deep"},
    };
    for (const Case& wrong : cases) {
        File file;
        file.content(wrong.section) = wrong.content;
        EXPECT_THAT(refusal(file), HasSubstr(wrong.message)) << wrong.what;
    }
}

TEST_F(HeapFiles, MetadataHaveTheirFieldsAndTypes) {
    const std::vector<std::pair<std::string, std::string>> replacements = {
        {"\"version\"", "\"vision\""},
        {"\"3.11.2\"", "3.11"},
        {"false", "0"},
        {"\"path\": \"p.py\", \"module\": null", "\"path\": null, \"module\": null"},
        {"[\"a\", \"b\"]", "\"a b\""},
        {"[\"a\", \"b\"]", "[\"a\", 5]"},
        {"\"first_ns\": 9", "\"first_ns\": -9"},
        {"\"first_ns\": 9", "\"first_ns\": 9.5"},
        {"[7, 8, 6]", "[]"},
        {"[7, 8, 6]", "7"},
        {"[7, 8, 6]", "[7, \"8\"]"},
        {"\"tracked_objects\": 3", "\"tracked\": 3"},
        {"\"tracked_objects\": 3", "\"tracked_objects\": 30000000000000000000"},
    };
    for (const auto& [from, to] : replacements) {
        File file;
        std::string& text = file.content(1);
        ASSERT_NE(text.find(from), std::string::npos) << from;
        text.replace(text.find(from), from.size(), to);
        EXPECT_NE(refusal(file), "") << from << " -> " << to;
    }
}

}  // namespace
}  // namespace ouro::workloads
