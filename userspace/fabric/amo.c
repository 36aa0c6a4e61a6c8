// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <complex.h>
#include <string.h>

#include "amo.h"

/*
 * NEXT(): a function that says what an element becomes. All types have the first
 * list of operations; MORE is what else the type's class has.
 */
#define NEXT_COMMON							\
	case FI_SUM:		return old + val;			\
	case FI_PROD:		return old * val;			\
	case FI_LOR:		return old || val;			\
	case FI_LAND:		return old && val;			\
	case FI_LXOR:		return !old != !val;			\
	case FI_ATOMIC_WRITE:	return val;				\
	case FI_CSWAP:		return cmp == old ? val : old;		\
	case FI_CSWAP_NE:	return cmp != old ? val : old;

#define NEXT_ORDERED							\
	case FI_MIN:		return val < old ? val : old;		\
	case FI_MAX:		return val > old ? val : old;		\
	case FI_CSWAP_LE:	return cmp <= old ? val : old;		\
	case FI_CSWAP_LT:	return cmp < old ? val : old;		\
	case FI_CSWAP_GE:	return cmp >= old ? val : old;		\
	case FI_CSWAP_GT:	return cmp > old ? val : old;

#define NEXT_BITS							\
	case FI_BOR:		return old | val;			\
	case FI_BAND:		return old & val;			\
	case FI_BXOR:		return old ^ val;			\
	case FI_MSWAP:		return (val & cmp) | (old & ~cmp);

#define NEXT(name, type, more)						\
static type next_##name(enum fi_op op, type old, type val, type cmp)	\
{									\
	switch (op) {							\
	NEXT_COMMON							\
	more								\
	default:		return old;	/* FI_ATOMIC_READ */	\
	}								\
}

/* An element of a list, if there is one. */
static inline void load(void *to, const void *list, size_t i, size_t size)
{
	if (list)
		memcpy(to, (const char *)list + i * size, size);
}

/*
 * Elements that one instruction can change: tried until nobody else came in
 * between. raw is an unsigned integer of the element's size.
 */
#define APPLY_ATOMIC(name, type, raw)					\
static void apply_##name(enum fi_op op, void *dst, const void *operand,	\
			 const void *compare, void *result, size_t count) \
{									\
	for (size_t i = 0; i < count; i++) {				\
		type val = 0, cmp = 0, old, new;			\
		raw *p = (raw *)dst + i;				\
		raw before = __atomic_load_n(p, __ATOMIC_SEQ_CST);	\
		raw after;						\
									\
		load(&val, operand, i, sizeof(val));			\
		load(&cmp, compare, i, sizeof(cmp));			\
		do {							\
			memcpy(&old, &before, sizeof(old));		\
			if (op == FI_ATOMIC_READ)			\
				break;	/* it may be read-only memory */ \
			new = next_##name(op, old, val, cmp);		\
			memcpy(&after, &new, sizeof(after));		\
		} while (!__atomic_compare_exchange_n(p, &before, after, false, \
						      __ATOMIC_SEQ_CST,	\
						      __ATOMIC_SEQ_CST)); \
		if (result)						\
			memcpy((char *)result + i * sizeof(old), &old, sizeof(old)); \
	}								\
}

/* Longer elements: the caller has the lock. They may be aligned to 8 only. */
#define APPLY_LOCKED(name, type)					\
static void apply_##name(enum fi_op op, void *dst, const void *operand,	\
			 const void *compare, void *result, size_t count) \
{									\
	for (size_t i = 0; i < count; i++) {				\
		type val = 0, cmp = 0, old, new;			\
		char *p = (char *)dst + i * sizeof(type);		\
									\
		memcpy(&old, p, sizeof(old));				\
		load(&val, operand, i, sizeof(val));			\
		load(&cmp, compare, i, sizeof(cmp));			\
		new = next_##name(op, old, val, cmp);			\
		if (op != FI_ATOMIC_READ)				\
			memcpy(p, &new, sizeof(new));			\
		if (result)						\
			memcpy((char *)result + i * sizeof(old), &old, sizeof(old)); \
	}								\
}

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

NEXT(int8, int8_t, NEXT_ORDERED NEXT_BITS)
NEXT(uint8, uint8_t, NEXT_ORDERED NEXT_BITS)
NEXT(int16, int16_t, NEXT_ORDERED NEXT_BITS)
NEXT(uint16, uint16_t, NEXT_ORDERED NEXT_BITS)
NEXT(int32, int32_t, NEXT_ORDERED NEXT_BITS)
NEXT(uint32, uint32_t, NEXT_ORDERED NEXT_BITS)
NEXT(int64, int64_t, NEXT_ORDERED NEXT_BITS)
NEXT(uint64, uint64_t, NEXT_ORDERED NEXT_BITS)
NEXT(int128, int128, NEXT_ORDERED NEXT_BITS)
NEXT(uint128, uint128, NEXT_ORDERED NEXT_BITS)
NEXT(float, float, NEXT_ORDERED)
NEXT(double, double, NEXT_ORDERED)
NEXT(long_double, long double, NEXT_ORDERED)
NEXT(float_complex, float complex,)
NEXT(double_complex, double complex,)
NEXT(long_double_complex, long double complex,)

