/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_SU_H
#define SUO_SU_H

#include "port.h"

extern const struct suo_port_ops suo_su_port_ops;

#endif /* SUO_SU_H */
