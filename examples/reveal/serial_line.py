# SPDX-License-Identifier: Apache-2.0
"""Hands bytes on between this program's own input and output and a serial device: serial_line.py DEVICE"""
import os, select, sys, tty
line = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
tty.setraw(line)
while True:
    ready, _, _ = select.select([0, line], [], [])
    for source, target in ((0, line), (line, 1)):
        if source in ready:
            some = os.read(source, 4096)
            if not some:
                sys.exit()
            while some:
                some = some[os.write(target, some) :]
