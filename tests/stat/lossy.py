#!/usr/bin/env python3
"""lossy.py LISTEN TO SEED: passes UDP packets on in both directions and of each loses 20 %, doubles 20 % and holds
20 % back behind the next one."""
import random
import select
import socket
import sys

choose = random.Random(int(sys.argv[3]))
front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
front.bind(("127.0.0.1", int(sys.argv[1])))
back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
back.connect(("127.0.0.1", int(sys.argv[2])))
client, held = None, {front: None, back: None}


def put(side, packet):
    try:
        if side is back:
            back.send(packet)
        elif client:
            front.sendto(packet, client)
    except OSError:
        pass


def give(side, packet):
    if choose.random() < 0.2:
        return
    if choose.random() < 0.2 and held[side] is None:
        held[side] = packet
        return
    for _ in range(2 if choose.random() < 0.2 else 1):
        put(side, packet)
    if held[side] is not None:
        packet, held[side] = held[side], None
        put(side, packet)


while True:
    for sock in select.select([front, back], [], [])[0]:
        try:
            if sock is front:
                packet, client = front.recvfrom(65536)
                give(back, packet)
            else:
                give(front, back.recv(65536))
        except OSError:
            pass
