#!/usr/bin/env python3
"""packets.py COMMAND ...: what an attacker sends to the ports of the statistics module (docs/packets.md).

    configure PORT [sequence=N] [at=N] [every=N] [key=FILE] [count=N] PAIR...   asks for the run, then configures it; prints the answer
    run PORT                         the number of the run that listens there
    counts PORT run=N [epoch=N] [number=N] [start=N] [cycles=N] [total=N] [flags=N] [all=N]   one interval of one counter
    names PORT run=N [epoch=N] NAME  the name of counter 0
    flood PORT first=N runs=N [intervals=N]    intervals of many runs
    record LISTEN TO FILE            passes packets on in both directions and keeps those of the sender
    replay FILE PORT                 sends them again"""
import hashlib
import hmac
import select
import socket
import struct
import sys
import time
import zlib

HEADER = "<4sBBHIIQQQ"
SIGNED, TICKETED = 1, 32


def make(kind, body=b"", flags=0, epoch=0, run=0, sequence=0, cycle=0, ticket=0, key=None):
    flags |= (SIGNED if key else 0) | (TICKETED if ticket else 0)
    tail = struct.pack("<Q", ticket) if ticket else b""
    size = 40 + len(body) + len(tail) + (32 if key else 0) + 4
    packet = struct.pack(HEADER, b"CSTP", 1, kind, flags, size, epoch, run, sequence, cycle) + body + tail
    if key:
        packet += hmac.new(key, packet, hashlib.sha256).digest()
    return packet + struct.pack("<I", zlib.crc32(packet))


def read(packet):
    _, _, kind, flags, size, epoch, run, sequence, cycle = struct.unpack(HEADER, packet[:40])
    body = packet[40:size - 4 - (32 if flags & SIGNED else 0)]
    ticket = 0
    if flags & TICKETED:
        ticket = struct.unpack("<Q", body[-8:])[0]
        body = body[:-8]
    return kind, run, sequence, ticket, body


def text(words):
    return struct.pack("<H", len(words)) + words.encode("utf-8", "surrogateescape")


def connected(port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.connect(("127.0.0.1", int(port)))
    sock.settimeout(5)
    return sock


def ask(sock, packet, expected):
    for _ in range(20):
        try:
            sock.send(packet)
            while True:
                answer = read(sock.recv(65536))
                if answer[0] == expected:
                    return answer
        except OSError:
            time.sleep(0.1)
    sys.exit("no answer")


def query(sock, key):
    return ask(sock, make(6, sequence=time.time_ns(), key=key), 7)


def interval(options):
    get = {"run": 0, "epoch": 0, "number": 0, "start": 0, "cycles": 10, "total": 1, "flags": 0, "all": 1}
    get.update({name: int(value) for name, value in options.items()})
    body = struct.pack("<QQQIIHQQ", get["number"], get["start"], get["cycles"], 0, get["all"], 1, 1, get["total"])
    return make(2, body, flags=get["flags"], epoch=get["epoch"], run=get["run"], cycle=get["start"] + get["cycles"] & (1 << 63) - 1)


def name(options, words):
    return make(1, struct.pack("<IIIIH", 0, 1, 100, 32, 1) + text(words), epoch=int(options.get("epoch", 0)), run=int(options["run"]))


def configure(port, options, pairs):
    key = open(options["key"], "rb").read() if "key" in options else None
    sock = connected(port)
    for _ in range(int(options.get("count", 1))):
        _, run, _, ticket, _ = query(sock, key)
        body = struct.pack("<QIH", int(options.get("at", 0)), int(options.get("every", 1000)), len(pairs))
        body += b"".join(text(pair) for pair in pairs)
        _, _, _, _, answer = ask(sock, make(4, body, run=run, sequence=int(options.get("sequence", time.time_ns())),
                                            ticket=ticket, key=key), 5)
        print("refused: " + answer[12:].decode() if answer[8] else "accepted")


def record(listen, to, path):
    front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    front.bind(("127.0.0.1", int(listen)))
    back, client = connected(to), None
    with open(path, "ab", buffering=0) as out:
        while True:
            for sock in select.select([front, back], [], [])[0]:
                try:
                    if sock is front:
                        packet, client = front.recvfrom(65536)
                        out.write(struct.pack("<I", len(packet)) + packet)
                        back.send(packet)
                    elif client:
                        front.sendto(back.recv(65536), client)
                except OSError:
                    pass


def replay(path, port):
    kept, at, sock = open(path, "rb").read(), 0, connected(port)
    while at < len(kept):
        size = struct.unpack("<I", kept[at:at + 4])[0]
        try:
            sock.send(kept[at + 4:at + 4 + size])
        except OSError:
            pass
        at += 4 + size
        time.sleep(0.0002)


def main(command, port, *rest):
    options = dict(word.split("=", 1) for word in rest if "=" in word)
    words = [word for word in rest if "=" not in word]
    if command == "configure":
        configure(port, options, words)
    elif command == "run":
        print(query(connected(port), None)[1])
    elif command == "counts":
        connected(port).send(interval(options))
    elif command == "names":
        connected(port).send(name(options, words[0]))
    elif command == "flood":
        sock = connected(port)
        for i in range(int(options["runs"])):
            for k in range(int(options.get("intervals", 1))):
                sock.send(interval({"run": int(options["first"]) + i, "number": k}))
                time.sleep(0.00003)
    elif command == "record":
        record(port, *rest)
    elif command == "replay":
        replay(port, *rest)


main(*sys.argv[1:])
