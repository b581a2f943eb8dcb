// One import at a time: whoever imports may import more, others wait.
#pragma once

namespace ouro::module {

// Held by a thread while it looks for a module, makes it and executes it. A thread that waits is detached.
// An init function that waits for another thread's import waits for ever.
class ImportLock {
public:
    ImportLock();
    ~ImportLock();
    ImportLock(const ImportLock&) = delete;
    ImportLock& operator=(const ImportLock&) = delete;
};

// If another thread holds it, that one never comes back: nobody holds it from now on. Pre: the caller is alone.
void forget_importers();

}  // namespace ouro::module
