// int, bool and float: their methods, called by name. Each result is
// CPython 3.11's. Source: "Numeric Types".

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

using NumberMethods = Things;

TEST_P(NumberMethods, Ints) {
    expect_methods({
        {"5", "bit_length", "", "3"},
        {"0", "bit_length", "", "0"},
        {"-256", "bit_length", "", "9"},
        {"123456789012345678901234567890", "bit_length", "", "97"},
        {"5", "bit_length", "1", "TypeError: int.bit_length() takes no arguments (1 given)"},
        {"-7", "bit_count", "", "3"},
        {"123456789012345678901234567890", "bit_count", "", "54"},
        {"5", "conjugate", "", "5"},
        {"True", "conjugate", "", "1"},
        {"5", "as_integer_ratio", "", "(5, 1)"},
        {"12345", "__round__", "-2", "12300"},
        {"12350", "__round__", "-2", "12400"},
        {"12450", "__round__", "-2", "12400"},
        {"-12355", "__round__", "-1", "-12360"},
        {"12345", "__round__", "2", "12345"},
        {"12345", "__round__", "", "12345"},
        {"12345", "__round__", "'x'",
         "TypeError: 'str' object cannot be interpreted as an integer"},
        {"123456789012345678901234567890", "__round__", "-20", "123456789000000000000000000000"},
        {"7", "__trunc__", "", "7"},
        {"7", "__floor__", "", "7"},
        {"7", "__ceil__", "", "7"},
    });
}

TEST_P(NumberMethods, IntsAsBytes) {
    expect_methods({
        {"1", "to_bytes", "", "b'\\x01'"},
        {"1", "to_bytes", "2", "b'\\x00\\x01'"},
        {"258", "to_bytes", "2, 'little'", "b'\\x02\\x01'"},
        {"258", "to_bytes", "4, 'big'", "b'\\x00\\x00\\x01\\x02'"},
        {"-1", "to_bytes", "2, 'big'", "b'\\xff\\xff'", "{'signed': True}"},
        {"-129", "to_bytes", "2, 'big'", "b'\\xff\\x7f'", "{'signed': True}"},
        {"-128", "to_bytes", "1, 'big'", "b'\\x80'", "{'signed': True}"},
        {"128", "to_bytes", "1, 'big'", "OverflowError: int too big to convert",
         "{'signed': True}"},
        {"0", "to_bytes", "0, 'big'", "b''"},
        {"123456789012345678901234567890", "to_bytes", "16, 'big'",
         "b'\\x00\\x00\\x00\\x01\\x8e\\xe9\\x0f\\xf6\\xc3s\\xe0\\xeeN?\\n\\xd2'"},
        {"-123456789012345678901234567890", "to_bytes", "16, 'little'",
         "b'.\\xf5\\xc0\\xb1\\x11\\x1f\\x8c<\\t\\xf0\\x16q\\xfe\\xff\\xff\\xff'",
         "{'signed': True}"},
        {"256", "to_bytes", "1, 'big'", "OverflowError: int too big to convert"},
        {"-1", "to_bytes", "1, 'big'", "OverflowError: can't convert negative int to unsigned"},
        {"1", "to_bytes", "-1, 'big'", "ValueError: length argument must be non-negative"},
        {"1", "to_bytes", "1, 'x'", "ValueError: byteorder must be either 'little' or 'big'"},
        {"1", "to_bytes", "'a'", "TypeError: 'str' object cannot be interpreted as an integer"},
        {"1", "to_bytes", "1, 1",
         "TypeError: to_bytes() argument 'byteorder' must be str, not int"},
        {"0", "from_bytes", "b'\\x01\\x02'", "258"},
        {"0", "from_bytes", "b'\\x01\\x02', 'little'", "513"},
        {"0", "from_bytes", "b'\\xff\\x00', 'big'", "-256", "{'signed': True}"},
        {"0", "from_bytes", "b'\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff', 'big'", "-1",
         "{'signed': True}"},
        {"0", "from_bytes", "b'\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01', 'little'",
         "4722366482869645213824"},
        {"0", "from_bytes", "b''", "0"},
        {"0", "from_bytes", "[1, 2], 'big'", "258"},
        {"0", "from_bytes", "[300], 'big'", "ValueError: bytes must be in range(0, 256)"},
        {"0", "from_bytes", "'a', 'big'", "TypeError: cannot convert 'str' object to bytes"},
        {"0", "from_bytes", "1", "TypeError: cannot convert 'int' object to bytes"},
        {"0", "from_bytes", "b'a', 'x'", "ValueError: byteorder must be either 'little' or 'big'"},
        {"0", "from_bytes", "",
         "TypeError: from_bytes() missing required argument 'bytes' (pos 1)"},
        {"True", "from_bytes", "b'\\x01'", "True"},
    });
}

