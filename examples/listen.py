#!/usr/bin/env python3
"""listen.py PORT: prints what `cyclestack stat --to PORT` sends, until a run is over.

The packets are described in docs/packets.md. Totals come with every packet, so a lost one costs nothing;
what asks for an acknowledgement is acknowledged, or it would come again."""
import socket
import struct
import sys
import zlib

HEADER = "<4sBBHIIQQQ"
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("127.0.0.1", int(sys.argv[1])))
names, totals = {}, {}
is_over = False
while not is_over:
    packet, sender = sock.recvfrom(65536)
    body, crc = packet[40:-4], struct.unpack("<I", packet[-4:])[0]
    if len(packet) < 44 or packet[:5] != b"CSTP\x01" or crc != zlib.crc32(packet[:-4]):
        continue
    _, _, kind, flags, _, epoch, run, sequence, cycle = struct.unpack(HEADER, packet[:40])
    if kind == 1:
        first, _, _, _, count = struct.unpack("<IIIIH", body[:18])
        at = 18
        for i in range(first, first + count):
            length = struct.unpack("<H", body[at:at + 2])[0]
            names[epoch, i] = body[at + 2:at + 2 + length].decode()
            at += 2 + length
    elif kind == 2:
        number, start, cycles, first, _, count = struct.unpack("<QQQIIH", body[:34])
        for i in range(count):
            value, total = struct.unpack("<QQ", body[34 + 16 * i:50 + 16 * i])
            totals[epoch, first + i] = total & ~(1 << 63)
            print("cycle", start, "counter", first + i, "counted", value)
        is_over = bool(flags & 4) and len(names) >= len(totals)
    if flags & 8:
        answer = struct.pack(HEADER, b"CSTP", 1, 3, 0, 52, epoch, run, 0, 0) + struct.pack("<Q", sequence)
        sock.sendto(answer + struct.pack("<I", zlib.crc32(answer)), sender)
for key, total in sorted(totals.items()):
    print("total", names.get(key, "?"), total)