APPLY_ATOMIC(int8, int8_t, uint8_t)
APPLY_ATOMIC(uint8, uint8_t, uint8_t)
APPLY_ATOMIC(int16, int16_t, uint16_t)
APPLY_ATOMIC(uint16, uint16_t, uint16_t)
APPLY_ATOMIC(int32, int32_t, uint32_t)
APPLY_ATOMIC(uint32, uint32_t, uint32_t)
APPLY_ATOMIC(int64, int64_t, uint64_t)
APPLY_ATOMIC(uint64, uint64_t, uint64_t)
APPLY_ATOMIC(float, float, uint32_t)
APPLY_ATOMIC(double, double, uint64_t)
APPLY_ATOMIC(float_complex, float complex, uint64_t)
APPLY_LOCKED(int128, int128)
APPLY_LOCKED(uint128, uint128)
APPLY_LOCKED(long_double, long double)
APPLY_LOCKED(double_complex, double complex)
APPLY_LOCKED(long_double_complex, long double complex)

enum type_class {
	NO_TYPE,
	INTEGER,
	REAL,
	COMPLEX,
};

static const struct {
	size_t		size;
	enum type_class	class;
	void		(*apply)(enum fi_op op, void *dst, const void *operand,
				 const void *compare, void *result, size_t count);
} types[] = {
	[FI_INT8]			= { 1, INTEGER, apply_int8 },
	[FI_UINT8]			= { 1, INTEGER, apply_uint8 },
	[FI_INT16]			= { 2, INTEGER, apply_int16 },
	[FI_UINT16]			= { 2, INTEGER, apply_uint16 },
	[FI_INT32]			= { 4, INTEGER, apply_int32 },
	[FI_UINT32]			= { 4, INTEGER, apply_uint32 },
	[FI_INT64]			= { 8, INTEGER, apply_int64 },
	[FI_UINT64]			= { 8, INTEGER, apply_uint64 },
	[FI_FLOAT]			= { sizeof(float), REAL, apply_float },
	[FI_DOUBLE]			= { sizeof(double), REAL, apply_double },
	[FI_FLOAT_COMPLEX]		= { sizeof(float complex), COMPLEX, apply_float_complex },
	[FI_DOUBLE_COMPLEX]		= { sizeof(double complex), COMPLEX, apply_double_complex },
	[FI_LONG_DOUBLE]		= { sizeof(long double), REAL, apply_long_double },
	[FI_LONG_DOUBLE_COMPLEX]	= { sizeof(long double complex), COMPLEX,
					    apply_long_double_complex },
	[FI_INT128]			= { 16, INTEGER, apply_int128 },
	[FI_UINT128]			= { 16, INTEGER, apply_uint128 },
};

static enum type_class class_of(enum fi_datatype type)
{
	return (size_t)type < sizeof(types) / sizeof(types[0]) ? types[type].class : NO_TYPE;
}

size_t suo_amo_size(enum fi_datatype type)
{
	return class_of(type) == NO_TYPE ? 0 : types[type].size;
}

size_t suo_amo_align(enum fi_datatype type)
{
	size_t size = suo_amo_size(type);

	return size < 8 ? size : 8;
}

static bool op_fits_type(enum fi_op op, enum type_class class)
{
	switch (op) {
	case FI_MIN:
	case FI_MAX:
	case FI_CSWAP_LE:
	case FI_CSWAP_LT:
	case FI_CSWAP_GE:
	case FI_CSWAP_GT:
		return class != COMPLEX;
	case FI_BOR:
	case FI_BAND:
	case FI_BXOR:
	case FI_MSWAP:
		return class == INTEGER;
	default:
		return true;
	}
}

bool suo_amo_valid(enum suo_amo_kind kind, enum fi_datatype type, enum fi_op op)
{
	enum type_class class = class_of(type);

	if (class == NO_TYPE || !op_fits_type(op, class))
		return false;
	switch (kind) {
	case SUO_AMO_WRITE:
		return (op >= FI_MIN && op <= FI_BXOR) || op == FI_ATOMIC_WRITE;
	case SUO_AMO_FETCH:
		return op >= FI_MIN && op <= FI_ATOMIC_WRITE;
	case SUO_AMO_COMPARE:
		return op >= FI_CSWAP && op <= FI_MSWAP;
	default:
		return false;
	}
}

void suo_amo_apply(enum fi_datatype type, enum fi_op op, void *dst, const void *operand,
		   const void *compare, void *result, size_t count)
{
	types[type].apply(op, dst, operand, compare, result, count);
}
