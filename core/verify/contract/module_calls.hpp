// The calls of a loaded module into the runtime.
//
// A shared object calls functions of others through a table of addresses that the loader has filled. Other addresses
// in there see each call, with the place it comes from; nothing changes for other callers, nor in the runtime.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ouro::contract {

class ModuleCalls {
public:
    // Of what dlopen returned.
    explicit ModuleCalls(void* handle);

    // From now on the module calls `to` instead of the function `name`.
    void redirect(std::string_view name, void* to) const;
    // The functions of others that it calls, or takes the address of, and where the address is that it uses.
    struct Function {
        std::string name;
        void** entry;
    };
    const std::vector<Function>& functions() const { return functions_; }
    static void store(void** entry, void* to);

    // Whether an address is the module's: its code or data; its variables alone.
    bool contains(const void* address) const { return is_in(address, parts_); }
    bool is_variable(const void* address) const { return is_in(address, variables_); }

    struct Range {
        uintptr_t begin, end;
    };
    const std::vector<Range>& variables() const { return variables_; }

private:
    static bool is_in(const void* address, const std::vector<Range>& ranges);
    void find_functions(const void* dynamic, uintptr_t base);

    std::vector<Function> functions_;
    std::vector<Range> parts_, variables_;
};

}  // namespace ouro::contract
