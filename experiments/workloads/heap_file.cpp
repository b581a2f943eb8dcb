#include "experiments/workloads/heap_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "experiments/workloads/nesting.hpp"

namespace ouro::workloads {
namespace {

static_assert(std::endian::native == std::endian::little, "the sections are read as they lie");

constexpr std::string_view kMagic = "OUROHEAP";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kHeaderBytes = 28;
constexpr uint64_t kSectionHeadBytes = 16;
constexpr uint64_t kMostMetadataBytes = 1 << 20;
constexpr uint64_t kMostItems = 0xFFFFFFFF;

// In the order of the file; an identifier is a name's position here plus one.
constexpr std::array<std::string_view, 9> kSections = {
    "metadata", "types", "kinds", "flags", "type_of", "sizes", "external", "degrees", "references"};

constexpr auto kCrcTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
        table[byte] = crc;
    }
    return table;
}();

// The CRC-32 of zlib: of `bytes`, continuing from `crc`, that of what came before.
uint32_t crc32(std::span<const uint8_t> bytes, uint32_t crc = 0) {
    crc = ~crc;
    for (uint8_t byte : bytes)
        crc = kCrcTable[(crc ^ byte) & 0xFF] ^ (crc >> 8);
    return ~crc;
}

template <class Number>
Number number_at(const uint8_t* bytes) {
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

std::string counted(uint64_t number, const char* noun) {
    return std::to_string(number) + " " + noun;
}

// Reads the file from front to back. Lengths are checked against what is left of the file before
// anything of that length is allocated.
class Reader {
public:
    Reader(std::istream& stream, uint64_t size, const std::string& name)
        : name_(name), stream_(stream), size_(size) {}

    HeapFile read();
    // Of all objects together. What comes before their sizes is passed over.
    uint64_t object_bytes();

private:
    [[noreturn]] void refuse(uint64_t offset, const std::string& found,
                             const std::string& expected) const {
        throw HeapFileError(name_, offset, "found " + found + ", expected " + expected);
    }

    void read_header();
    uint64_t open_section();
    template <class Item>
    std::vector<Item> section_of_items(uint64_t count);
    template <class Item>
    std::vector<Item> section_items(uint64_t length);

    void read_bytes(void* to, uint64_t length);
    void read_metadata(HeapMetadata& metadata);
    std::vector<std::string> read_types();
    void check_objects(const HeapFile& heap) const;
    void check_everything_is_reachable(const HeapFile& heap) const;

    std::string name_;
    std::istream& stream_;
    uint64_t size_;
    uint64_t offset_ = 0;   // of the next byte
    uint32_t section_ = 0;  // the identifier of the section last opened
    std::array<uint8_t, kSectionHeadBytes> head_{};
    std::array<uint64_t, kSections.size() + 1> contents_{};  // where each one's content starts
};

void Reader::read_bytes(void* to, uint64_t length) {
    if (length > size_ - offset_)
        refuse(offset_, counted(size_ - offset_, "more bytes"), std::to_string(length));
    stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(length));
    if (static_cast<uint64_t>(stream_.gcount()) != length) {
        refuse(offset_ + static_cast<uint64_t>(stream_.gcount()),
               "its end, or an error, while it is read", counted(length, "bytes"));
    }
    offset_ += length;
}

void Reader::read_header() {
    std::array<uint8_t, kHeaderBytes> header{};
    const uint64_t length = std::min<uint64_t>(size_, kMagic.size());
    read_bytes(header.data(), length);
    if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0)
        refuse(0, "another beginning", "the 8 bytes OUROHEAP");
    read_bytes(header.data() + length, kHeaderBytes - length);
    // The version first: another version may have another header.
    if (const auto version = number_at<uint32_t>(&header[8]); version != kVersion)
        refuse(8, "version " + std::to_string(version), std::to_string(kVersion));
    if (crc32({header.data(), 24}) != number_at<uint32_t>(&header[24]))
        refuse(24, "another CRC-32", "that of the header's first 24 bytes");
    if (const auto count = number_at<uint32_t>(&header[12]); count != kSections.size())
        refuse(12, counted(count, "sections"), std::to_string(kSections.size()));
    if (const auto total = number_at<uint64_t>(&header[16]); total != size_)
        refuse(16, "a file of " + counted(size_, "bytes"), counted(total, "as its header says"));
}

