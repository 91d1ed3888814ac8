/* Names of functions: demangled as c++filt has them, and as people type them. */
#include "../test.h"
#include "base/array.h"
#include "image/names.h"

TEST(mangled_names_are_decoded)
{
	static const char *const rows[][2] = {
		{"_ZNK2ns3BoxIiE5heavyEi", "ns::Box<int>::heavy(int) const"},
		{"_ZlsRSoRK1A", "operator<<(std::ostream&, A const&)"},
		{"_Z1fIiEvT_.constprop.0", "void f<int>(int) [clone .constprop.0]"},
		{"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"main", NULL},
		{"_Z", NULL},
		{"_Zebra", NULL},
		{"", NULL},
		{"i", NULL},
		/* Of Rust, with a crate or all of it that has no letters. */
		{"_RNvC03bar", "::bar"},
		{"_RC0", NULL},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char *name = name_demangle(rows[i][0]);

		if (rows[i][1])
			assert_string_equal(name, rows[i][1]);
		else
			assert_null(name);
		free(name);
	}
}

static const char heavy[] = "_ZNK2ns3BoxIiE5heavyEi";
static const char written[] = "_ZN4core3fmt5write17h0123456789abcdefE";
static const char shift[] = "_ZN2ns1XlsIiEEvT_";
static const char less[] = "_ZN2nsltERKNS_3BoxIiEES3_";
static const char arrow[] = "_ZN2ns3PtrIiEptEv";

TEST(texts_name_functions)
{
	static const struct {
		const char *raw, *text;
		enum name_way way; /* the first that fits; NAME_WAYS: none */
	} rows[] = {
		{heavy, heavy, NAME_RAW},
		{heavy, "ns::Box<int>::heavy(int) const", NAME_SPELLING},
		{heavy, "ns::Box<int>::heavy", NAME_SPELLING},
		{heavy, "ns::Box::heavy", NAME_SPELLING},
		{heavy, "Box<int>::heavy", NAME_END},
		{heavy, "Box::heavy", NAME_END},
		{heavy, "heavy", NAME_END},
		{heavy, "heavy(int) const", NAME_END},
		{heavy, "ns::Box<*>::heavy", NAME_PATTERN},
		{heavy, "ns::B*", NAME_PATTERN},
		{heavy, "_ZNK*", NAME_PATTERN},
		{heavy, "Box<*>::heavy", NAME_PATTERN_END},
		{heavy, "heav?", NAME_PATTERN_END},
		{heavy, "eavy", NAME_WAYS},
		{heavy, "heavy<int>", NAME_WAYS},
		{heavy, "Box<*", NAME_PATTERN_END},
		{written, "core::fmt::write", NAME_SPELLING},
		{written, "core::fmt::write::h0123456789abcdef", NAME_SPELLING},
		{written, "fmt::write", NAME_END},
		{written, "fmt::*", NAME_PATTERN_END},
		{shift, "ns::X::operator<<", NAME_SPELLING},
		{shift, "void ns::X::operator<< <int>(int)", NAME_SPELLING},
		{less, "ns::operator<", NAME_SPELLING},
		{less, "operator<", NAME_END},
		{arrow, "ns::Ptr::operator->", NAME_SPELLING},
		{arrow, "ns::Ptr<int>::operator->", NAME_SPELLING},
		{"main", "main", NAME_RAW},
		{"main", "mai", NAME_WAYS},
		{"main", "mai*", NAME_PATTERN},
		{"main", "*::main", NAME_WAYS},
		{"[a]", "[a]", NAME_RAW},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		enum name_way way = NAME_RAW;

		while (way < NAME_WAYS && !name_fits(rows[i].raw, rows[i].text, way))
			way++;
		if (way != rows[i].way)
			fail_msg("%s: \"%s\" names it in way %d, not %d", rows[i].raw, rows[i].text,
				 way, rows[i].way);
	}
}

/* Brackets that enclose no arguments: of an operator within them, and of the type that a method of
 * Rust is for. */
TEST(brackets_are_told_apart)
{
	static const char of_operator[] = "_Z1fIXadL_ZN1XltEiEEEvv";
	static const char of_arrow[] = "_Z1fIXadL_ZN1XptEvEEEvv";
	static const char method[] = "_RNvXC1aNtB2_1SNtB2_1T1f";

	assert_true(name_fits(of_operator, "f", NAME_SPELLING));
	assert_true(name_fits(of_arrow, "f", NAME_SPELLING));
	assert_false(name_fits(of_operator, "operator<", NAME_END));
	assert_true(name_fits(method, "<a::S as a::T>::f", NAME_SPELLING));
	assert_true(name_fits(method, "f", NAME_END));
	assert_false(name_fits(method, "S as a::T>::f", NAME_END));
	assert_false(name_fits(method, "::f", NAME_SPELLING));
}

/* An identifier may be any bytes: one that is a blank has nothing behind which it could end. */
TEST(a_blank_is_a_name)
{
	char *name = name_demangle("_Z1 ");

	assert_string_equal(name, " ");
	free(name);
	assert_true(name_fits("_Z1 ", " ", NAME_SPELLING));
	assert_false(name_fits("_Z1 ", "x", NAME_SPELLING));
	assert_false(name_fits("_Z1 ", "x", NAME_END));
}

/* A scope ends with two colons. */
TEST(one_colon_is_part_of_a_name)
{
	assert_false(name_fits("a:b", "b", NAME_END));
	assert_false(name_fits("a:xb", "b", NAME_END));
	assert_true(name_fits("a::b", "b", NAME_END));
	assert_true(name_fits("a:b::c:d", "c:d", NAME_END));
	assert_false(name_fits("a:b::c:d", "d", NAME_END));
}

TEST(patterns_have_their_characters)
{
	assert_false(name_is_pattern("ns::f<int>(char)"));
	assert_true(name_is_pattern("f*"));
	assert_true(name_is_pattern("f?"));
	assert_true(name_is_pattern("f[ab]"));
}

/* Each level of this name takes the one before twice: written out it would need 2^60 bytes. */
TEST(names_that_grow_are_cut)
{
	char raw[1024] = "_Z1f1PIiiE", *name;
	size_t used;

	for (unsigned i = 0; i < 30; i++) {
		used = strlen(raw);
		/* S_, S0_, ... are the parts before; each P has the last one twice. */
		if (i == 0)
			snprintf(raw + used, sizeof(raw) - used, "S_IS0_S0_E");
		else
			snprintf(raw + used, sizeof(raw) - used, "S_IS%c_S%c_E",
				 i < 10 ? '0' + (int)i : 'A' + (int)i - 10,
				 i < 10 ? '0' + (int)i : 'A' + (int)i - 10);
	}
	name = name_demangle(raw);
	assert_non_null(name);
	assert_int_equal(strlen(name), NAME_BYTES);
	free(name);
}

/* The last one is cut after as many letters as there is room for, between two pieces. */
TEST(names_are_kept_up_to_their_length)
{
	for (unsigned length = NAME_BYTES - 2; length <= NAME_BYTES; length++) {
		char raw[NAME_BYTES + 16], wanted[NAME_BYTES + 8];
		int used = snprintf(raw, sizeof(raw), "_RNvC%u_", length);

		memset(raw + used, 'a', length);
		strcpy(raw + used + length, "1b");
		memset(wanted, 'a', length);
		strcpy(wanted + length, "::b");
		wanted[NAME_BYTES] = '\0';
		char *name = name_demangle(raw);
		assert_string_equal(name, wanted);
		free(name);
	}
}
