/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SWD_TAP_H
#define SWD_TAP_H

/**
 * swd_tap() - attach to a TAP, which is made if there is none
 * @name: of the interface
 * @netns: network namespace, as ip-netns(8) names it; NULL: this one
 * @where: what went wrong, if something did
 *
 * Return: a file descriptor, or -errno.
 */
int swd_tap(const char *name, const char *netns, const char **where);

#endif /* SWD_TAP_H */
