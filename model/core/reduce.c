// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "reduce.h"

/**
 * struct format - an IEEE 754 binary format of at most 64 bits
 * @mant: bits of the fraction field
 * @exp: bits of the exponent field
 */
struct format {
	u32	mant;
	u32	exp;
};

static const struct format f16 = { 10, 5 };
static const struct format f32 = { 23, 8 };
static const struct format f64 = { 52, 11 };

/* Guard, round and sticky bit, below the fraction of what is not rounded yet. */
#define GRS	3

/* The bit above the fraction field: 1 in front of the binary point. */
static inline u64 hidden(struct format f)
{
	return 1ull << f.mant;
}

static inline u32 exp_max(struct format f)
{
	return (1u << f.exp) - 1;
}

static inline u64 sign_bit(struct format f)
{
	return 1ull << (f.mant + f.exp);
}

static inline u64 infinity(struct format f)
{
	return (u64)exp_max(f) << f.mant;
}

static inline u64 quiet_nan(struct format f)
{
	return infinity(f) | hidden(f) >> 1;
}

static inline bool is_nan(struct format f, u64 x)
{
	return (x & ~sign_bit(f)) > infinity(f);
}

/* The exponent field, but subnormal numbers have that of the least normal one. */
static inline u32 exp_of(struct format f, u64 x)
{
	u32 e = (u32)(x >> f.mant) & exp_max(f);

	return e ? e : 1;
}

static inline u64 mant_of(struct format f, u64 x)
{
	u64 m = x & (hidden(f) - 1);

	return x & infinity(f) ? m | hidden(f) : m;
}

/* Shift right; whatever falls out stays visible in the lowest bit. */
static inline u64 shift_sticky(u64 x, u32 n)
{
	if (!n)
		return x;
	if (n > 63)
		return x != 0;
	return x >> n | ((x << (64 - n)) != 0);
}

/* A number with GRS bits too many, rounded and put together. It is normal, or its
 * exponent is 1.
 */
static inline u64 round_pack(struct format f, u64 sign, u32 e, u64 m)
{
	u32 rest = m & ((1u << GRS) - 1);

	m >>= GRS;
	if (rest > 1u << (GRS - 1) || (rest == 1u << (GRS - 1) && (m & 1)))
		m++;
	/* A carry out of the fraction, which is 0 then, counts the exponent up;
	 * and so does one from the subnormal numbers to the least normal one.
	 */
	m += (u64)(e - 1) << f.mant;
	return sign | (m < infinity(f) ? m : infinity(f));
}

static inline u64 float_add(struct format f, u64 a, u64 b)
{
	u64 sign, ma, mb;
	u32 ea, eb, up;

	if (is_nan(f, a) || is_nan(f, b))
		return quiet_nan(f);
	/* The larger one first: its sign is that of the sum. */
	if ((a & ~sign_bit(f)) < (b & ~sign_bit(f))) {
		u64 t = a;

		a = b;
		b = t;
	}
	if ((a & ~sign_bit(f)) == infinity(f))
		return b == (a ^ sign_bit(f)) ? quiet_nan(f) : a;
	sign = a & sign_bit(f);
	ea = exp_of(f, a);
	eb = exp_of(f, b);
	ma = mant_of(f, a) << GRS;
	mb = shift_sticky(mant_of(f, b) << GRS, ea - eb);
	if (!((a ^ b) & sign_bit(f))) {
		ma += mb;
		if (ma >= hidden(f) << (GRS + 1)) {
			ma = shift_sticky(ma, 1);
			ea++;
		}
		return round_pack(f, sign, ea, ma);
	}
	ma -= mb;
	if (!ma)
		return 0;
	/* Many places are lost only if the exponents were one apart at most; then
	 * nothing was shifted out.
	 */
	up = f.mant + GRS - suo_top_bit(ma);
	if (up > ea - 1)
		up = ea - 1;
	ma <<= up;
	ea -= up;
	return round_pack(f, sign, ea, ma);
}

/* Sign and magnitude as a two's complement number: compares like the number, and
 * -0 is less than +0.
 */
static inline s64 float_rank(struct format f, u64 x)
{
	s64 mag = (s64)(x & ~sign_bit(f));

	return x & sign_bit(f) ? -mag - 1 : mag;
}

/* Does a stay, of a and b, a being less or not? */
static inline bool keeps(bool less, u32 op)
{
	bool min = op == SUO_REDUCE_MIN;

	return less == min;
}

static inline u64 float_op(struct format f, u32 op, u64 a, u64 b)
{
	if (op == SUO_REDUCE_SUM)
		return float_add(f, a, b);
	if (is_nan(f, a) || is_nan(f, b))
		return quiet_nan(f);
	return keeps(float_rank(f, a) < float_rank(f, b), op) ? a : b;
}

