"""A decoder of compressed motions (.mocz), written from docs/mocz.md and docs/mocz-tables.md only."""
import bisect, collections, copy, ctypes, functools, itertools, math, pathlib, re, struct, types
DOCS = pathlib.Path(__file__).parents[2] / "docs"
PAGE = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("mocz.md", "mocz-tables.md"))
NAMES, LOGISTIC, STARTS = (re.search(rf"```{table}\n(.*?)```", PAGE, re.S)[1].split()
                           for table in ("names", "logistic", "starts"))
LOGISTIC, STARTS = [int(value) for value in LOGISTIC], [int(value, 16) for value in STARTS]
FLAT = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
SCALES = [1, 0.92, 0.85, 0.78, 0.72, 0.66, 0.61, 0.56, 0.51, 0.47, 0.43, 0.4, 0.37, 0.34, 0.31, 0.29]
AXES = range(3)

# Arithmetic. Vectors and quaternions are lists of numbers of single precision.
def f(value): return ctypes.c_float(value).value  # Rounds to single precision.
def plus(a, b): return [f(x + y) for x, y in zip(a, b)]
def times(v, factor): return [f(x * factor) for x in v]
def dot(a, b, f=f): return functools.reduce(lambda so_far, xy: f(so_far + f(xy[0] * xy[1])), zip(a, b), 0.0)
def total(parts): return dot(parts, itertools.repeat(1))
def apply(rows, v): return [dot(row, v) for row in rows]
def turn(r, f=f):  # The rotation of modified Rodrigues parameters, rounded by `f`.
    c = f(1 / f(16 + dot(r, r, f)))
    return [f(part * f(8 * c)) for part in r] + [f(f(16 - dot(r, r, f)) * c)]
