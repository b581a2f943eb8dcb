// Classes of code points. Source: the Unicode character database 14.0, as /usr/bin/python3 has it.
#pragma once

namespace ouro::text {

// Whether repr shows it as it is.
bool is_printable(char32_t c);
// Whether a name may begin with it, or go on with it.
bool begins_name(char32_t c);
bool continues_name(char32_t c);

}  // namespace ouro::text