/* float16 to float32: always exact. */
static u32 widen_f16(u32 x)
{
	u32 sign = (x & 0x8000) << 16;
	u32 e = exp_of(f16, x);
	u32 m = (u32)mant_of(f16, x);
	u32 up;

	if (is_nan(f16, x))
		return (u32)quiet_nan(f32);
	if (e == exp_max(f16))
		return sign | (u32)infinity(f32);
	if (!m)
		return sign;
	/* The biases are 15 and 127. */
	up = f16.mant - suo_top_bit(m);
	m <<= up;
	e += 127 - 15 - up;
	return sign | (e << f32.mant) | (m - (u32)hidden(f16)) << (f32.mant - f16.mant);
}

static u32 narrow_f16(u32 x)
{
	u32 sign = x >> 16 & 0x8000;
	u32 e = exp_of(f32, x);
	u64 m = mant_of(f32, x) << GRS;

	if (is_nan(f32, x))
		return (u32)quiet_nan(f16);
	/* From 2^16 on, infinity too. */
	if (e >= 127 + 16)
		return sign | (u32)infinity(f16);
	m = shift_sticky(m, f32.mant - f16.mant);
	if (e > 127 - 15)
		return (u32)round_pack(f16, sign, e - (127 - 15), m);
	return (u32)round_pack(f16, sign, 1, shift_sticky(m, 127 - 15 + 1 - e));
}

/* bfloat16 is the upper half of a float32. */
static u32 narrow_bf16(u32 x)
{
	if (is_nan(f32, x))
		return (u32)quiet_nan(f32) >> 16;
	return (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

u32 suo_reduce_size(u32 type)
{
	switch (type) {
	case SUO_REDUCE_FLOAT16:
	case SUO_REDUCE_BFLOAT16:
		return 2;
	case SUO_REDUCE_INT32:
	case SUO_REDUCE_UINT32:
	case SUO_REDUCE_FLOAT32:
		return 4;
	case SUO_REDUCE_INT64:
	case SUO_REDUCE_UINT64:
	case SUO_REDUCE_FLOAT64:
		return 8;
	default:
		return 0;
	}
}

static inline u64 load(u32 type, const u8 *in)
{
	u16 half;
	u32 word;
	u64 x;

	switch (suo_reduce_size(type)) {
	case 2:
		memcpy(&half, in, sizeof(half));
		return type == SUO_REDUCE_FLOAT16 ? widen_f16(half) :
						    (u32)half << 16;
	case 4:
		memcpy(&word, in, sizeof(word));
		return word;
	default:
		memcpy(&x, in, sizeof(x));
		return x;
	}
}

/* Each kind of loop by itself: what is known of the type is not asked again for
 * each element.
 */
#define REDUCE_EACH(expr)						\
	do {								\
		for (i = 0; i < n; i++, from += size) {			\
			u64 a = acc[i], b = load(type, from);		\
									\
			acc[i] = (expr);				\
		}							\
	} while (0)

void suo_reduce_first(u32 type, u64 *acc, const void *in, u32 n)
{
	u32 i, size = suo_reduce_size(type);
	const u8 *from = in;

	for (i = 0; i < n; i++, from += size)
		acc[i] = load(type, from);
}

void suo_reduce_next(u32 type, u32 op, u64 *acc, const void *in, u32 n)
{
	u32 i, size = suo_reduce_size(type);
	const u8 *from = in;

	switch (type) {
	case SUO_REDUCE_FLOAT16:
	case SUO_REDUCE_BFLOAT16:
	case SUO_REDUCE_FLOAT32:
		REDUCE_EACH(float_op(f32, op, a, b));
		return;
	case SUO_REDUCE_FLOAT64:
		REDUCE_EACH(float_op(f64, op, a, b));
		return;
	default:
		break;
	}
	if (op == SUO_REDUCE_SUM)
		REDUCE_EACH(a + b);
	else if (type == SUO_REDUCE_INT32)
		REDUCE_EACH(keeps((s32)a < (s32)b, op) ? a : b);
	else if (type == SUO_REDUCE_UINT32)
		REDUCE_EACH(keeps((u32)a < (u32)b, op) ? a : b);
	else if (type == SUO_REDUCE_INT64)
		REDUCE_EACH(keeps((s64)a < (s64)b, op) ? a : b);
	else
		REDUCE_EACH(keeps((u64)a < (u64)b, op) ? a : b);
}

static inline u64 finish(u32 type, u64 x)
{
	switch (type) {
	case SUO_REDUCE_FLOAT16:
		return narrow_f16((u32)x);
	case SUO_REDUCE_BFLOAT16:
		return narrow_bf16((u32)x);
	case SUO_REDUCE_FLOAT32:
		return is_nan(f32, x) ? quiet_nan(f32) : x;
	case SUO_REDUCE_FLOAT64:
		return is_nan(f64, x) ? quiet_nan(f64) : x;
	default:
		return x;
	}
}

void suo_reduce_last(u32 type, void *out, const u64 *acc, u32 n)
{
	u32 i, size = suo_reduce_size(type);
	u8 *to = out;

	for (i = 0; i < n; i++, to += size) {
		u64 x = finish(type, acc[i]);
		u32 word = (u32)x;
		u16 half = (u16)x;

		if (size == 2)
			memcpy(to, &half, sizeof(half));
		else if (size == 4)
			memcpy(to, &word, sizeof(word));
		else
			memcpy(to, &x, sizeof(x));
	}
}
