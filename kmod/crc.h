/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_CRC_H
#define SUO_CRC_H

void suo_crc_init(void);
void suo_crc_exit(void);

#endif /* SUO_CRC_H */
