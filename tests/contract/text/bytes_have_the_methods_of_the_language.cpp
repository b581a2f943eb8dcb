// bytes: their methods, called by name. Each result is
// CPython 3.11's. Source: "Binary Sequence Types".

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

using BytesMethods = Things;

TEST_P(BytesMethods, SplitAndJoin) {
    expect_methods({
        {"b'a b  c'", "split", "", "[b'a', b'b', b'c']"},
        {"b'  a b  '", "split", "", "[b'a', b'b']"},
        {"b'a,b,,c'", "split", "b','", "[b'a', b'b', b'', b'c']"},
        {"b'a,b,c'", "split", "b',', 1", "[b'a', b'b,c']"},
        {"b'a,b,c'", "split", "", "[b'a', b'b,c']", "{'sep': b',', 'maxsplit': 1}"},
        {"b''", "split", "", "[]"},
        {"b''", "split", "b','", "[b'']"},
        {"b'a'", "split", "b''", "ValueError: empty separator"},
        {"b'a'", "split", "'a'", "TypeError: a bytes-like object is required, not 'str'"},
        {"b'a'", "split", "1", "TypeError: a bytes-like object is required, not 'int'"},
        {"b' a b  c '", "rsplit", "None, 1", "[b' a b', b'c']"},
        {"b'a b c'", "rsplit", "", "[b'a', b'b', b'c']"},
        {"b'a,b,c'", "rsplit", "b',', 1", "[b'a,b', b'c']"},
        {"b'a\\nb\\r\\nc'", "splitlines", "", "[b'a', b'b', b'c']"},
        {"b'a\\nb\\rc\\n'", "splitlines", "True", "[b'a\\n', b'b\\r', b'c\\n']"},
        {"b', '", "join", "[b'a', b'b']", "b'a, b'"},
        {"b'-'", "join", "[b'a']", "b'a'"},
        {"b''", "join", "[b'a', 'b']",
         "TypeError: sequence item 1: expected a bytes-like object, str found"},
        {"b''", "join", "1", "TypeError: can only join an iterable"},
        {"b'a=b=c'", "partition", "b'='", "(b'a', b'=', b'b=c')"},
        {"b'a=b=c'", "rpartition", "b'='", "(b'a=b', b'=', b'c')"},
        {"b'abc'", "partition", "b'='", "(b'abc', b'', b'')"},
        {"b'abc'", "rpartition", "b'='", "(b'', b'', b'abc')"},
        {"b'abc'", "partition", "b''", "ValueError: empty separator"},
        {"b'abc'", "partition", "1", "TypeError: a bytes-like object is required, not 'int'"},
    });
}

TEST_P(BytesMethods, StripAndFill) {
    expect_methods({
        {"b'  a b \\n'", "strip", "", "b'a b'"},
        {"b'  a b '", "lstrip", "", "b'a b '"},
        {"b'  a b '", "rstrip", "", "b'  a b'"},
        {"b'xyaxy'", "strip", "b'yx'", "b'a'"},
        {"b'   '", "strip", "", "b''"},
        {"b'a'", "strip", "'a'", "TypeError: a bytes-like object is required, not 'str'"},
        {"b'ab'", "center", "5", "b'  ab '"},
        {"b'abc'", "center", "6, b'*'", "b'*abc**'"},
        {"b'ab'", "ljust", "5, b'.'", "b'ab...'"},
        {"b'ab'", "rjust", "5", "b'   ab'"},
        {"b'ab'", "center", "5, b'ab'",
         "TypeError: center() argument 2 must be a byte string of length 1, not bytes"},
        {"b'ab'", "ljust", "5, 97",
         "TypeError: ljust() argument 2 must be a byte string of length 1, not int"},
        {"b'-42'", "zfill", "5", "b'-0042'"},
        {"b'42'", "zfill", "5", "b'00042'"},
        {"b'prefix-x'", "removeprefix", "b'prefix-'", "b'x'"},
        {"b'x.c'", "removesuffix", "b'.c'", "b'x'"},
        {"b'x.c'", "removesuffix", "'.c'", "TypeError: a bytes-like object is required, not 'str'"},
    });
}