def multiply(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return [dot((aw, ax, ay, -az), (bx, bw, bz, by)), dot((aw, -ax, ay, az), (by, bz, bw, bx)),
            dot((aw, ax, -ay, az), (bz, by, bx, bw)), dot((aw, -ax, -ay, -az), (bw, bx, by, bz))]
def mix(rotation, values, weights):  # The mean of rotations, or the sum of translations.
    weights = [-w if rotation and dot(values[0], q) < 0 else w for q, w in zip(values, weights)]
    mixed = [dot(parts, weights) for parts in zip(*values)]
    square = dot(mixed, mixed) if rotation else 1.0
    return values[0] if square < f(1e-4) else times(mixed, f(1 / f(math.sqrt(square))))
def move(rotation, value, by): return multiply(value, turn(by)) if rotation else plus(value, by)

# Bits, bytes and range coding.
def ones(most, bit): return next((at for at in range(most) if not bit(at)), most)
def unfold(code): return code >> 1 ^ -(code & 1)
def clamp(value, low, high): return max(low, min(high, value))
def bit_model(zero=32768): return types.SimpleNamespace(fast=zero, slow=zero, seen=6)
def symbol_model(below, seen=6): return types.SimpleNamespace(fast=list(below), slow=list(below), seen=seen)
class Coder:  # The range decoder, and even bits by name.
    def __init__(self, data):
        self.bytes, self.range = itertools.chain(data, itertools.repeat(0)), 0xFFFFFFFF
        self.code = int.from_bytes(itertools.islice(self.bytes, 4), "big")
        self.even = collections.defaultdict(bit_model)
    def take(self, low, size):
        self.code, self.range = self.code - low, size
        while self.range < 1 << 24:
            self.range, self.code = self.range << 8, self.code << 8 | next(self.bytes)
    def chance(self, zero):  # A bit that is 0 with this chance out of 32768.
        bound = (self.range >> 15) * zero
        bit = int(self.code >= bound)
        self.take(bound * bit, self.range - bound if bit else bound)
        return bit
    def bit(self, model):
        bit = self.chance((model.fast + model.slow >> 2) + 1)
        slow, target = min(model.seen // 2 + 1, 7), 0 if bit else 65535
        model.fast += (target - model.fast) >> min(slow, 4)
        model.slow += (target - model.slow) >> slow
        model.seen = min(model.seen + 1, 12)
        return bit
    def pick(self, depth, bounds):  # Which part of 2^depth has the code.
        unit = self.range >> depth
        part = bisect.bisect(bounds, self.code // unit) - 1
        self.take(bounds[part] * unit, (bounds[part + 1] - bounds[part]) * unit)
        return part
    def raw(self, count): return self.pick(count, range((1 << count) + 1))
    def symbol(self, model):
        bounds = [(a >> 2) + (b >> 2) + i for i, (a, b) in enumerate(zip(model.fast, model.slow))] + [32768]
        symbol = self.pick(15, bounds)
        slow, model.seen = min(model.seen // 2 + 2, 8), min(model.seen + 1, 12)
        for estimate, pace in ((model.fast, min(slow, 5)), (model.slow, slow)):
            estimate[:] = [e + ((65504 - e) >> pace) if j > symbol else e - (e >> pace) for j, e in enumerate(estimate)]
        return symbol
    def tree(self, name, depth):
        return functools.reduce(lambda node, _: 2 * node + self.bit(self.even[name, node]), range(depth), 1) - 2**depth
    def number(self, name):
        length = ones(28, lambda at: self.bit(self.even[name, at]))
        magnitude = functools.reduce(lambda high, _: 2 * high + self.raw(1), range(length - 1), min(length, 1))
        return -magnitude if magnitude and self.bit(self.even[name, "sign"]) else magnitude
class Reader:  # Of bits, the highest of a byte first, and of what is made of bytes.
    def __init__(self, data, start=0): self.data, self.at = data, 8 * start
    def bits(self, count):
        start, self.at = self.at, self.at + count
        return int.from_bytes(self.data[start // 8:-(-self.at // 8)], "big") >> -self.at % 8 & (1 << count) - 1
    def mark(self, count):  # Whether so many ones follow; only then they are read.
        marked = self.bits(count) == (1 << count) - 1
        self.at -= 0 if marked else count
        return marked
    def rice(self, low): return ones(1 << 32, lambda _: self.bits(1)) << low | self.bits(low)
    def take(self, count): return self.bits(8 * count).to_bytes(count, "big")
    def get(self, form): return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))
    def text(self): return self.take(self.data.index(255, self.at // 8) + 1 - self.at // 8)[:-1].decode()
    def varint(self): return (byte := self.bits(8)) & 127 | (self.varint() << 7 if byte > 127 else 0)
    def float(self):
        tag = self.bits(8)
        return unfold(self.varint()) / 10.0 ** (tag - 1) if 0 < tag < 255 else self.get("d")[0] if tag else 0.0

# Packed bytes.
CHANCES = [LOGISTIC[x >> 7] * (128 - x % 128) + LOGISTIC[(x >> 7) + 1] * (x % 128) + 64 >> 7 for x in range(1, 4096)]
def unpack(chance, count, learnt=None):  # `chance` returns a bit that is 0 with a chance out of 32768.
    text, models, weights = learnt or copy.deepcopy(PRIMED)
    for _ in range(count):
        node, before = 1, int.from_bytes(text[-3:], "big")
        while node < 256:
            hashes = ((before % 256**n + (n + 1 << 28)) * 0x9E3779B1 + node * 0x85EBCA6B for n in range(4))
            near = [models[place % 2**32 >> 14] for place in hashes]
            guesses = [bisect.bisect_left(CHANCES, one >> 4) - 2047 if seen else 0 for one, seen in near]
            weigh = weights[sum(seen > 0 for _, seen in near)]
            one = CHANCES[clamp(sum(w * guess for w, guess in zip(weigh, guesses)) >> 16, -2047, 2047) + 2047]
            bit = chance(32768 - 8 * one)
            weigh[:] = [w + (guess * (4096 * bit - one) + 1024 >> 11) for w, guess in zip(weigh, guesses)]
            for model in near:
                pace = 655360 // (10 * model[1] + 14)
                model[:] = model[0] + ((65535 * bit - model[0]) * pace >> 16), min(model[1] + 1, 20)
            node = 2 * node + bit
        text.append(node - 256)
    return text[len(text) - count:]
BITS = [byte >> shift & 1 for name in NAMES for byte in name.encode() + b"\xff" for shift in range(7, -1, -1)]
PRIMED = bytearray(), collections.defaultdict(lambda: [32768, 0]), [[20000] * 4 for _ in range(5)]
unpack(lambda _, bits=iter(BITS): next(bits), len(BITS) // 8, PRIMED)

# Skeleton and plan.
def read_skeleton(section, structure):
    coder, joints, kinds, path = Coder(section), [], [], []
    r = Reader(unpack(coder.chance, structure))
    r.text(), r.take(1), r.bits(8) and r.float()
    for at in range(r.varint()):
        kinds += [r.take(3)[0]] if (kind := r.varint()) == len(kinds) else []
        path = path[:len(path) - up] if (up := r.varint()) <= len(path) else [up - len(path) - 1]
        joints.append({"flags": kinds[kind], "parent": path[-1] if path else None, "rotation": [], "translation": []})
        path.append(at)
    for joint in joints:
        joint["name"] = r.text() or joints[joint["parent"]]["name"] + "_End"
        r.take(48 if joint["flags"] & 8 else 0), joint["flags"] & 16 and r.text()
    [(r.text(), r.varint(), r.varint()) for _ in range(r.varint())]
    step = r.bits(8)
    decimals, back, steps = r.bits(8) if step else 0, 0, []
    for at, joint in enumerate(joints):
        joint["rest"] = turn([coder.number("rest") / 2.0**24 if joint["flags"] & 2 else 0.0 for _ in AXES], float)
        [coder.number("axes") for _ in AXES if joint["flags"] & 4]
        back += coder.number("back") if step else 0
        steps.append(steps[at - back][:] if back else [0] * 3)
        for axis, n in enumerate(steps[-1] if step else []):
            mirrored = n and coder.bit(coder.even["mirrored", axis])
            steps[-1][axis] = (-n if mirrored else n) + coder.number((back > 0, axis))
        joint["offset"] = [n * step / 10.0**decimals if step else r.float() for n in steps[-1]]
    return joints
def read_plan(section, joints, plain):
    coder, r, tracks, bits = Coder(section), Reader(section), [], 0
    codes = [r.bits(4) for _ in joints] if plain else unpack(coder.chance, len(joints))
    for joint, code in zip(joints, codes):
        rest = [f(part) for part in joint["rest"]]
        if code & 3 == 1:
            bits = r.bits(5) if plain else bits + coder.number("bits")
            parts = [r.bits(bits + 4) - 2 ** (bits + 3) if plain else coder.number("part") for _ in AXES]
            joint["rotation"].append(multiply(rest, turn(times(parts, 2.0**-bits))))
        if code >> 2 == 1:
            single = [r.bits(32) for _ in AXES] if plain else [coder.raw(16) | coder.raw(16) << 16 for _ in AXES]
            joint["translation"].append(struct.unpack("<3f", struct.pack("<3I", *single)))
        tracks += [types.SimpleNamespace(values=joint[kind], rotation=kind == "rotation", rest=rest)
                   for kind, of_kind in (("translation", code >> 2), ("rotation", code & 3)) if of_kind == 2]
    return tracks

# What the profiles archive, runtime and direct share.
def schedule(frames, top, runtime):  # By frame, in the order of coding: level, taps and their cubic and linear weights.
    nodes = []
    for frame in sorted({*range(0, frames, top), frames - 1}):
        taps = [] if runtime else [tap for tap, *_ in nodes[:-3:-1]]
        ahead = f((frame - taps[0]) / (taps[0] - taps[1])) if len(taps) > 1 else 0.0
        nodes.append((frame, 0, taps, [1.0, 0.0], [f(1 + ahead), -ahead]))
    for level in range(1, top.bit_length()):
        known = sorted(frame for frame, *_ in nodes)
        stride, pairs = top >> level, enumerate(itertools.pairwise(known))
        for at, left, frame, right in [(at, a, a + stride, b) for at, (a, b) in pairs if a + stride < b]:
            start, length = (frame // top * top, top) if runtime and level > 1 else (0, frames)
            end = bisect.bisect(known, start + length)
            first = max(min(at - 1, end - 4), bisect.bisect_left(known, start))
            taps = [left, right] + [tap for tap in known[first:min(first + 4, end)] if tap not in (left, right)]
            cubic = [f(math.prod((frame - b) / (a - b) for b in taps if a != b)) for a in taps]
            way = f((frame - left) / (right - left))
            nodes.append((frame, level, taps, cubic, [f(1 - way), way, 0.0, 0.0]))
    return nodes
def read_heads(coder, tracks, levels, direct=False):  # One by one: other data of the track follow a track.
    scale, rotations = 0, []
    for track in tracks:
        track.references, track.vectors = [], {}
        track.flat = [FLAT[coder.tree(("flat", level + 1 == levels), 3)] for level in range(levels)]
        track.finer = [f([1, 0.84, 0.7, 0.6][coder.tree("finer", 2)])] * (levels - 1) + [1.0]
        base = [coder.number("base") for _ in AXES]
        track.centred, isotropic, columns = coder.bit(coder.even["centred"]), coder.bit(coder.even["isotropic"]), []
        for axis in AXES:
            scale += coder.number("scale") if axis == 0 or not isotropic else 0
            factor = f(f(2.0 ** (scale / 8)) / 24)
            columns.append(times([24 * (i == axis) if isotropic else coder.number("part") for i in AXES], factor))
        track.basis = list(zip(*columns))
        track.base = times(apply(track.basis, base), 4096)
        if track.rotation:
            track.base = multiply(track.rest, turn(times(base, 1 / 32)))
            while rotations and not direct and (at := len(track.references)) < 3 and coder.bit(coder.even["to", at]):
                other = rotations[-1 - coder.number("back")]
                track.references.append((other, [[coder.number("entry") / 16 for _ in AXES] for _ in AXES]))
            rotations.append(track)
        yield track
def store(track, frame, level, k, e):
    track.vectors[frame] = apply(track.basis, times(times(k, 2.0**-e), track.finer[level]))
def compose(track, nodes):  # The values of a track by frame, from its vectors.
    values = {}
    for frame, level, taps, cubic, linear in nodes:
        shifts = [apply(matrix, other.vectors[frame]) for other, matrix in track.references if taps]
        shift, predicted = functools.reduce(plus, shifts, [0.0] * 3), track.base
        vector = track.vectors[frame] = plus(shift, track.vectors.get(frame, [0.0] * 3))
        if taps:
            weights = [f(a + f(track.flat[level] * f(b - a))) for a, b in zip(cubic, linear)]
            predicted = mix(track.rotation, [values[tap] for tap in taps], weights)
        values[frame] = move(track.rotation, predicted, vector)
    return values

# The profile archive.
class Model:  # Of residuals.
    def __init__(self):
        *self.zero, self.odd = ([bit_model(zero) for zero in STARTS[40 * i:40 * i + 40]] for i in range(4))
        self.classes = [[symbol_model([0] + STARTS[at:at + 15]) for at in range(160, 2560, 15)] for _ in range(2)]
        self.high = [symbol_model(range(0, 65504, 4094), 0) for _ in range(40)]
        self.top, self.refine = [bit_model(34816) for _ in range(30)], [bit_model(64000) for _ in range(10)]
    def read(self, coder, centred, expected, before):
        e = ones(10, lambda at: coder.bit(self.refine[at]))
        expected = times(expected, 2.0**e / (1 + centred))
        average = bucket(f(total(expected) * f(1 / 3)))
        if not coder.bit(self.zero[min(sum(map(bool, before)), 2)][average]): return [0, 0, 0], e
        odd = coder.bit(self.odd[average]) if centred else 0
        k, so_far, usual = [], 0.0, 0.0
        for axis, last in enumerate(before):
            neighbours = axis and 1 + (so_far >= f(f(0.6) * usual)) + (so_far >= f(f(1.6) * usual))
            magnitude = self.magnitude(coder, odd, neighbours, bucket(expected[axis]))
            so_far, usual = f(so_far + magnitude), f(usual + expected[axis])
            magnitude += (magnitude + odd) * centred
            negative = magnitude and coder.bit(coder.even[self, axis, (last > 0) - (last < 0)])
            k.append(-magnitude if negative else magnitude)
        return k, e
    def magnitude(self, coder, odd, neighbours, at):
        c = coder.symbol(self.classes[odd][40 * neighbours + at])
        c += coder.symbol(self.high[at]) if c == 15 else 0
        if c < 4 or c == 30: return c if c < 4 else coder.raw(12) << 15 | coder.raw(15)
        return ((4 + 2 * (c % 2) + coder.bit(self.top[c])) << (c // 2 - 2)) + coder.raw(c // 2 - 2)
def bucket(x): return min((struct.unpack("I", struct.pack("f", max(x, 1 / 32)))[0] >> 22) - 244, 39)
def new_level(start):  # Of a track: what its residuals were.
    return types.SimpleNamespace(mean=[start] * 3, last=[start] * 3, earlier=[start] * 3, k=[0, 0, 0], count=0)
def expect(level, coarser, near):  # `near`: the magnitudes and levels of the two nearest frames, if any.
    if near and not level.count: level.mean = level.last = level.earlier = times(coarser.mean, f(0.35))
    found, usual = ([total(parts) for parts in zip(*of_near, [f(0.02)] * 3)]
                    for of_near in ([m for m, _ in near], [level.mean for _, level in near]))
    weights = [f(f(0.4) + f(f(0.28) * min(f(a / b), 4.0))) for a, b in zip(found, usual)]
    return [dot(parts, (f(0.2), f(0.12), w)) for *parts, w in zip(level.last, level.earlier, level.mean, weights)]
def learn(level, k, m):
    level.k, level.last, level.earlier, level.count = k, m, level.last, level.count + 1
    rate = max(f(1 / (level.count + 1)), f(0.03))
    level.mean = [f(a + f(f(b - a) * rate)) for a, b in zip(level.mean, m)]
def read_archive(data, frames, tracks):
    nodes, coder, models, activity = schedule(frames, 64, False), Coder(data), (Model(), Model()), [1.0] * frames
    for track in read_heads(coder, tracks, 7):
        levels = [new_level(start) for start in (200.0 if track.rotation else 3000.0, *[0.0] * 6)]
        found, track.share, floor, pace = {}, {}, f(0.7) if track.centred else 0.5, f(0.3) if track.rotation else 0.0
        a, b = (f(0.35), f(0.45)) if track.references else (f(f(0.35) + f(0.5 * f(0.45))), 0.0)
        shared = track.references[0][0].share if track.references else activity
        for frame, at, taps, _, _ in nodes:
            level = levels[at]
            own = expect(level, levels[at - 1], [found[tap] for tap in taps[:2]] if at else [])
            factor = dot((1, -a, -b, a, b), (1, 1, 1, activity[frame], shared[frame])) if track.rotation else 1.0
            k, e = models[track.rotation].read(coder, track.centred, times(own, factor), level.k)
            store(track, frame, at, k, e)
            m = [float(abs(part) >> e) for part in k]
            learn(level, k, m)
            found[frame], track.share[frame] = (m, level), min(f(total(m + [floor]) / total(own + [floor])), 4.0)
            activity[frame] = f(activity[frame] + f(f(track.share[frame] - activity[frame]) * pace))
        yield compose(track, nodes)

# The profiles runtime and direct.
def read_plain(r, tracks):  # Plain layouts.
    def span(): return unfold(r.bits(r.bits(5))), r.bits(5)
    def number(of): return of[0] + r.bits(of[1])
    spans = {rotation: [span() for _ in range(4)] for rotation in (True, False)}
    for track in tracks:
        base, scale, least, bits = spans[track.rotation]
        track.flat = [0.0, 0.0] + [FLAT[r.bits(3)] for _ in AXES]
        track.vectors, track.centred, track.finer, even = {}, 1, [1.0] * 5, r.bits(1)
        base = [number(base) for _ in AXES]
        scales, columns = [number(scale)] if even else [], []
        for axis in AXES:
            scales += [] if even else [number(scale)]
            parts = [24 * (axis == i) if even else r.bits(6) - 24 for i in AXES]
            columns.append(times(parts, f(f(2.0 ** (scales[-1] / 8)) / 24)))
        track.basis = list(zip(*columns))
        track.base = times(apply(track.basis, base), 4096)
        if track.rotation: track.base = multiply(track.rest, turn(times(base, 1 / 32)))
        track.refine, track.halved = r.bits(4), r.bits(4)
        track.row = [(number(least), r.bits(5)) for _ in AXES]
        track.low = [[0, 0, 0]] + [[number(bits) for _ in AXES] for _ in range(4)]
def read_segments(data, frames, tracks, top, direct, plain=False):  # Of each segment first frame, length, bits, nodes.
    r = Reader(data)
    layouts = r.take(r.get("I")[0])
    coder = Coder(layouts)
    if plain: read_plain(Reader(layouts), tracks)
    for track in read_heads(coder, [] if plain else tracks, top.bit_length(), direct):
        track.refine = coder.number("halvings")
        track.row = [(coder.number("least"), coder.number("width")) for _ in AXES]
        track.halved = coder.number("halvings") if direct else 0
        track.low = [[0, 0, 0]]
        for _ in range(1, top.bit_length()):
            guess = max(track.low[-1][0] - 1, 0)
            track.low.append([guess := guess + coder.number("low") for _ in AXES])
    firsts = range(0, max(frames - 1, 1), top)
    for first in [*firsts, frames - 1]:
        for track in tracks:
            store(track, first, 0, [least + r.bits(width) for least, width in track.row], track.refine)
    r.at += -r.at % 8
    starts, within, behind = r.get(f"{len(firsts)}I"), schedule(top + 1, top, True)[2:], r.at // 8
    return [(first, min(top, frames - 1 - first), Reader(data, behind + start), within)
            for first, start in zip(firsts, starts)]
def read_runtime(data, frames, tracks):
    for first, length, r, within in read_segments(data, frames, tracks, 32, False):
        for track in tracks:
            coded = r.bits(3)
            shift = r.bits(2) - 1 if coded else 0
            for frame, level, *_ in within:
                low = [clamp(part + shift, 0, 15) for part in track.low[level]]
                if frame < length and level <= coded and (any(low) or r.bits(1)):
                    store(track, first + frame, level, *read_residual(r, track.centred, low))
    nodes = schedule(frames, 32, True)
    return [compose(track, nodes) for track in tracks]
def read_residual(r, centred, low):
    marked = r.mark(8)
    e = r.bits(4) if marked else 0
    if marked and r.bits(1): return [unfold(r.bits(width)) for width in 3 * [r.bits(5)]], e
    odd = r.bits(centred) if marked else 0
    codes = [r.rice(part + e) for part in low]
    odd = odd if marked else r.bits(centred)
    return [(unfold(code) << centred) + odd for code in codes], e
def read_direct(data, frames, tracks, plain):
    segments = read_segments(data, frames, tracks, 16, True, plain)
    for track in tracks:
        track.found = {frame: move(track.rotation, track.base, vector) for frame, vector in track.vectors.items()}
        track.weights = direct_weights(segments[0][3], track.flat)
    for first, length, r, within in segments:
        for track, code in zip(tracks, r.get(f"{len(tracks)}H")):
            scale, stored = f(2.0**-track.halved * f(SCALES[code & 15])), []
            for frame, level, *_ in within:
                c, k = code >> 3 * level + 1 & 7, [0, 0, 0]
                if c and frame < length:
                    widths = [clamp(part + c - 4, 0, 28) for part in track.low[level]]
                    k = [2 * r.bits(width) - (1 << width >> 1 << 1) for width in widths]
                    k = [part + odd for part, odd in zip(k, 3 * [r.bits(1)])]
                stored.append(k)
            for frame in range(1, length):
                numbers = times([dot(parts, track.weights[frame]) for parts in zip(*stored)], scale)
                ends, vector = [track.found[first], track.found[first + length]], apply(track.basis, numbers)
                track.found[first + frame] = between(track.rotation, *ends, f(frame / length), vector)
    return [track.found for track in tracks]
def direct_weights(nodes, flat):  # By frame of a segment, those of the numbers of all nodes.
    weights = collections.defaultdict(lambda: [0.0] * 15)
    for at, (frame, level, taps, cubic, linear) in enumerate(nodes):
        shares = [(weights[tap], a + flat[level] * (b - a)) for tap, a, b in zip(taps, cubic, linear)]
        weights[frame] = [sum(of_tap[i] * share for of_tap, share in shares) + (i == at) for i in range(15)]
    return {frame: [f(weight) for weight in of_frame] for frame, of_frame in weights.items()}
def between(rotation, a, b, way, r):  # The value `r` off the path from `a` to `b`.
    path = plus(times(a, f(1 - way)), times(b, -way if rotation and dot(a, b) < 0 else way))
    if not rotation: return plus(path, r)
    square = dot(r, r)
    scale = f(1 / f(f(math.sqrt(dot(path, path))) * f(16 + square)))
    return times(multiply(path, times(r, 8) + [f(16 - square)]), scale)

# The profile keys.
def read_keys(data, frames, tracks):
    r = Reader(data)
    for track in tracks:
        curve, count = r.bits(1), r.bits(14)
        gaps = read_series(r, range(count - 1)) if count > 1 else []
        at = list(itertools.accumulate(gaps, lambda time, gap: time + gap + 1, initial=0))
        if track.rotation:
            width, c = r.bits(5), f(math.sqrt(0.5))
            scale = f(2 * c / ((1 << width) - 1))
            left_out, *parts = (read_series(r, at) for _ in range(4))
            keys = [key_rotation(out, plus(times(q, scale), [-c] * 3)) for out, *q in zip(left_out, *parts)]
        else:
            *least, step = struct.unpack(">4f", r.take(16))
            keys = [plus(least, times(v, step)) for v in zip(*[read_series(r, at) for _ in AXES])]
        yield [between_keys(frame, track.rotation, curve, at, keys) for frame in range(frames)]
def read_series(r, frames):  # The numbers of the keys at some frames.
    prediction, low = r.bits(2), r.bits(5)
    numbers = [r.bits(r.bits(5))]
    for at in range(1, len(frames)):
        n = numbers[-1] if prediction else 0
        if prediction == 2 and at > 1:
            n += (n - numbers[-2]) * (frames[at] - frames[at - 1]) // (frames[at - 1] - frames[at - 2])
        numbers.append(n if low == 31 else n + unfold(r.bits(32) if r.mark(12) else r.rice(low)))
    return numbers
def key_rotation(left_out, q):
    q.insert(left_out, f(math.sqrt(max(f(1 - dot(q, q)), 0.0))))
    return [f(part / f(math.sqrt(dot(q, q)))) for part in q]
def between_keys(frame, rotation, curve, at, keys):
    near = bisect.bisect(at, frame) - 1
    taps = [clamp(near + i, 0, len(at) - 1) for i in (-1, 0, 1, 2)]
    before, left, right, after = (at[tap] for tap in taps)
    if frame == left: return keys[near]
    t = f((frame - left) / (right - left))
    t2, t3 = f(t * t), f(f(t * t) * t)
    u = f(f(f(f(t3 - f(2 * t2)) + t) * (right - left)) / (right - before))
    v = f(f(f(t3 - t2) * (right - left)) / (after - left))
    w = f(f(3 * t2) - f(2 * t3))
    weights = [-u, f(f(1 - w) - v), f(w + u), v] if curve else [0.0, f(1 - t), t, 0.0]
    order = (1, 2, 0, 3) if rotation else range(4)
    return mix(rotation, [keys[taps[i]] for i in order], [weights[i] for i in order])

def decode(data):  # Frames a second, frames, and the joints with their local rotations (x, y, z, w) and translations.
    r = Reader(data)
    magic, version, profile, flags, frames, fps, _, step = r.get("4sHBBQd32sI")
    if magic != b"MOCZ" or version != 2 or flags & 1:
        raise ValueError("not a compressed motion of version 2 with its skeleton")
    structure, blocks = r.varint(), max(1, -(-(frames - 1) // step)) if frames else 0
    lengths = [(r.varint(), r.take(8))[0] for _ in range(2 + (flags >> 2 & 1) + blocks)]
    _, *sections = [r.take(length) for length in [8, *lengths]]
    plain = flags >> 3 & 1
    tracks = read_plan(sections[1], joints := read_skeleton(sections[0], structure), plain)
    for block in range(blocks):
        count = min(step + 1, frames - block * step)
        read = (read_archive, read_runtime, read_keys, functools.partial(read_direct, plain=plain))[profile]
        values = read(sections[block - blocks], count, tracks)
        for track, found in zip(tracks, values):  # The last frame is the first of the next block.
            track.values.extend(found[frame] for frame in range(count if block + 1 == blocks else step))
    return fps, frames, joints