// Reads the head of the next section, which must be the one after the last; -> its length, which
// the rest of the file has.
uint64_t Reader::open_section() {
    const uint64_t start = offset_;
    const std::string name(kSections[section_]);
    ++section_;
    read_bytes(head_.data(), head_.size());
    if (const auto identifier = number_at<uint32_t>(head_.data()); identifier != section_) {
        refuse(start, "section " + std::to_string(identifier),
               "section " + std::to_string(section_) + " (" + name + ")");
    }
    const auto length = number_at<uint64_t>(&head_[4]);
    if (length > size_ - offset_) {
        refuse(start + 4, "section " + name + " of " + counted(length, "bytes"),
               "at most the " + std::to_string(size_ - offset_) + " that are left");
    }
    contents_[section_] = offset_;
    return length;
}

// The rest of the section just opened, its CRC checked.
template <class Item>
std::vector<Item> Reader::section_items(uint64_t length) {
    std::vector<Item> items(length / sizeof(Item));
    read_bytes(items.data(), length);
    const uint32_t crc =
        crc32({reinterpret_cast<const uint8_t*>(items.data()), length}, crc32({head_.data(), 12}));
    if (crc != number_at<uint32_t>(&head_[12])) {
        refuse(contents_[section_] - 4, "another CRC-32",
               "that of section " + std::string(kSections[section_ - 1]));
    }
    return items;
}

// The next section, of `count` items.
template <class Item>
std::vector<Item> Reader::section_of_items(uint64_t count) {
    const uint64_t length = open_section();
    if (length != count * sizeof(Item)) {
        refuse(contents_[section_] - 12,
               "section " + std::string(kSections[section_ - 1]) + " of " +
                   counted(length, "bytes"),
               std::to_string(count * sizeof(Item)) + " for " + counted(count, "items"));
    }
    return section_items<Item>(length);
}

void Reader::read_metadata(HeapMetadata& metadata) {
    const uint64_t length = open_section();
    if (length > kMostMetadataBytes) {
        refuse(contents_[section_] - 12, "metadata of " + counted(length, "bytes"),
               "at most " + std::to_string(kMostMetadataBytes));
    }
    const auto bytes = section_items<char>(length);
    metadata.json.assign(bytes.begin(), bytes.end());
    const uint64_t content = contents_[section_];
    if (too_deep_at(metadata.json)) {
        refuse(content, "metadata nested too deep",
               "at most " + std::to_string(kMostNesting) + " levels");
    }
    try {
        const auto json = nlohmann::json::parse(metadata.json);
        const auto& python = json.at("python");
        python.at("version").get_to(metadata.python_version);
        python.at("implementation").get_to(metadata.python_implementation);
        python.at("free_threaded").get_to(metadata.free_threaded);
        const auto& program = json.at("program");
        metadata.program = program.at("path").is_string()
                               ? program["path"].get<std::string>()
                               : "-m " + program.at("module").get<std::string>();
        program.at("args").get_to(metadata.arguments);
        const auto& collect = json.at("collect");
        // get_to would turn a negative or fractional number into some other one.
        const auto whole_number = [&](const nlohmann::json& value) {
            if (!value.is_number_unsigned())
                refuse(content, std::string("metadata with a ") + value.type_name(),
                       "a whole number");
            return value.get<uint64_t>();
        };
        metadata.first_collect_ns = whole_number(collect.at("first_ns"));
        metadata.median_collect_ns = whole_number(collect.at("median_ns"));
        if (!collect.at("samples_ns").is_array())
            refuse(content, "metadata whose collect.samples_ns is no array", "an array");
        for (const auto& sample : collect["samples_ns"])
            metadata.collect_samples_ns.push_back(whole_number(sample));
        if (metadata.collect_samples_ns.empty())
            refuse(content, "no collect.samples_ns", "at least one");
        metadata.tracked_objects = whole_number(json.at("tracked_objects"));
    } catch (const nlohmann::json::exception& error) {
        refuse(content, std::string("metadata with ") + error.what(), "what FORMAT.md lists");
    }
}

