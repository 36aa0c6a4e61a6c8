/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hash collisions: flows that choose their links at random. */
#ifndef SUO_ANALYTIC_BALLS_H
#define SUO_ANALYTIC_BALLS_H

#include <stdint.h>

/**
 * suo_balls_at_most() - chance that no link has more than so many flows
 * @flows: n, each on a link of its own choice
 * @links: m, all as likely
 * @most: x
 *
 * Return: n! / m^n times the coefficient of t^n in (sum_{i <= x} t^i / i!)^m (Feller,
 * An Introduction to Probability Theory, vol. 1, II.5), exactly as far as doubles go
 * for n up to SUO_BALLS_EXACT; above, as suo_balls_about() says.
 */
double suo_balls_at_most(uint32_t flows, uint32_t links, uint32_t most);

#define SUO_BALLS_EXACT	512

/**
 * suo_balls_about() - the same in a time that does not grow with flows and links
 * @flows: n
 * @links: m
 * @most: x
 *
 * Return: Levin's representation: m Poisson numbers of mean n / m, each at most x,
 * that happen to sum up to n, the chance of which is Edgeworth's series of their
 * sum. Levin, A representation for multinomial cumulative distribution functions,
 * Annals of Statistics 9, 1981. From 8 flows on, it is within 0.003.
 */
double suo_balls_about(uint32_t flows, uint32_t links, uint32_t most);

/**
 * suo_balls_max() - flows of the most loaded link
 * @flows: n
 * @links: m
 * @groups: so many sets of links, independent of each other; the worst one counts,
 *	as in a collective that ends when its last flow does
 * @quantile: 0.5 for the median, 0.99 and so on
 *
 * Return: the least x with P(max <= x)^groups >= quantile; for more than a few flows
 * and links by suo_balls_about().
 */
uint32_t suo_balls_max(uint32_t flows, uint32_t links, uint64_t groups,
		       double quantile);

/* Expectation of the most loaded link's flows. */
double suo_balls_mean(uint32_t flows, uint32_t links);

/*
 * The same where each packet has its own path, in turn: ceil(n / m). A receiver has
 * to put packets back in order that overtake each other by @skew_us: so many bytes
 * of buffer at @rate bytes a microsecond.
 */
uint32_t suo_spray_max(uint32_t flows, uint32_t links);
double suo_spray_reorder_bytes(double skew_us, double rate);

#endif /* SUO_ANALYTIC_BALLS_H */