TEST_P(BytesMethods, Search) {
    expect_methods({
        {"b'abcabc'", "find", "b'c'", "2"},
        {"b'abcabc'", "find", "99", "2"},
        {"b'abcabc'", "find", "b'c', 3, 5", "-1"},
        {"b'abcabc'", "rfind", "b'c'", "5"},
        {"b'abcabc'", "index", "b'x'", "ValueError: subsection not found"},
        {"b'abcabc'", "rindex", "b'b'", "4"},
        {"b'aaaa'", "count", "b'aa'", "2"},
        {"b'aaaa'", "count", "97, 1", "3"},
        {"b'aaaa'", "count", "b''", "5"},
        {"b'a'", "find", "'a'",
         "TypeError: argument should be integer or bytes-like object, not 'str'"},
        {"b'a'", "find", "1000", "ValueError: byte must be in range(0, 256)"},
        {"b'a'", "find", "", "TypeError: find() takes at least 1 argument (0 given)"},
        {"b'abc'", "startswith", "b'ab'", "True"},
        {"b'abc'", "startswith", "(b'x', b'ab')", "True"},
        {"b'abc'", "endswith", "b'bc'", "True"},
        {"b'abc'", "endswith", "b'b', 0, 2", "True"},
        {"b'a'", "startswith", "1",
         "TypeError: startswith first arg must be bytes or a tuple of bytes, not int"},
        {"b'a'", "startswith", "(1,)", "TypeError: a bytes-like object is required, not 'int'"},
        {"b'a-b-c'", "replace", "b'-', b'+'", "b'a+b+c'"},
        {"b'a-b-c'", "replace", "b'-', b'+', 1", "b'a+b-c'"},
        {"b'abc'", "replace", "b'', b'.'", "b'.a.b.c.'"},
        {"b'a'", "replace", "'a', 'b'", "TypeError: a bytes-like object is required, not 'str'"},
        {"b'a'", "replace", "b'a'", "TypeError: replace expected at least 2 arguments, got 1"},
    });
}

TEST_P(BytesMethods, AreShownAndRead) {
    expect_methods({
        {"b'abc'", "hex", "", "'616263'"},
        {"b''", "hex", "", "''"},
        {"b'abc'", "hex", "':'", "'61:62:63'"},
        {"b'abcde'", "hex", "':', 2", "'61:6263:6465'"},
        {"b'abcde'", "hex", "':', -2", "'6162:6364:65'"},
        {"b'abcde'", "hex", "", "'6162-636465'", "{'sep': '-', 'bytes_per_sep': 3}"},
        {"b'abc'", "hex", "''", "ValueError: sep must be length 1."},
        {"b'abc'", "hex", "1", "TypeError: object of type 'int' has no len()"},
        {"b'abc'", "hex", "'é'", "ValueError: sep must be ASCII."},
        {"b''", "fromhex", "' 0a 0B '", "b'\\n\\x0b'"},
        {"b''", "fromhex", "'0'",
         "ValueError: non-hexadecimal number found in fromhex() arg at position 1"},
        {"b''", "fromhex", "'zz'",
         "ValueError: non-hexadecimal number found in fromhex() arg at position 0"},
        {"b''", "fromhex", "'0 a'",
         "ValueError: non-hexadecimal number found in fromhex() arg at position 1"},
        {"b''", "fromhex", "1", "TypeError: fromhex() argument must be str, not int"},
        {"b'abc'", "decode", "", "'abc'"},
        {"b'\\xc3\\xa9'", "decode", "", "'é'"},
        {"b'\\xe9'", "decode", "'latin-1'", "'é'"},
        {"b'\\xe9'", "decode", "'ascii'",
         "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe9 in position 0: ordinal not in "
         "range(128)"},
        {"b'\\xe9'", "decode", "'ascii', 'replace'", "'�'"},
        {"b'a'", "decode", "1", "TypeError: decode() argument 'encoding' must be str, not int"},
    });
}

TEST_P(BytesMethods, KnowAsciiLetters) {
    expect_methods({
        {"b'aBc1'", "upper", "", "b'ABC1'"},
        {"b'aBc1'", "lower", "", "b'abc1'"},
        {"b'aBc1'", "swapcase", "", "b'AbC1'"},
        {"b'aBC dEF'", "capitalize", "", "b'Abc def'"},
        {"b'aBC dEF'", "title", "", "b'Abc Def'"},
        {"b'ABC1'", "isupper", "", "True"},
        {"b'abc1'", "islower", "", "True"},
        {"b'1'", "isupper", "", "False"},
        {"b'123'", "isdigit", "", "True"},
        {"b'abc'", "isalpha", "", "True"},
        {"b'ab1'", "isalnum", "", "True"},
        {"b' \\n'", "isspace", "", "True"},
        {"b'\\xe9'", "isascii", "", "False"},
        {"b''", "isascii", "", "True"},
        {"b''", "isdigit", "", "False"},
    });
}

EVERY_WAY_OF_COUNTING(BytesMethods);

}  // namespace
}  // namespace ouro::test