std::vector<std::string> Reader::read_types() {
    const auto bytes = section_items<char>(open_section());
    const uint64_t content = contents_[section_];
    std::vector<std::string> types;
    for (uint64_t at = 0; at < bytes.size();) {
        const uint64_t left = bytes.size() - at;
        const uint64_t length =
            left < 2 ? 0 : number_at<uint16_t>(reinterpret_cast<const uint8_t*>(&bytes[at]));
        if (left < 2 + length) {
            refuse(content + at, "a name of " + counted(length, "bytes"),
                   "one that ends with the section, " + counted(left, "bytes on"));
        }
        const std::string_view name(bytes.data() + at + 2, length);
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; }))
            refuse(content + at + 2, "a type's name of other characters", "printable ASCII");
        types.emplace_back(name);
        at += 2 + length;
    }
    return types;
}

// What each object's entries must be to each other and to the tables.
void Reader::check_objects(const HeapFile& heap) const {
    const auto where = [&](uint32_t section, uint64_t item, uint64_t width) {
        return contents_[section] + item * width;
    };
    const auto of = [](uint32_t object) { return " of object " + std::to_string(object); };
    uint64_t tracked = 0;
    for (uint32_t i = 0; i < heap.object_count(); ++i) {
        if (heap.kinds[i] > HeapKind::kInstance) {
            refuse(where(3, i, 1),
                   "kind " + std::to_string(static_cast<unsigned>(heap.kinds[i])) + of(i),
                   "at most " + std::to_string(static_cast<unsigned>(HeapKind::kInstance)));
        }
        if ((heap.flags[i] & ~HeapFile::kKnownFlags) != 0) {
            refuse(where(4, i, 1), "flags " + std::to_string(heap.flags[i]) + of(i),
                   "no more than " + std::to_string(HeapFile::kKnownFlags));
        }
        if (heap.type_of[i] >= heap.types.size()) {
            refuse(where(5, i, 4), "type " + std::to_string(heap.type_of[i]) + of(i),
                   "less than " + std::to_string(heap.types.size()));
        }
        const uint64_t degree = heap.references_of(i).size();
        if (heap.kinds[i] == HeapKind::kDict && degree % 2 != 0)
            refuse(where(8, i, 4), counted(degree, "references") + of(i), "pairs: it is a dict");
        if (heap.kinds[i] == HeapKind::kLeaf && degree != 0)
            refuse(where(8, i, 4), counted(degree, "references") + of(i), "none: it is a leaf");
        if (heap.kinds[i] == HeapKind::kLeaf && heap.is_tracked(i))
            refuse(where(4, i, 1), "a tracked leaf, object " + std::to_string(i), "a container");
        if (heap.is_tracked(i))
            ++tracked;
    }
    if (tracked != heap.metadata.tracked_objects) {
        refuse(contents_[4], counted(tracked, "tracked objects"),
               std::to_string(heap.metadata.tracked_objects) + " as the metadata say");
    }
    for (uint64_t i = 0; i < heap.references.size(); ++i) {
        if (heap.references[i] >= heap.object_count()) {
            refuse(where(9, i, 4), "a reference to object " + std::to_string(heap.references[i]),
                   "less than " + std::to_string(heap.object_count()));
        }
    }
}