TEST_P(NumberMethods, Floats) {
    expect_methods({
        {"1.5", "is_integer", "", "False"},
        {"2.0", "is_integer", "", "True"},
        {"inf", "is_integer", "", "False"},
        {"1.5", "as_integer_ratio", "", "(3, 2)"},
        {"-0.1", "as_integer_ratio", "", "(-3602879701896397, 36028797018963968)"},
        {"1e300", "as_integer_ratio", "",
         "(1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371"
         "37508044786404370444383288387817694252323536043057564479218478670698284838720092657580373"
         "78302337947880900593689532349707999450811190389676408800746527427801424945792587888200568"
         "42838115669472196386865459400540160, 1)"},
        {"0.0", "as_integer_ratio", "", "(0, 1)"},
        {"inf", "as_integer_ratio", "", "OverflowError: cannot convert Infinity to integer ratio"},
        {"nan", "as_integer_ratio", "", "ValueError: cannot convert NaN to integer ratio"},
        {"1.5", "hex", "", "'0x1.8000000000000p+0'"},
        {"-0.1", "hex", "", "'-0x1.999999999999ap-4'"},
        {"0.0", "hex", "", "'0x0.0p+0'"},
        {"-0.0", "hex", "", "'-0x0.0p+0'"},
        {"5e-324", "hex", "", "'0x0.0000000000001p-1022'"},
        {"1e300", "hex", "", "'0x1.7e43c8800759cp+996'"},
        {"inf", "hex", "", "'inf'"},
        {"nan", "hex", "", "'nan'"},
        {"0.0", "fromhex", "'0x1.8p1'", "3.0"},
        {"0.0", "fromhex", "' -1.8P+1 '", "-3.0"},
        {"0.0", "fromhex", "'0x.1p-2'", "0.015625"},
        {"0.0", "fromhex", "'inf'", "inf"},
        {"0.0", "fromhex", "'-Infinity'", "-inf"},
        {"0.0", "fromhex", "'NaN'", "nan"},
        {"0.0", "fromhex", "'0x1p1024'",
         "OverflowError: hexadecimal value too large to represent as a float"},
        {"0.0", "fromhex", "'0x1p-2000'", "0.0"},
        {"0.0", "fromhex", "'0x'", "ValueError: invalid hexadecimal floating-point string"},
        {"0.0", "fromhex", "'zz'", "ValueError: invalid hexadecimal floating-point string"},
        {"0.0", "fromhex", "''", "ValueError: invalid hexadecimal floating-point string"},
        {"0.0", "fromhex", "'0x-1'", "ValueError: invalid hexadecimal floating-point string"},
        {"0.0", "fromhex", "'0x1p'", "ValueError: invalid hexadecimal floating-point string"},
        {"0.0", "fromhex", "1", "TypeError: bad argument type for built-in operation"},
        {"2.5", "__round__", "", "2"},
        {"3.5", "__round__", "", "4"},
        {"-2.5", "__round__", "", "-2"},
        {"2.675", "__round__", "2", "2.67"},
        {"2.5", "__round__", "0", "2.0"},
        {"1234.5", "__round__", "-2", "1200.0"},
        {"1e300", "__round__", "400", "1e+300"},
        {"1e300", "__round__", "-400", "0.0"},
        {"inf", "__round__", "1", "inf"},
        {"inf", "__round__", "", "OverflowError: cannot convert float infinity to integer"},
        {"nan", "__round__", "", "ValueError: cannot convert float NaN to integer"},
        {"1.5", "__round__", "'x'", "TypeError: 'str' object cannot be interpreted as an integer"},
        {"-1.5", "__trunc__", "", "-1"},
        {"-1.5", "__floor__", "", "-2"},
        {"-1.5", "__ceil__", "", "-1"},
        {"nan", "__trunc__", "", "ValueError: cannot convert float NaN to integer"},
        {"inf", "__floor__", "", "OverflowError: cannot convert float infinity to integer"},
        {"1.5", "conjugate", "", "1.5"},
    });
}

EVERY_WAY_OF_COUNTING(NumberMethods);

}  // namespace
}  // namespace ouro::test
