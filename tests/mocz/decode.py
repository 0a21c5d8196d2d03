"""A decoder of compressed motions (.mocz), written from docs/mocz.md only, which also holds its tables."""
import bisect, collections, functools, itertools, math, re, struct
from ctypes import c_float
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "mocz.md").read_text(encoding="utf-8")
NAMES = re.search(r"```names\n(.*?)```", PAGE, re.S)[1].replace("\n", "").encode()
STARTS = [int(value, 16) for value in re.search(r"```starts\n(.*?)```", PAGE, re.S)[1].split()]
FLAT = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
EIGHTHS = [1, 1.0905077, 1.1892071, 1.2968396, 1.4142135, 1.5422108, 1.6817929, 1.8340081]
SCALES = [1, 0.92, 0.85, 0.78, 0.72, 0.66, 0.61, 0.56, 0.51, 0.47, 0.43, 0.4, 0.37, 0.34, 0.31, 0.29]
AXES = range(3)

def f(value): return c_float(value).value  # Rounds to single precision.
def clamp(value, low, high): return max(low, min(high, value))
def unfold(code): return code >> 1 ^ -(code & 1)
def bits(count): return [Bit() for _ in range(count)]
def number_sets(count): return [bits(29) for _ in range(count)]
def apply(rows, v): return [dot(row, v) for row in rows]
def total(*parts): return functools.reduce(lambda total, part: f(total + part), parts)
def dot(a, b): return functools.reduce(lambda total, xy: f(total + f(xy[0] * xy[1])), zip(a, b), 0.0)

