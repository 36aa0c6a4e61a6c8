/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Talk to a suo-switch that is running: suo-switch-telemetry(7), CONTROL SOCKET. */
#ifndef SUO_CLI_CONTROL_H
#define SUO_CLI_CONTROL_H

#include <jansson.h>

#define SUO_CONTROL_SOCKET	"/run/suo-switch.sock"
#define SUO_CONTROL_ENV		"SUO_SWITCH_SOCKET"

/* The socket that was given, or the one of the environment, or the usual one. */
const char *suo_control_path(const char *given);

/* What it says of --socket. */
#define SUO_CONTROL_HELP						\
	"Control socket of suo-switch; by default $" SUO_CONTROL_ENV " or "	\
	SUO_CONTROL_SOCKET

/**
 * suo_control_ask() - send a request, wait for the answer
 * @path: of the socket
 * @request: such as {"cmd": "snapshot"}, which is freed; NULL stands for no memory
 *
 * A switch that does not answer for ten seconds has failed.
 *
 * Return: the answer; NULL after a message, with status SUO_FAILED: there was no answer,
 * none that can be read, or {"error": "..."}.
 */
json_t *suo_control_ask(const char *path, json_t *request);

#endif /* SUO_CLI_CONTROL_H */
