// What is left when the runtime ends.
#pragma once

namespace ouro::api {

// Counts what is there now: it is nobody's leak. Does nothing unless the setting `leaks` is on.
void begin_leak_report();

// Prints on standard error how many objects of each type are left that were not there then; not those that live
// for ever. In a stop, after the last collection.
void report_leaks();

}  // namespace ouro::api