void Reader::check_everything_is_reachable(const HeapFile& heap) const {
    std::vector<bool> seen(heap.object_count());
    std::vector<uint32_t> pending;
    const auto reach = [&](uint32_t object) {
        if (!seen[object]) {
            seen[object] = true;
            pending.push_back(object);
        }
    };
    for (uint32_t i = 0; i < heap.object_count(); ++i) {
        if (heap.is_root(i))
            reach(i);
    }
    while (!pending.empty()) {
        const uint32_t object = pending.back();
        pending.pop_back();
        for (uint32_t target : heap.references_of(object))
            reach(target);
    }
    const auto missed = std::find(seen.begin(), seen.end(), false) - seen.begin();
    if (static_cast<size_t>(missed) != seen.size()) {
        refuse(contents_[7] + 4 * static_cast<uint64_t>(missed),
               "object " + std::to_string(missed) + " that nothing refers to",
               "all to be reachable from those referenced from outside");
    }
}

HeapFile Reader::read() {
    HeapFile heap;
    read_header();
    read_metadata(heap.metadata);
    heap.types = read_types();
    const uint64_t objects = open_section();
    if (objects > kMostItems) {
        refuse(contents_[section_] - 12, counted(objects, "objects"),
               "at most " + std::to_string(kMostItems));
    }
    heap.kinds = section_items<HeapKind>(objects);
    heap.flags = section_of_items<uint8_t>(objects);
    heap.type_of = section_of_items<uint32_t>(objects);
    heap.sizes = section_of_items<uint32_t>(objects);
    heap.external = section_of_items<uint32_t>(objects);
    auto degrees = section_of_items<uint32_t>(objects);
    const uint64_t references = std::accumulate(degrees.begin(), degrees.end(), uint64_t{0});
    if (references > kMostItems) {
        refuse(contents_[section_], counted(references, "references"),
               "at most " + std::to_string(kMostItems));
    }
    heap.references = section_of_items<uint32_t>(references);
    if (offset_ != size_)
        refuse(offset_, counted(size_ - offset_, "more bytes"), "the end of the file");
    // Degrees become positions in place: one item more, each the sum of what is before it.
    degrees.push_back(0);
    std::exclusive_scan(degrees.begin(), degrees.end(), degrees.begin(), uint32_t{0});
    heap.first_reference = std::move(degrees);
    check_objects(heap);
    check_everything_is_reachable(heap);
    return heap;
}

uint64_t Reader::object_bytes() {
    read_header();
    while (kSections[section_] != "sizes") {
        const uint64_t length = open_section();
        stream_.seekg(static_cast<std::streamoff>(length), std::ios::cur);
        offset_ += length;
    }
    const auto sizes = section_items<uint32_t>(open_section());
    return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
}

// What `use` makes of the reader of a file. Throws HeapFileError if it cannot be opened.
template <typename Use>
auto with_reader(const std::string& path, Use use) {
    const auto refuse = [&](const std::string& found) {
        throw HeapFileError(path, 0, "found " + found + ", expected a heap file");
    };
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
        refuse(failed ? "no way to read it: " + failed.message() : "no regular file");
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        refuse("no way to open it: " + std::string(std::strerror(errno)));
    }
    const uint64_t size = std::filesystem::file_size(path, failed);
    if (failed) {
        refuse("no way to read it: " + failed.message());
    }
    return use(Reader(stream, size, path), size);
}

}  // namespace

HeapFileError::HeapFileError(const std::string& file, uint64_t offset, const std::string& what)
    : std::runtime_error(file + ": offset " + std::to_string(offset) + ": " + what),
      offset_(offset) {}

uint64_t HeapFile::container_bytes() const {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < object_count(); ++i) {
        bytes += is_container(i) ? (uint64_t{sizes[i]} + 15) / 16 * 16 : 0;
    }
    return bytes;
}

HeapFile read_heap_file(std::istream& stream, uint64_t size, const std::string& name) {
    return Reader(stream, size, name).read();
}

HeapFile read_heap_file(const std::string& path) {
    return with_reader(path, [](Reader reader, uint64_t) { return reader.read(); });
}

uint64_t heap_file_bytes(const std::string& path) {
    return with_reader(path,
                       [](Reader reader, uint64_t size) { return size + reader.object_bytes(); });
}

}  // namespace ouro::workloads
