/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Talk to a suo-switch that is running: suo-switch-telemetry(7), CONTROL SOCKET. */
#ifndef SUO_CLI_CONTROL_H
#define SUO_CLI_CONTROL_H

#include <stddef.h>

#include <jansson.h>

#define SUO_CONTROL_SOCKET	"/run/suo-switch.sock"
#define SUO_CONTROL_ENV		"SUO_SWITCH_SOCKET"

/* The socket that was given, or the one of the environment, or the usual one. */
const char *suo_control_path(const char *given);

/**
 * suo_control_ask() - send a request, wait for the answer
 * @path: of the socket
 * @request: such as {"cmd": "snapshot"}
 * @why: if it fails, the reason, with the path
 * @size: room in @why
 *
 * A switch that does not answer for ten seconds has failed.
 *
 * Return: the answer, or NULL: no answer, none that can be read, or {"error": "..."}.
 */
json_t *suo_control_ask(const char *path, const json_t *request, char *why, size_t size);

#endif /* SUO_CLI_CONTROL_H */
