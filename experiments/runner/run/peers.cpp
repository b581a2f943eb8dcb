#include "experiments/runner/run/peers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "experiments/runner/run/document.hpp"

namespace ouro::runner {
namespace {

// The last line of a file; empty if there is none.
std::string last_line(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string found;
    for (std::string line; std::getline(file, line);) {
        found = line.empty() ? found : line;
    }
    return found;
}

class PeerFile {
public:
    PeerFile(const Toml& table, Mistakes& mistakes) : table_(table), mistakes_(mistakes) {}

    std::vector<Peer::Variant> variants(const std::string& peer, const std::string& file) {
        Fields fields(table_, mistakes_);
        for (const char* others : {"title", "packages", "unpacked"}) {
            fields.take(others);  // experiments/peers/build reads them
        }
        const Toml* variants = table_of(fields, "variants");
        const Toml* environment = table_of(fields, "environment");
        fields.end();
        if (variants == nullptr || variants->as_table().empty()) {
            mistakes_.add(file, 1, 1, "[variants]: is missing; allowed: VARIANT = [arguments]");
            return {};
        }
        std::vector<Peer::Variant> found;
        for (const auto& [name, arguments] : variants->as_table()) {
            if (!is_of(name, peer)) {
                mistakes_.add_at_key(
                    arguments, name,
                    fmt::format("[variants]: found '{}'; allowed: {}-WORD", name, peer));
            }
            found.push_back({name, texts(arguments, name)});
        }
        if (environment != nullptr) {
            add_environments(found, *environment);
        }
        return found;
    }

private:
    const Toml* table_of(Fields& fields, const std::string& key) {
        const Toml* value = fields.take(key);
        if (value != nullptr && !value->is_table()) {
            mistakes_.add_at_key(*value, key, fmt::format("{}: allowed: a table", key));
            return nullptr;
        }
        return value;
    }

    // Letters, digits, - and _, because they are parts of file names.
    static bool is_of(const std::string& variant, const std::string& peer) {
        return (variant == peer || variant.starts_with(peer + "-")) &&
               std::ranges::all_of(variant, [](unsigned char c) {
                   return std::isalnum(c) || c == '-' || c == '_' || c == '.';
               });
    }

    Words texts(const Toml& list, const std::string& name) {
        Words found;
        if (!list.is_array()) {
            mistakes_.add(list, fmt::format("{}: allowed: a list of arguments", name));
            return found;
        }
        for (const Toml& each : list.as_array()) {
            found.push_back(read_text(each, name, mistakes_).value_or(""));
        }
        return found;
    }

    void add_environments(std::vector<Peer::Variant>& variants, const Toml& environment) {
        for (const auto& [name, settings] : environment.as_table()) {
            const auto variant = std::ranges::find(variants, name, &Peer::Variant::name);
            if (variant == variants.end() || !settings.is_table()) {
                mistakes_.add_at_key(
                    settings, name,
                    fmt::format(
                        "[environment]: found '{}'; allowed: VARIANT = {{NAME = \"value\"}}",
                        name));
                continue;
            }
            for (const auto& [key, value] : settings.as_table()) {
                variant->environment.emplace_back(key,
                                                  read_text(value, key, mistakes_).value_or(""));
            }
        }
    }

    const Toml& table_;
    Mistakes& mistakes_;
};

// Where `experiments/peers/build` puts what it makes of a peer: `run`, `version`, or `skipped`.
void look_for_build(Peer& peer, const std::filesystem::path& folder) {
    const std::filesystem::path run = folder / "run";
    peer.version = last_line(folder / "version");
    if (access(run.c_str(), X_OK) == 0 && !peer.version.empty()) {
        peer.program = run;
        return;
    }
    const std::string reason = last_line(folder / "skipped");
    peer.missing =
        reason.empty() ? "not built; experiments/peers/build " + peer.name + " does" : reason;
}

}  // namespace

std::vector<Peer> find_peers(const Places& places, Mistakes& mistakes) {
    std::vector<Peer> found;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(places.experiments / "peers", error)) {
        const std::filesystem::path file = entry.path() / "peer.toml";
        if (!std::filesystem::exists(file)) {
            continue;
        }
        Peer peer{.name = entry.path().filename(), .variants = {}};
        const Document document = read_document({file.string()}, {}, mistakes);
        if (document.table.is_table()) {
            peer.variants = PeerFile(document.table, mistakes).variants(peer.name, file);
        }
        look_for_build(peer, places.peers / peer.name);
        found.push_back(std::move(peer));
    }
    std::ranges::sort(found, {}, &Peer::name);
    return found;
}

Subject subject_of(const Peer& peer, const Peer::Variant& variant) {
    Subject subject;
    subject.kind = Subject::Kind::kPeer;
    subject.name = variant.name;
    subject.program = peer.program;
    subject.version = peer.version;
    subject.arguments = variant.arguments;
    subject.environment = variant.environment;
    return subject;
}

}  // namespace ouro::runner