class Bit:
    def __init__(self, zero=32768, seen=6):
        self.fast, self.slow, self.seen = zero, zero, seen
    def learn(self, bit):
        slow, target = min(self.seen // 2 + 1, 7), 0 if bit else 65535
        self.fast += (target - self.fast) >> min(slow, 4)
        self.slow += (target - self.slow) >> slow
        self.seen = min(self.seen + 1, 12)
class Symbols:
    def __init__(self, below=None):
        self.estimates, self.seen = [list(below or range(0, 65504, 4094)) for _ in range(2)], 6 if below else 0
    def learn(self, symbol):
        slow, self.seen = min(self.seen // 2 + 2, 8), min(self.seen + 1, 12)
        for estimate, pace in zip(self.estimates, (min(slow, 5), slow)):
            estimate[:] = [e + ((65504 - e) >> pace) if j > symbol else e - (e >> pace) for j, e in enumerate(estimate)]

class Coder:  # The range decoder.
    def __init__(self, data):
        self.data, self.at, self.range = data, 4, 0xFFFFFFFF
        self.code = int.from_bytes(data[:4].ljust(4, b"\0"), "big")
    def take(self, low, size):
        self.code, self.range = self.code - low, size
        while self.range < 1 << 24:
            self.range, self.code, self.at = self.range << 8, self.code << 8, self.at + 1
            self.code |= int.from_bytes(self.data[self.at - 1:self.at], "big")
    def bit(self, model):
        bound = (self.range >> 15) * min((model.fast + model.slow >> 2) + 1, 32767)
        bit = int(self.code >= bound)
        self.take(bound * bit, self.range - bound if bit else bound)
        model.learn(bit)
        return bit
    def symbol(self, model):
        bounds = [(a >> 2) + (b >> 2) + i for i, (a, b) in enumerate(zip(*model.estimates))] + [32768]
        unit = self.range >> 15
        symbol = max(i for i in range(16) if bounds[i] <= min(self.code // unit, 32767))
        self.take(bounds[symbol] * unit, (bounds[symbol + 1] - bounds[symbol]) * unit)
        model.learn(symbol)
        return symbol
    def raw(self, count):
        unit = self.range >> count
        value = min(self.code // unit, (1 << count) - 1)
        self.take(value * unit, unit)
        return value
    def tree(self, models, bits):
        node = functools.reduce(lambda node, _: 2 * node + self.bit(models[node]), range(bits), 1)
        return node - (1 << bits)
    def number(self, models):
        length = next((at for at in range(28) if not self.bit(models[at])), 28)
        magnitude = (1 << length >> 1) + sum(self.raw(1) << at for at in reversed(range(length - 1)))
        return -magnitude if magnitude and self.bit(models[28]) else magnitude
class Packed:  # Packed bytes; a model that learns has no coder, but the next byte.
    def __init__(self, learnt=b""):
        self.bits, self.known, self.last, self.earlier = collections.defaultdict(lambda: Bit(32768, 0)), set(), 0, 0
        for byte in learnt:
            self.byte(None, byte)
    def byte(self, coder, learnt=0):
        slot, node = (self.last + self.earlier * 2533) % 512, 1
        for shift in range(7, -1, -1):
            models = self.bits["two", slot, node], self.bits["one", self.last, node]
            asked, other = models if slot in self.known else models[::-1]
            bit = coder.bit(asked) if coder else learnt >> shift & 1
            for model in (other,) if coder else models:
                model.learn(bit)
            node = 2 * node + bit
        self.known.add(slot)
        self.last, self.earlier = node - 256, self.last
        return self.last
    def read(self, coder, count): return bytes(self.byte(coder) for _ in range(count))
class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0
    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]
    def get(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]
    def varint(self):
        byte = self.get("B")
        return byte if byte < 128 else byte - 128 + (self.varint() << 7)
    def text(self): return self.take(self.varint()).decode()
    def float(self):
        tag = self.get("B")
        if tag in (0, 255):
            return self.get("d") if tag else 0.0
        return unfold(self.varint()) / 10.0 ** (tag - 1)

def read_skeleton(section, structure):
    coder = Coder(section)
    r = Reader(Packed(NAMES).read(coder, structure))
    r.text(), r.get("B"), r.get("B") and r.float()
    joints = []
    for at in range(r.varint()):
        name, back = r.text(), r.varint()
        joints.append({"name": name or joints[at - back]["name"] + "_End", "rotation": None, "translation": None})
    for joint in joints:
        joint["flags"] = r.take(3)[0]
        r.take(48 if joint["flags"] & 8 else 0), joint["flags"] & 16 and r.text()
    [(r.text(), r.varint(), r.varint()) for _ in range(r.varint())]
    times, sets = r.get("B"), number_sets(5)
    decimals = r.get("B") if times else 0
    for joint in joints:
        rest, _ = [[coder.number(sets[s]) / 2.0**24 for _ in AXES] if joint["flags"] & flag else [0.0] * 3
                   for s, flag in ((3, 2), (4, 4))]
        c = 1 / (16 + sum(part * part for part in rest))
        joint["rest"] = [8 * part * c for part in rest] + [32 * c - 1]
        joint["offset"] = [coder.number(sets[axis]) * times / 10.0**decimals if times else r.float() for axis in AXES]
    return joints
def read_plan(section, joints):
    r = Reader(section)
    codes = Packed().read(Coder(r.take(r.varint())), len(joints))
    tracks = []
    for joint, code in zip(joints, codes):
        rest = [f(part) for part in joint["rest"]]
        joint["rotation"], joint["translation"] = ([] if kind == 2 else None for kind in (code & 3, code >> 2))
        if code & 3 == 1:
            parts = [int.from_bytes(r.take(3), "little", signed=True) / 2.0**21 for _ in AXES]
            joint["rotation"] = [multiply(rest, turn(parts))]
        if code >> 2 == 1:
            joint["translation"] = [[r.get("f") for _ in AXES]]
        tracks += [(joint[kind], kind == "rotation", rest) for kind in ("translation", "rotation") if joint[kind] == []]
    return tracks
def turn(r):
    r = [part if abs(part) < 1e6 else 0.0 for part in r]
    c = f(1 / f(16 + dot(r, r)))
    return [f(part * f(8 * c)) for part in r] + [f(f(16 - dot(r, r)) * c)]
def multiply(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return [dot((aw, ax, ay, -az), (bx, bw, bz, by)), dot((aw, -ax, ay, az), (by, bz, bw, bx)),
            dot((aw, ax, -ay, az), (bz, by, bx, bw)), dot((aw, -ax, -ay, -az), (bw, bx, by, bz))]
def mean(rotations, weights):
    weights = [-w if dot(rotations[0], q) < 0 else w for q, w in zip(rotations, weights)]
    total = [dot(parts, weights) for parts in zip(*rotations)]
    square = dot(total, total)
    return rotations[0] if square < f(1e-4) else [f(part * f(1 / f(math.sqrt(square)))) for part in total]

def blend(rotation, values, weights):
    return mean(values, weights) if rotation else [dot(parts, weights) for parts in zip(*values)]
def schedule(frames, top, runtime):  # Frame, level, taps, cubic and linear weights in the order of coding.
    known = sorted({*range(0, frames, top), frames - 1})
    nodes = [(known[0], 0, None, None, None)]
    for frame, a, b in zip(known[1:], known, known[:1] + known):
        ahead, taps = f((frame - a) / (a - b)) if a > b else 0.0, None if runtime else [a, b, a, a]
        nodes.append((frame, 0, taps, [1.0, 0.0, 0.0, 0.0], [f(1 + ahead), -ahead, 0.0, 0.0]))
    for level in range(1, top.bit_length()):
        stride = top >> level
        between = [(left, left + stride, right) for left, right in itertools.pairwise(known) if left + stride < right]
        for left, frame, right in between:
            start = frame // top * top
            near = [k for k in known if start <= k <= start + top] if runtime and level > 1 else known
            first = max(min(near.index(left) - 1, len(near) - 4), 0)
            taps = [left, right] + [k for k in near[first:first + 4] if k not in (left, right)]
            cubic = [f(math.prod((frame - b) / (a - b) for b in taps if a != b)) for a in taps]
            way, missing = f((frame - left) / (right - left)), 4 - len(taps)
            nodes.append((frame, level, taps + [left] * missing, cubic + [0.0] * missing, [f(1 - way), way, 0.0, 0.0]))
        known = sorted(known + [frame for _, frame, _ in between])
    return nodes
class Heads:
    def __init__(self):
        self.flat, self.finer, self.flags = [bits(8), bits(8)], bits(4), bits(3)
        self.sets, self.scale = number_sets(5), 0
    def read(self, coder, levels, earlier):  # `earlier`: the rotations before a rotation, else 0.
        flat = [FLAT[coder.tree(self.flat[level + 1 == levels], 3)] for level in range(levels)]
        finer = [1.0, f(0.84), f(0.7), f(0.6)][coder.tree(self.finer, 2)]
        head = {"flat": flat, "finer": [finer] * (levels - 1) + [1.0], "reference": None}
        head["base"] = [coder.number(self.sets[4]) for _ in AXES]
        head["centred"], isotropic, columns = coder.bit(self.flags[0]), coder.bit(self.flags[1]), []
        for axis in AXES:
            self.scale += coder.number(self.sets[0]) if axis == 0 or not isotropic else 0
            octave, eighth = divmod(clamp(self.scale, -800, 800), 8)
            factor = f(f(2.0**octave * f(EIGHTHS[eighth])) / 24)
            parts = [24 * (i == axis) if isotropic else coder.number(self.sets[1]) for i in AXES]
            columns.append([f(clamp(part, -24, 24) * factor) for part in parts])
        head["basis"] = list(zip(*columns))
        if earlier and coder.bit(self.flags[2]):
            head["reference"] = max(earlier - 1 - abs(coder.number(self.sets[2])), 0)
            head["matrix"] = [[coder.number(self.sets[3]) / 16 for _ in AXES] for _ in AXES]
        return head
def numbers_of(head, level, k, e): return [f(part * 2.0**-e * head["finer"][level]) for part in k]
def compose(track, head, nodes, numbers, turns):  # `turns`: by rotation and frame, the vectors so far.
    (_, rotation, rest), values, own = track, {}, {}
    base = [f(4096 * part) for part in apply(head["basis"], head["base"])]
    base = multiply(rest, turn([part / 32 for part in head["base"]])) if rotation else base
    for frame, level, taps, cubic, linear in nodes:
        by, own[frame], predicted = apply(head["basis"], numbers[frame]), [0.0] * 3, base
        if taps and head["reference"] is not None:
            by = [f(a + b) for a, b in zip(apply(head["matrix"], turns[head["reference"]][frame]), by)]
        if taps:
            weights = [f(a + f(head["flat"][level] * f(b - a))) for a, b in zip(cubic, linear)]
            own[frame], predicted = by, blend(rotation, [values[tap] for tap in taps], weights)
        values[frame] = multiply(predicted, turn(by)) if rotation else [f(a + b) for a, b in zip(predicted, by)]
    turns += [own] if rotation else []
    return [value for _, value in sorted(values.items())]

class Model:  # Residuals of the archive profile.
    def __init__(self):
        *self.zero, self.odd = ([Bit(z) for z in STARTS[40 * i:40 * i + 40]] for i in range(4))
        self.classes = [[Symbols([0] + STARTS[160 + 15 * i:175 + 15 * i]) for i in range(160)] for _ in range(2)]
        self.high, self.top = [Symbols() for _ in range(40)], [Bit(34816) for _ in range(30)]
        self.refine, self.sign = [Bit(64000) for _ in range(10)], [bits(3) for _ in AXES]
    def read(self, coder, centred, expected, before):
        e = next((at for at in range(10) if not coder.bit(self.refine[at])), 10)
        expected = [f(x * 2.0**e / (1 + centred)) for x in expected]
        average = bucket(f(total(*expected) * f(1 / 3)))
        if not coder.bit(self.zero[min(sum(k != 0 for k in before), 2)][average]):
            return [0, 0, 0], e
        odd = coder.bit(self.odd[average]) if centred else 0
        k, so_far, usual = [], 0.0, 0.0
        for axis, last in enumerate(before):
            neighbours = axis and 1 + (so_far >= f(f(0.6) * usual)) + (so_far >= f(f(1.6) * usual))
            magnitude = self.magnitude(coder, odd, neighbours, bucket(expected[axis]))
            so_far, usual = f(so_far + magnitude), f(usual + expected[axis])
            magnitude += (magnitude + odd) * centred
            negative = magnitude and coder.bit(self.sign[axis][(last > 0) - (last < 0) + 1])
            k.append(-magnitude if negative else magnitude)
        return k, e
    def magnitude(self, coder, odd, neighbours, at):
        c = coder.symbol(self.classes[odd][40 * neighbours + at])
        c += coder.symbol(self.high[at]) if c == 15 else 0
        if c < 4 or c == 30:
            return c if c < 4 else coder.raw(12) << 15 | coder.raw(15)
        return ((4 + 2 * (c % 2) + coder.bit(self.top[c])) << (c // 2 - 2)) + coder.raw(c // 2 - 2)
def bucket(x):
    mantissa, exponent = math.frexp(max(x, 1 / 32))
    return min(2 * (exponent + 4) + (mantissa >= 0.75), 39)
class Level:
    def __init__(self, start):
        self.mean, self.last, self.earlier, self.k, self.count = start, start, start, [0, 0, 0], 0
    def learn(self, k, m):
        self.k, self.last, self.earlier, self.count = k, m, self.last, self.count + 1
        rate = max(f(1 / (self.count + 1)), f(0.03))
        self.mean = [f(a + f(f(b - a) * rate)) for a, b in zip(self.mean, m)]
    def expect(self, coarser, near):  # `near`: the magnitudes and levels of the two nearest frames, if any.
        ratios = [1.0] * 3
        if near and not self.count:
            self.mean = self.last = self.earlier = [f(f(0.35) * m) for m in coarser.mean]
        if near:
            sums = [[total(a, b, f(0.02)) for a, b in zip(*pair)] for pair in zip(*((m, of.mean) for m, of in near))]
            ratios = [min(f(a / b), 4.0) for a, b in zip(*sums)]
        weights = [(f(0.2), f(0.12), f(f(0.4) + f(f(0.28) * ratio))) for ratio in ratios]
        return [dot(parts, three) for *parts, three in zip(self.last, self.earlier, self.mean, weights)]

def read_archive(data, frames, tracks):
    nodes, coder, heads, models = schedule(frames, 64, False), Coder(data), Heads(), (Model(), Model())
    activity, shares, turns, out = [1.0] * frames, [], [], []
    alone, wf, wt = f(f(0.35) + f(0.5 * f(0.45))), f(0.35), f(0.45)
    for track in tracks:
        rotation, head = track[1], heads.read(coder, 7, len(turns) if track[1] else 0)
        levels = [Level([3000.0 - 2800 * rotation] * 3)] + [Level([0.0] * 3) for _ in range(6)]
        found, share, numbers = {}, {}, {}
        floor, other = f(0.7) if head["centred"] else 0.5, shares[head["reference"] or 0] if shares else ()
        weights = (1, -alone, 0, alone) if head["reference"] is None else (1, -wf, -wt, wf, wt)
        for frame, level, taps, _, _ in nodes:
            own = levels[level].expect(levels[level - 1], [found[tap] for tap in taps[:2]] if level else ())
            factor = dot(weights, (1, 1, 1, activity[frame], other and other[frame])) if rotation else 1.0
            k, e = models[rotation].read(coder, head["centred"], [f(x * factor) for x in own], levels[level].k)
            m = [float(abs(part) >> e) for part in k]
            found[frame], numbers[frame] = (m, levels[level]), numbers_of(head, level, k, e)
            levels[level].learn(k, m)
            share[frame] = min(f(total(*m, floor) / total(*own, floor)), 4.0)
            activity[frame] = f(activity[frame] + f(f(share[frame] - activity[frame]) * f(0.3 * rotation)))
        shares += [share] if rotation else []
        out.append(compose(track, head, nodes, numbers, turns))
    return out
class Bits:
    def __init__(self, data, at=0):
        self.text, self.at = bin(int.from_bytes(b"\1" + data, "big"))[3:] + "0" * 512, 8 * at
    def take(self, count):
        self.at += count
        return int("0" + self.text[self.at - count:self.at], 2)
    def rice(self, low):
        end = self.text.index("0", self.at)
        ones, self.at = end - self.at, end + 1
        return ones << low | self.take(low)
def read_residual(bits, centred, low):
    escaped = bits.text.startswith("1" * 8, bits.at)
    e = min(bits.take(12) & 15, 10) if escaped else 0
    if escaped and bits.take(1):
        width = min(bits.take(5), 28)
        return [unfold(bits.take(width)) for _ in AXES], e
    odd = bits.take(centred) if escaped else 0
    codes = [bits.rice(part + e) for part in low]
    odd = odd if escaped else bits.take(centred)
    return [(unfold(code) << centred) + odd for code in codes], e

def read_layouts(data, frames, tracks, top, direct):  # Layouts with the numbers of rows, and starts of segments.
    length, rotations, levels = struct.unpack("<I", data[:4])[0], 0, top.bit_length()
    coder, heads, sets, layouts = Coder(data[4:4 + length]), Heads(), number_sets(4), []
    for track in tracks:
        head = heads.read(coder, levels, 0 if direct or not track[1] else rotations)
        rotations += track[1]
        refine = clamp(coder.number(sets[0]), 0, 10)
        axes = [(coder.number(sets[1]), clamp(coder.number(sets[2]), 0, 28)) for _ in AXES]
        halved = clamp(coder.number(sets[0]), 0, 10) if direct else 0
        low, bounds = [[0, 0, 0]], (-28, 28) if direct else (0, 15)
        for _ in range(1, levels):
            guess = max(low[-1][0] - 1, 0)
            low.append([guess := clamp(guess + coder.number(sets[3]), *bounds) for _ in AXES])
        layouts.append((head, refine, axes, low, {}, halved))
    bits, segments = Bits(data, 4 + length), (max(frames, 2) + top - 2) // top
    for row in range(segments + 1):
        for head, refine, axes, _, numbers, _ in layouts:
            k = [least + bits.take(width) for least, width in axes]
            numbers.setdefault(min(top * row, frames - 1), numbers_of(head, 0, k, refine))
    table = (bits.at + 7) // 8
    return layouts, [table + 4 * segments + at for at in struct.unpack_from(f"<{segments}I", data, table)]
def read_runtime(data, frames, tracks):
    (layouts, starts), nodes = read_layouts(data, frames, tracks, 32, False), schedule(frames, 32, True)
    for segment, start in enumerate(starts):
        bits = Bits(data, start)
        of_segment = sorted((level, frame) for frame, level, *_ in nodes if level and frame // 32 == segment)
        for head, _, _, low, numbers, _ in layouts:
            coded = bits.take(3)
            shift = bits.take(2) - 1 if coded else 0
            for level, frame in of_segment:
                shifted, k, e = [clamp(part + shift, 0, 15) for part in low[level]], [0, 0, 0], 0
                if level <= coded and (any(shifted) or bits.take(1)):
                    k, e = read_residual(bits, head["centred"], shifted)
                numbers[frame] = numbers_of(head, level, k, e)
    turns = []
    return [compose(track, layout[0], nodes, layout[4], turns) for track, layout in zip(tracks, layouts)]
def read_direct(data, frames, tracks):
    (layouts, starts), nodes = read_layouts(data, frames, tracks, 16, True), schedule(17, 16, True)[2:]
    choices = [struct.unpack_from(f"<{len(tracks)}H", data, start) for start in starts]
    segments = [(16 * at, Bits(data, start + 2 * len(tracks))) for at, start in enumerate(starts)]
    out = []
    for track, (head, _, _, widths, numbers, halved), codes in zip(tracks, layouts, zip(*choices)):
        rows = compose(track, head, [(frame, 0, None, None, None) for frame in sorted(numbers)], numbers, [])
        weights, values = direct_weights(nodes, head["flat"]), []
        for (first, bits), code, a, b in zip(segments, codes, rows, rows[1:]):
            length, scale = min(16, frames - 1 - first), f(2.0**-halved * f(SCALES[code & 15]))
            stored = []
            for frame, level, *_ in nodes:
                c, k = code >> 3 * level + 1 & 7, [0, 0, 0]
                if c and frame < length:
                    bounded = [clamp(part + c - 4, 0, 28) for part in widths[level]]
                    k = [2 * bits.take(width) - (1 << width >> 1 << 1) for width in bounded]
                    odd = bits.take(1)
                    k = [part + odd for part in k]
                stored.append(k)
            for frame in range(length):
                n = [f(dot(parts, weights[frame]) * scale) for parts in zip(*stored)]
                values.append(along(track[1], a, b, f(frame / length), apply(head["basis"], n)) if frame else a)
        out.append(values + rows[-1:])
    return out
def direct_weights(nodes, flat):  # By frame of a segment, those of the numbers of all nodes.
    weights = {0: [0.0] * 15, 16: [0.0] * 15}
    for at, (frame, level, taps, cubic, linear) in enumerate(nodes):
        shares = [(weights[tap], a + flat[level] * (b - a)) for tap, a, b in zip(taps, cubic, linear)]
        weights[frame] = [sum(of_tap[i] * share for of_tap, share in shares) + (i == at) for i in range(15)]
    return {frame: [f(weight) for weight in of_frame] for frame, of_frame in weights.items()}
def along(rotation, a, b, way, r):  # The value off the path from `a` to `b`.
    turned = -way if rotation and dot(a, b) < 0 else way
    path = [f(f(x * f(1 - way)) + f(y * turned)) for x, y in zip(a, b)]
    if not rotation:
        return [f(x + y) for x, y in zip(path, r)]
    square = dot(r, r)
    scale = f(1 / f(f(math.sqrt(dot(path, path))) * f(16 + square)))
    return [f(part * scale) for part in multiply(path, [f(8 * x) for x in r] + [f(16 - square)])]
def read_keys(data, frames, tracks):
    bits, out = Bits(data), []
    for _, rotation, _ in tracks:
        curve, count, times = bits.take(1), bits.take(14), [0]
        if count > 1:
            times = list(itertools.accumulate((gap + 1 for gap in read_series(bits, range(count - 1))), initial=0))
        if rotation:
            width, c = bits.take(5), f(math.sqrt(0.5))
            scale = f(2 * c / ((1 << width) - 1))
            left_out, *parts = (read_series(bits, times) for _ in range(4))
            keys = [key_rotation(at, [f(f(n * scale) - c) for n in q]) for at, *q in zip(left_out, *parts)]
        else:
            *least, step = (struct.unpack(">f", bits.take(32).to_bytes(4, "big"))[0] for _ in range(4))
            keys = [[f(a + f(n * step)) for a, n in zip(least, v)] for v in zip(*(read_series(bits, times) for _ in AXES))]
        out.append([between_keys(frame, rotation, curve, times, keys) for frame in range(frames)])
    return out
def read_series(bits, times):  # The numbers of the keys at some frames.
    prediction, low = bits.take(2), bits.take(5)
    numbers = [bits.take(bits.take(5))]
    for at in range(1, len(times)):
        n = numbers[-1] if prediction else 0
        if prediction == 2 and at > 1:
            n += (n - numbers[-2]) * (times[at] - times[at - 1]) // (times[at - 1] - times[at - 2])
        long = low < 31 and bits.text.startswith("1" * 12, bits.at)
        numbers.append(n + (0 if low == 31 else unfold(bits.take(44) & 0xFFFFFFFF if long else bits.rice(low))))
    return numbers
def key_rotation(left_out, q):
    q.insert(left_out, f(math.sqrt(max(f(1 - dot(q, q)), 0.0))))
    return [f(part / f(math.sqrt(dot(q, q)))) for part in q]
def between_keys(frame, rotation, curve, times, keys):
    near = bisect.bisect(times, frame) - 1
    taps = [clamp(near + i, 0, len(times) - 1) for i in (-1, 0, 1, 2)]
    before, left, right, after = (times[tap] for tap in taps)
    if frame == left:
        return keys[near]
    t = f((frame - left) / (right - left))
    t2, t3 = f(t * t), f(f(t * t) * t)
    u = f(f(f(f(t3 - f(2 * t2)) + t) * (right - left)) / (right - before))
    v = f(f(f(t3 - t2) * (right - left)) / (after - left))
    w = f(f(3 * t2) - f(2 * t3))
    weights = [-u, f(f(1 - w) - v), f(w + u), v] if curve else [0.0, f(1 - t), t, 0.0]
    order = (1, 2, 0, 3) if rotation else range(4)
    return blend(rotation, [keys[taps[i]] for i in order], [weights[i] for i in order])

def decode(data):  # Frames a second, frames, and the joints with their local rotations (x, y, z, w) and translations.
    r = Reader(data)
    magic, version, profile, flags, frames, fps, _, step = (r.get(form) for form in ("4s", *"HBBQd", "32s", "I"))
    if magic != b"MOCZ" or version != 2 or flags & 1:
        raise ValueError("not a compressed motion of version 2 with its skeleton")
    structure = r.varint()
    blocks = max(1, -(-(frames - 1) // step)) if frames else 0
    lengths = [(r.varint(), r.take(8))[0] for _ in range(2 + (flags >> 2 & 1) + blocks)]
    r.take(8)
    sections = [r.take(length) for length in lengths]
    joints = read_skeleton(sections[0], structure)
    tracks = read_plan(sections[1], joints)
    for block in range(blocks):
        count = min(step + 1, frames - block * step)
        values = (read_archive, read_runtime, read_keys, read_direct)[profile](sections[block - blocks], count, tracks)
        for (frames_of, _, _), found in zip(tracks, values):  # The last frame is the first of the next block.
            frames_of.extend(found if block + 1 == blocks else found[:-1])
    return fps, frames, joints
