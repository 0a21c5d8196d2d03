"""A decoder of compressed motions (.mocz), written from docs/mocz.md only, which also holds its tables.
    python3 decode.py FILE.mocz      prints the motion as JSON
"""
import json
import math
import re
import struct
import sys
from ctypes import c_float
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "mocz.md").read_text(encoding="utf-8")
NAMES = re.search(r"```names\n(.*?)```", PAGE, re.S)[1].replace("\n", "")
STARTS = [int(value, 16) for value in re.search(r"```starts\n(.*?)```", PAGE, re.S)[1].split()]

def f(value):
    """Rounds to single precision."""
    return c_float(value).value

def dot(a, b):
    total = f(a[0] * b[0])
    for x, y in zip(a[1:], b[1:]):
        total = f(total + f(x * y))
    return total
# The range coder.
class Bit:
    def __init__(self, zero=32768, seen=6):
        self.fast, self.slow, self.seen = zero, zero, seen
    def learn(self, bit):
        slow = min(self.seen // 2 + 1, 7)
        fast = min(slow, 4)
        self.seen = min(self.seen + 1, 12)
        target = 0 if bit else 65535
        self.fast += (target - self.fast) >> fast
        self.slow += (target - self.slow) >> slow

class Symbols:
    def __init__(self, below=None):
        self.fast = list(below) if below else [4094 * i for i in range(16)]
        self.slow = list(self.fast)
        self.seen = 6 if below else 0

class Coder:
    def __init__(self, data):
        self.data, self.at, self.range, self.code = data, 4, 0xFFFFFFFF, 0
        self.code = int.from_bytes(data[:4].ljust(4, b"\0"), "big")
    def refill(self):
        while self.range < 1 << 24:
            self.range <<= 8
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.code = (self.code << 8 | byte) & 0xFFFFFFFF
            self.at += 1
    def bit(self, model):
        bound = (self.range >> 15) * min((model.fast + model.slow >> 2) + 1, 32767)
        bit = self.code >= bound
        if bit:
            self.code -= bound
            self.range -= bound
        else:
            self.range = bound
        model.learn(bit)
        self.refill()
        return int(bit)
    def symbol(self, m):
        bounds = [(a >> 2) + (b >> 2) + i for i, (a, b) in enumerate(zip(m.fast, m.slow))] + [32768]
        self.range >>= 15
        value = min(self.code // self.range, 32767)
        symbol = max(i for i in range(16) if bounds[i] <= value)
        self.code -= bounds[symbol] * self.range
        self.range *= bounds[symbol + 1] - bounds[symbol]
        slow = min(m.seen // 2 + 2, 8)
        m.seen = min(m.seen + 1, 12)
        for estimate, pace in ((m.fast, min(slow, 5)), (m.slow, slow)):
            for j, e in enumerate(estimate):
                estimate[j] = e + ((65504 - e) >> pace) if j > symbol else e - (e >> pace)
        self.refill()
        return symbol
    def raw(self, count):
        self.range >>= count
        value = min(self.code // self.range, (1 << count) - 1)
        self.code -= value * self.range
        self.refill()
        return value
    def tree(self, models, bits):
        node = 1
        for _ in range(bits):
            node = 2 * node + self.bit(models[node])
        return node - (1 << bits)
    def number(self, numbers):
        length = 0
        while length < 28 and self.bit(numbers[length]):
            length += 1
        if length == 0:
            return 0
        magnitude = 1
        for _ in range(length - 1):
            magnitude = 2 * magnitude + self.raw(1)
        return -magnitude if self.bit(numbers[28]) else magnitude

def number_sets(count):
    return [[Bit() for _ in range(29)] for _ in range(count)]

class Packed:
    """The model of packed bytes."""
    def __init__(self):
        self.two, self.one, self.known, self.last, self.earlier = {}, {}, set(), 0, 0
    def byte(self, bit_of):
        slot, node = (self.last + self.earlier * 2533) % 512, 1
        for _ in range(8):
            two = self.two.setdefault((slot, node), Bit(32768, 0))
            one = self.one.setdefault((self.last, node), Bit(32768, 0))
            asked, other = (two, one) if slot in self.known else (one, two)
            bit = bit_of(asked, node)
            other.learn(bit)
            node = 2 * node + bit
        self.known.add(slot)
        self.last, self.earlier = node - 256, self.last
        return self.last
    def learn(self, byte):
        def bit_of(model, node):
            bit = byte >> (8 - node.bit_length()) & 1
            model.learn(bit)
            return bit
        self.byte(bit_of)
    def read(self, coder, count):
        return bytes(self.byte(lambda model, _: coder.bit(model)) for _ in range(count))

class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0
    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]
    def get(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]
    def varint(self):
        value = shift = 0
        while True:
            byte = self.get("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    def text(self):
        return self.take(self.varint()).decode()
    def float(self):
        tag = self.get("B")
        if tag in (0, 255):
            return self.get("d") if tag else 0.0
        code = self.varint()
        return (code >> 1 ^ -(code & 1)) / 10.0 ** (tag - 1)
# Sections.
def read_skeleton(section, structure):
    coder, packed = Coder(section), Packed()
    for byte in NAMES.encode():
        packed.learn(byte)
    r = Reader(packed.read(coder, structure))
    r.text(), r.get("B")
    if r.get("B"):
        r.float()
    joints = []
    for at in range(r.varint()):
        name, back = r.text(), r.varint()
        parent = at - back if back else None
        joints.append({"name": name or joints[parent]["name"] + "_End", "parent": parent})
    for joint in joints:
        joint["flags"] = r.get("B")
        r.take(2)
        if joint["flags"] & 8:
            r.take(48)
        if joint["flags"] & 16:
            r.text()
    for _ in range(r.varint()):
        r.text(), r.varint(), r.varint()
    times = r.get("B")
    if times:
        decimals = r.get("B")
    else:
        for joint in joints:
            joint["offset"] = [r.float() for _ in range(3)]
    sets = number_sets(5)
    for joint in joints:
        turns = [[coder.number(sets[s]) / 2.0**24 for _ in range(3)] if joint["flags"] & flag else [0.0] * 3
                 for s, flag in ((3, 2), (4, 4))]
        square = sum(part * part for part in turns[0])
        joint["rest"] = [8 * part / (16 + square) for part in turns[0]] + [(16 - square) / (16 + square)]
        if times:
            joint["offset"] = [coder.number(sets[axis]) * times / 10.0**decimals for axis in range(3)]
    return joints

def read_plan(section, joints):
    r = Reader(section)
    packed = r.take(r.varint())
    tracks = []
    for at, (joint, code) in enumerate(zip(joints, Packed().read(Coder(packed), len(joints)))):
        joint["rotation"] = joint["translation"] = None
        rest = [f(part) for part in joint["rest"]]
        if code & 3 == 1:
            parts = [int.from_bytes(r.take(3), "little", signed=True) / 2.0**21 for _ in range(3)]
            joint["rotation"] = [multiply(rest, turn(parts))]
        if code >> 2 == 1:
            joint["translation"] = [[r.get("f") for _ in range(3)]]
        for kind, moves in (("translation", code >> 2 == 2), ("rotation", code & 3 == 2)):
            if moves:
                joint[kind] = []
                tracks.append({"joint": at, "kind": kind, "rest": rest})
    return tracks
# Rotations.
def turn(r):
    r = [part if abs(part) < 1e6 else 0.0 for part in r]
    s = dot(r, r)
    c = f(1 / f(16 + s))
    c8 = f(8 * c)
    return [f(part * c8) for part in r] + [f(f(16 - s) * c)]

def multiply(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return [dot((aw, ax, ay, -az), (bx, bw, bz, by)), dot((aw, -ax, ay, az), (by, bz, bw, bx)),
            dot((aw, ax, -ay, az), (bz, by, bx, bw)), dot((aw, -ax, -ay, -az), (bw, bx, by, bz))]

def mean(rotations, weights):
    first = rotations[0]
    weights = [-w if dot(first, q) < 0 else w for q, w in zip(rotations, weights)]
    total = [dot([q[i] for q in rotations], weights) for i in range(4)]
    square = dot(total, total)
    if square < f(1e-4):
        return first
    scale = f(1 / f(math.sqrt(square)))
    return [f(part * scale) for part in total]
# Frames of archive and runtime.
def schedule(frames, top, segments):
    """Frame, level, taps, cubic and linear weights in the order of coding."""
    last = frames - 1
    known = sorted({*range(0, frames, top), last})
    nodes = []
    for i, frame in enumerate(known):
        if i == 0 or segments:
            nodes.append((frame, 0, None, None, None))
            continue
        a, b = known[i - 1], known[max(i - 2, 0)]
        ahead = f((frame - a) / (a - b)) if i > 1 else 0.0
        nodes.append((frame, 0, [a, b, a, a], [1.0, 0, 0, 0], [f(1 + ahead), -ahead, 0, 0]))
    level, stride = 1, top // 2
    while stride:
        new = []
        for left, right in zip(known, known[1:]):
            frame = left + stride
            if frame >= right:
                continue
            near = known
            if segments and level > 1:
                start = frame // top * top
                near = [k for k in known if start <= k <= start + top]
            first = max(min(near.index(left) - 1, len(near) - 4), 0)
            taps = [left, right] + [k for k in near[first:first + 4] if k not in (left, right)]
            cubic = []
            for i, a in enumerate(taps):
                weight = 1.0
                for j, b in enumerate(taps):
                    if i != j:
                        weight *= (frame - b) / (a - b)
                cubic.append(f(weight))
            way = f((frame - left) / (right - left))
            fill = 4 - len(taps)
            nodes.append((frame, level, taps + [left] * fill, cubic + [0.0] * fill, [f(1 - way), way, 0.0, 0.0]))
            new.append(frame)
        known = sorted(known + new)
        level, stride = level + 1, stride // 2
    return nodes

FLAT = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
FINER = [1.0, f(0.84), f(0.7), f(0.6)]
EIGHTHS = [f(e) for e in (1, 1.0905077, 1.1892071, 1.2968396, 1.4142135, 1.5422108, 1.6817929, 1.8340081)]

class Heads:
    def __init__(self):
        self.flat = [[Bit() for _ in range(8)] for _ in range(2)]
        self.finer = [Bit() for _ in range(4)]
        self.centred, self.isotropic, self.refers = Bit(), Bit(), Bit()
        self.sets, self.scale = number_sets(5), 0
    def read(self, coder, rotation, levels, rotations):
        head = {"flat": [FLAT[coder.tree(self.flat[level + 1 == levels], 3)] for level in range(levels)]}
        head["finer"] = FINER[coder.tree(self.finer, 2)]
        head["base"] = [coder.number(self.sets[4]) for _ in range(3)]
        head["centred"] = coder.bit(self.centred)
        isotropic = coder.bit(self.isotropic)
        head["basis"] = []
        for axis in range(3):
            if axis == 0 or not isotropic:
                self.scale += coder.number(self.sets[0])
            parts = [24 * (i == axis) if isotropic else coder.number(self.sets[1]) for i in range(3)]
            scale = max(-800, min(800, self.scale))
            factor = f(f(2.0 ** (scale // 8) * EIGHTHS[scale % 8]) / 24)
            head["basis"].append([f(max(-24, min(24, part)) * factor) for part in parts])
        head["reference"] = None
        if rotation and rotations and coder.bit(self.refers):
            back = abs(coder.number(self.sets[2]))
            matrix = [[coder.number(self.sets[3]) / 16 for _ in range(3)] for _ in range(3)]
            head["reference"] = (max(rotations - 1 - back, 0), matrix)
        return head

def vector(head, numbers):
    return [dot([column[i] for column in head["basis"]], numbers) for i in range(3)]

def compose(track, head, nodes, numbers, turns):
    """The values of all frames; `turns` are the vectors of the rotations so far, by frame."""
    values, own = [None] * len(nodes), [None] * len(nodes)
    rotation = track["kind"] == "rotation"
    base = vector(head, [float(part) for part in head["base"]])
    base = [f(4096 * part) for part in base]
    if rotation:
        base = multiply(track["rest"], turn([part / 32 for part in head["base"]]))
    for (frame, level, taps, cubic, linear), k in zip(nodes, numbers):
        by = vector(head, k)
        own[frame] = [0.0] * 3
        if taps is None:
            values[frame] = multiply(base, turn(by)) if rotation else [f(a + b) for a, b in zip(base, by)]
            continue
        if head["reference"]:
            other, matrix = head["reference"]
            by = [f(dot(row, turns[other][frame]) + part) for row, part in zip(matrix, by)]
        flat = head["flat"][level]
        weights = [f(a + f(flat * f(b - a))) for a, b in zip(cubic, linear)]
        known = [values[tap] for tap in taps]
        if rotation:
            values[frame], own[frame] = multiply(mean(known, weights), turn(by)), by
        else:
            values[frame] = [f(dot([v[i] for v in known], weights) + by[i]) for i in range(3)]
    if rotation:
        turns.append(own)
    return values
# Archive.
class Model:
    """Codes residuals."""
    def __init__(self):
        self.zero = [[Bit(z) for z in STARTS[40 * i:40 * i + 40]] for i in range(3)]
        self.odd = [Bit(z) for z in STARTS[120:160]]
        self.classes = [[Symbols([0] + STARTS[160 + 15 * i:175 + 15 * i]) for i in range(160)] for _ in range(2)]
        self.high = [Symbols() for _ in range(40)]
        self.top = [Bit(34816) for _ in range(30)]
        self.refine = [Bit(64000) for _ in range(10)]
        self.sign = [[Bit() for _ in range(3)] for _ in range(3)]
    def read(self, coder, centred, expected, before):
        e = 0
        while e < 10 and coder.bit(self.refine[e]):
            e += 1
        expected = [f(x * 2.0**e * (0.5 if centred else 1)) for x in expected]
        average = bucket(f(f(f(expected[0] + expected[1]) + expected[2]) * f(1 / 3)))
        if not coder.bit(self.zero[min(sum(k != 0 for k in before), 2)][average]):
            return [0, 0, 0], e
        odd = coder.bit(self.odd[average]) if centred else 0
        k, total, total_expected = [], 0.0, 0.0
        for axis in range(3):
            neighbours = 3
            if axis == 0:
                neighbours = 0
            elif total < f(f(0.6) * total_expected):
                neighbours = 1
            elif total < f(f(1.6) * total_expected):
                neighbours = 2
            magnitude = self.magnitude(coder, odd, neighbours, bucket(expected[axis]))
            total, total_expected = f(total + magnitude), f(total_expected + expected[axis])
            if centred:
                magnitude = 2 * magnitude + odd
            negative = magnitude and coder.bit(self.sign[axis][(before[axis] > 0) - (before[axis] < 0) + 1])
            k.append(-magnitude if negative else magnitude)
        return k, e
    def magnitude(self, coder, odd, neighbours, at):
        c = coder.symbol(self.classes[odd][40 * neighbours + at])
        if c == 15:
            c += coder.symbol(self.high[at])
        if c == 30:
            return coder.raw(12) << 15 | coder.raw(15)
        if c < 4:
            return c
        bits = c // 2 - 1
        top = coder.bit(self.top[c]) << (bits - 1)
        return ((2 + c % 2) << bits) + top + (coder.raw(bits - 1) if bits > 1 else 0)

def bucket(x):
    mantissa, exponent = math.frexp(max(x, 1 / 32))
    return min(2 * (exponent + 4) + (mantissa >= 0.75), 39)

def expect(levels, of, magnitudes, node):
    level, taps = node[1], node[2]
    now = levels[level]
    if level and not now["n"]:
        start = [f(f(0.35) * m) for m in levels[level - 1]["mean"]]
        now.update(mean=start, m1=start, m2=start)
    own = []
    for i in range(3):
        q = 1.0
        if level:
            a, b = taps[:2]
            found = f(f(magnitudes[a][i] + magnitudes[b][i]) + f(0.02))
            usual = f(f(levels[of[a]]["mean"][i] + levels[of[b]]["mean"][i]) + f(0.02))
            q = min(f(found / usual), 4.0)
        part = f(f(f(0.2) * now["m1"][i]) + f(f(0.12) * now["m2"][i]))
        own.append(f(part + f(now["mean"][i] * f(f(0.4) + f(f(0.28) * q)))))
    return own

def read_archive(data, frames, tracks):
    nodes, coder, heads = schedule(frames, 64, False), Coder(data), Heads()
    models = {"rotation": Model(), "translation": Model()}
    activity, shares, turns, out = [1.0] * frames, [], [], []
    w, frame_weight, track_weight = f(f(0.35) + f(0.5 * f(0.45))), f(0.35), f(0.45)
    for track in tracks:
        rotation = track["kind"] == "rotation"
        head = heads.read(coder, rotation, 7, len(turns))
        start = [200.0 if rotation else 3000.0] * 3
        levels = [{"mean": start, "m1": start, "m2": start, "k": [0] * 3, "n": 0} for _ in range(7)]
        magnitudes, of, share, numbers = [None] * frames, [0] * frames, [1.0] * frames, []
        floor = f(0.7) if head["centred"] else 0.5
        for node in nodes:
            frame, level = node[:2]
            own = expected = expect(levels, of, magnitudes, node)
            now = levels[level]
            if rotation:
                factor = f(f(1 - w) + f(w * activity[frame]))
                if head["reference"]:
                    factor = f(f(f(1 - frame_weight) - track_weight) + f(frame_weight * activity[frame]))
                    factor = f(factor + f(track_weight * shares[head["reference"][0]][frame]))
                expected = [f(x * factor) for x in own]
            k, e = models[track["kind"]].read(coder, head["centred"], expected, now["k"])
            m = [float(abs(part) >> e) for part in k]
            magnitudes[frame], of[frame] = m, level
            now.update(m2=now["m1"], m1=m, k=k, n=now["n"] + 1)
            rate = max(f(1 / (now["n"] + 1)), f(0.03))
            now["mean"] = [f(a + f(f(b - a) * rate)) for a, b in zip(now["mean"], m)]
            if rotation:
                found, usual = [f(f(f(f(v[0] + v[1]) + v[2]) + floor)) for v in (m, own)]
                share[frame] = min(f(found / usual), 4.0)
                activity[frame] = f(activity[frame] + f(f(share[frame] - activity[frame]) * f(0.3)))
            finer = 1.0 if level == 6 else head["finer"]
            numbers.append([f(part * 2.0**-e * finer) for part in k])
        if rotation:
            shares.append(share)
        out.append(compose(track, head, nodes, numbers, turns))
    return out
# Runtime.
class Bits:
    def __init__(self, data, at=0):
        self.text, self.at = bin(int.from_bytes(b"\1" + data, "big"))[3:] + "0" * 512, 8 * at
    def take(self, count):
        self.at += count
        return int(self.text[self.at - count:self.at] or "0", 2)
    def rice(self, low):
        ones = self.text.index("0", self.at) - self.at
        self.at += ones + 1
        return ones << low | self.take(low)

def unfold(code):
    return code >> 1 ^ -(code & 1)

def read_residual(bits, centred, low):
    if not bits.text.startswith("1" * 8, bits.at):
        codes = [bits.rice(part) for part in low]
        odd, e = bits.take(centred), 0
    else:
        bits.take(8)
        e = min(bits.take(4), 10)
        if bits.take(1):
            width = min(bits.take(5), 28)
            return [unfold(bits.take(width)) for _ in range(3)], e
        odd = bits.take(centred)
        codes = [bits.rice(part + e) for part in low]
    return [(unfold(code) << centred) + odd for code in codes], e

def read_runtime(data, frames, tracks):
    length = struct.unpack("<I", data[:4])[0]
    coder, heads, sets, layouts = Coder(data[4:4 + length]), Heads(), number_sets(4), []
    for track in tracks:
        rotation = track["kind"] == "rotation"
        earlier = sum(other["kind"] == "rotation" for other in tracks[:len(layouts)])
        layout = {"head": heads.read(coder, rotation, 6, earlier)}
        layout["refine"] = max(0, min(10, coder.number(sets[0])))
        axes = [(coder.number(sets[1]), max(0, min(28, coder.number(sets[2])))) for _ in range(3)]
        low = [[0, 0, 0]]
        for level in range(1, 6):
            low.append([])
            for axis in range(3):
                guess = low[level][axis - 1] if axis else max(low[level - 1][0] - 1, 0)
                low[level].append(max(0, min(15, guess + coder.number(sets[3]))))
        layouts.append({**layout, "axes": axes, "low": low})
    nodes = schedule(frames, 32, True)
    segments = max(frames - 1 + 31, 32) // 32
    numbers = [{} for _ in tracks]
    bits = Bits(data, 4 + length)
    for row in range(segments + 1):
        for layout, found in zip(layouts, numbers):
            k = [least + bits.take(width) for least, width in layout["axes"]]
            finer = layout["head"]["finer"]
            found.setdefault(min(32 * row, frames - 1), [f(part * 2.0**-layout["refine"] * finer) for part in k])
    table = (bits.at + 7) // 8
    for segment in range(segments):
        at = struct.unpack("<I", data[table + 4 * segment:table + 4 * segment + 4])[0]
        bits = Bits(data, table + 4 * segments + at)
        for layout, found in zip(layouts, numbers):
            coded = bits.take(3)
            shift = bits.take(2) - 1 if coded else 0
            for level in range(1, 6):
                low = [max(0, min(15, part + shift)) for part in layout["low"][level]]
                for frame in sorted(n[0] for n in nodes if n[1] == level and n[0] // 32 == segment):
                    k, e = [0, 0, 0], 0
                    if level <= coded and (any(low) or bits.take(1)):
                        k, e = read_residual(bits, layout["head"]["centred"], low)
                    finer = 1.0 if level == 5 else layout["head"]["finer"]
                    found[frame] = [f(part * 2.0**-e * finer) for part in k]
    turns = []
    return [compose(track, layout["head"], nodes, [found[node[0]] for node in nodes], turns)
            for track, layout, found in zip(tracks, layouts, numbers)]
# Keys.
def read_keys(data, frames, tracks):
    bits, out, c = Bits(data), [], f(math.sqrt(0.5))
    for track in tracks:
        curve, width, gap, count = bits.take(1), max(1, bits.take(5)), bits.take(4), bits.take(14)
        times = [0]
        for _ in range(count - 1):
            times.append(times[-1] + bits.take(gap) + 1)
        rotation, keys = track["kind"] == "rotation", []
        if not rotation:
            *least, step = (struct.unpack(">f", bits.take(32).to_bytes(4, "big"))[0] for _ in range(4))
        for _ in times:
            if not rotation:
                keys.append([f(part + f(bits.take(width) * step)) for part in least])
                continue
            largest = bits.take(2)
            scale = f(2 * c / ((1 << width) - 1))
            q = [f(f(bits.take(width) * scale) - c) for _ in range(3)]
            q.insert(largest, f(math.sqrt(max(f(1 - dot(q, q)), 0.0))))
            size = f(math.sqrt(dot(q, q)))
            keys.append([f(part / size) for part in q])
        values, last, left = [], len(times) - 1, 0
        for frame in range(frames):
            while left < last and times[left + 1] <= frame:
                left += 1
            if frame == times[left]:
                values.append(keys[left])
                continue
            taps = [max(left - 1, 0), left, left + 1, min(left + 2, last)]
            weights = key_weights(curve, *(times[tap] for tap in taps), frame)
            around = [keys[tap] for tap in taps]
            if rotation:
                order = (1, 2, 0, 3)
                values.append(mean([around[i] for i in order], [weights[i] for i in order]))
            else:
                values.append([dot([key[i] for key in around], weights) for i in range(3)])
        out.append(values)
    return out

def key_weights(curve, before, left, right, after, frame):
    t = f((frame - left) / (right - left))
    if not curve:
        return [0.0, f(1 - t), t, 0.0]
    t2 = f(t * t)
    t3 = f(t2 * t)
    u = f(f(f(f(t3 - f(2 * t2)) + t) * (right - left)) / (right - before))
    v = f(f(f(t3 - t2) * (right - left)) / (after - left))
    w = f(f(3 * t2) - f(2 * t3))
    return [-u, f(f(1 - w) - v), f(w + u), v]

def decode(data):
    """Frames a second, and the joints with their local rotations (x, y, z, w) and translations."""
    r = Reader(data)
    if r.take(4) != b"MOCZ" or r.get("H") != 2:
        raise ValueError("not a compressed motion of version 2")
    profile, flags, frames, fps = r.get("B"), r.get("B"), r.get("Q"), r.get("d")
    r.take(32)
    step, structure = r.get("I"), r.varint()
    blocks = max(1, -(-(frames - 1) // step)) if frames else 0
    lengths = []
    for _ in range(2 + (flags >> 2 & 1) + blocks):
        lengths.append(r.varint())
        r.take(8)
    r.take(8)
    sections = [r.take(length) for length in lengths]
    if flags & 1:
        raise ValueError("the skeleton is in another file")
    joints = read_skeleton(sections[0], structure)
    tracks = read_plan(sections[1], joints)
    for block, section in enumerate(sections[-blocks:] if blocks else []):
        count = min(step + 1, frames - block * step)
        values = (read_archive, read_runtime, read_keys)[profile](section, count, tracks)
        # The last frame is the first of the next block.
        own = count if block + 1 == blocks else count - 1
        for track, found in zip(tracks, values):
            joints[track["joint"]][track["kind"]] += found[:own]
    return fps, frames, joints

if __name__ == "__main__":
    json.dump(decode(Path(sys.argv[1]).read_bytes()), sys.stdout)
