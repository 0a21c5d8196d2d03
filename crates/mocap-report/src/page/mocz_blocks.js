// Blocks of compressed motions, in every profile (docs/mocz.md). Arithmetic is in single precision, as the writer's.
const f = Math.fround, XYZ = [0, 1, 2];
const bounded = (v, low, high) => max(low, min(high, v));
const unfolded = code => code % 2 ? -(code + 1) / 2 : code / 2;
function sumOf(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum = f(sum + f(a[i] * b[i]));
  return sum;
}
// A rotation of modified Rodrigues parameters.
function turnOf(r) {
  r = r.map(v => Math.abs(v) < 1e6 ? v : 0);
  const square = sumOf(r, r), c = f(1 / f(16 + square)), c8 = f(8 * c);
  return [...r.map(v => f(v * c8)), f(f(16 - square) * c)];
}
const chained = ([x, y, z, w], [a, b, c, d]) => [
  sumOf([w, x, y, -z], [a, d, c, b]), sumOf([w, -x, y, z], [b, c, d, a]), sumOf([w, x, -y, z], [c, b, a, d]), sumOf([w, -x, -y, -z], [d, a, b, c]),
];
const weighed = (places, weights) => places[0].map((_, k) => sumOf(places.map(p => p[k]), weights));
function meanTurn(turns, weights) {
  const total = weighed(turns, weights.map((w, i) => sumOf(turns[0], turns[i]) < 0 ? -w : w)), square = sumOf(total, total), by = f(1 / f(Math.sqrt(square)));
  return square < f(1e-4) ? turns[0] : total.map(v => f(v * by));
}
// The frames of a block in the order of coding: level, taps, their cubic and linear weights.
function nodesOf(frames, top, segmented) {
  let known = Array.from({ length: Math.floor((frames - 1) / top) + 1 }, (_, i) => i * top);
  if (known[known.length - 1] < frames - 1) known.push(frames - 1);
  const nodes = known.map((frame, i) => {
    if (!i) return { frame, level: 0 };
    const a = known[i - 1], b = known[max(i - 2, 0)], ahead = i > 1 ? f((frame - a) / (a - b)) : 0;
    return { frame, level: 0, taps: segmented ? null : [a, b, a, a], cubic: [1, 0, 0, 0], linear: [f(1 + ahead), -ahead, 0, 0] };
  });
  for (let level = 1, stride = top / 2; stride >= 1; level++, stride /= 2) {
    const finer = [];
    known.forEach((left, i) => {
      finer.push(left);
      const frame = left + stride, right = known[i + 1], start = frame - frame % top;
      if (!(frame < right)) return;
      let low = 0, high = known.length;
      if (segmented && level > 1) {
        for (low = i; known[low - 1] >= start;) low--;
        for (high = i + 1; known[high] <= start + top;) high++;
      }
      const first = max(low, min(i - 1, high - 4)), taps = [left, right, ...known.slice(first, min(first + 4, high)).filter(tap => tap !== left && tap !== right)];
      const cubic = taps.map(a => f(taps.reduce((product, b) => a === b ? product : product * ((frame - b) / (a - b)), 1)));
      const way = f((frame - left) / (right - left)), linear = [f(1 - way), way, 0, 0];
      while (taps.length < 4) { taps.push(left); cubic.push(0); }
      nodes.push({ frame, level, taps, cubic, linear });
      finer.push(frame);
    });
    known = finer;
  }
  return nodes;
}
const FLAT = [-1, 0, .5, 1, 1.5, 2, 3, 4], FINER = [1, .84, .7, .6].map(f), EIGHTHS = [1, 1.0905077, 1.1892071, 1.2968396, 1.4142135, 1.5422108, 1.6817929, 1.8340081].map(f);
// A column of a basis, from the parts of its direction.
function columnOf(eighths, part) {
  const octave = Math.floor(eighths / 8), factor = f(f(2 ** octave * EIGHTHS[eighths - 8 * octave]) / 24);
  return XYZ.map(i => f(bounded(part(i), -24, 24) * factor));
}
// Reads the heads of tracks; `earlier`: the number of rotations before a rotation, else 0.
function headsOf(coder, levels) {
  const flats = [bitModels(8), bitModels(8)], finers = bitModels(4), flags = bitModels(2), refers = bitModels(3), sets = numberModels(5);
  let scale = 0;
  return earlier => {
    const flat = Array.from({ length: levels }, (_, level) => FLAT[coder.tree(flats[+(level + 1 === levels)], 3)]), finer = FINER[coder.tree(finers, 2)];
    const base = XYZ.map(() => coder.number(sets[4])), centred = coder.bit(flags[0]), even = coder.bit(flags[1]);
    const columns = XYZ.map(axis => {
      if (!axis || !even) scale += coder.number(sets[0]);
      return columnOf(bounded(scale, -800, 800), i => even ? 24 * (i === axis) : coder.number(sets[1]));
    });
    const references = [];
    while (earlier && references.length < 3 && coder.bit(refers[references.length])) {
      const track = max(earlier - 1 - Math.abs(coder.number(sets[2])), 0);
      references.push({ track, matrix: XYZ.map(() => XYZ.map(() => coder.number(sets[3]) / 16)) });
    }
    return { flat, base, centred, rows: XYZ.map(i => columns.map(column => column[i])), finer: level => level + 1 < levels ? finer : 1, references };
  };
}
const scaledBy = (head, level, k, e) => k.map(v => f(v * 2 ** -e * head.finer(level)));
// Values by frame from lattice numbers by frame; `turns` collects the vectors of rotations.
function composed({ rotation, rest }, head, nodes, numbers, turns) {
  const values = [], own = [], vector = k => head.rows.map(row => sumOf(row, k));
  const base = rotation ? chained(rest, turnOf(head.base.map(v => v / 32))) : vector(head.base).map(v => f(4096 * v));
  for (const { frame, level, taps, cubic, linear } of nodes) {
    let by = vector(numbers[frame]), predicted = base;
    own[frame] = [0, 0, 0];
    if (taps) {
      by = by.map((v, i) => f(head.references.reduce((sum, { track, matrix }) => f(sum + sumOf(matrix[i], turns[track][frame])), 0) + v));
      own[frame] = by;
      const known = taps.map(tap => values[tap]), weights = cubic.map((w, i) => f(w + f(head.flat[level] * f(linear[i] - w))));
      predicted = rotation ? meanTurn(known, weights) : weighed(known, weights);
    }
    values[frame] = rotation ? chained(predicted, turnOf(by)) : predicted.map((v, i) => f(v + by[i]));
  }
  if (rotation) turns.push(own);
  return values;
}
const BUCKET = new DataView(new ArrayBuffer(4));
function bucketOf(x) {
  BUCKET.setFloat32(0, max(x, 1 / 32));
  return min((BUCKET.getUint32(0) >> 22) - 244, 39);
}
// Residuals of the archive profile.
function residualsOf(coder) {
  const { bits, classes } = startModels(), high = Array.from({ length: 40 }, () => symbolModel());
  const top = Array.from({ length: 30 }, () => bitModel(34816)), finer = Array.from({ length: 10 }, () => bitModel(64000)), signs = XYZ.map(() => bitModels(3));
  const magnitude = (odd, neighbours, at) => {
    let c = coder.symbol(classes[odd][4 * at + neighbours]);
    if (c === 15) c += coder.symbol(high[at]);
    if (c < 4) return c;
    if (c === 30) return coder.raw(12) * 32768 + coder.raw(15);
    const half = c >> 1, first = coder.bit(top[c]) << half - 2;
    return (2 + c % 2 << half - 1) + first + (half > 2 ? coder.raw(half - 2) : 0);
  };
  return (centred, expected, before) => {
    let e = 0, total = 0, usual = 0;
    while (e < 10 && coder.bit(finer[e])) e++;
    expected = expected.map(x => f(x * 2 ** e / (1 + centred)));
    const average = bucketOf(f(f(f(expected[0] + expected[1]) + expected[2]) * f(1 / 3)));
    if (!coder.bit(bits[40 * min(before.filter(Boolean).length, 2) + average])) return [[0, 0, 0], e];
    const odd = centred ? coder.bit(bits[120 + average]) : 0;
    return [before.map((last, axis) => {
      const neighbours = axis ? 1 + (total >= f(f(.6) * usual)) + (total >= f(f(1.6) * usual)) : 0;
      let k = magnitude(odd, neighbours, bucketOf(expected[axis]));
      total = f(total + k);
      usual = f(usual + expected[axis]);
      if (centred) k = 2 * k + odd;
      return k && coder.bit(signs[axis][Math.sign(last) + 1]) ? -k : k;
    }), e];
  };
}
const levelStart = start => ({ mean: [start, start, start], last: [start, start, start], earlier: [start, start, start], k: [0, 0, 0], count: 0 });
function learnLevel(level, k, m) {
  Object.assign(level, { k, last: m, earlier: level.last, count: level.count + 1 });
  const rate = max(f(1 / (level.count + 1)), f(.03));
  level.mean = level.mean.map((a, i) => f(a + f(f(m[i] - a) * rate)));
}
// The magnitudes to expect; `found`: by frame, magnitudes and level.
function expectedOf(levels, found, level, taps) {
  const now = levels[level];
  if (level && !now.count) now.mean = now.last = now.earlier = levels[level - 1].mean.map(m => f(f(.35) * m));
  return XYZ.map(i => {
    let q = 1;
    if (level) {
      const [a, b] = [found[taps[0]], found[taps[1]]], usual = f(f(levels[a.level].mean[i] + levels[b.level].mean[i]) + f(.02));
      q = min(f(f(f(a.m[i] + b.m[i]) + f(.02)) / usual), 4);
    }
    return f(f(f(f(.2) * now.last[i]) + f(f(.12) * now.earlier[i])) + f(now.mean[i] * f(f(.4) + f(f(.28) * q))));
  });
}
function readArchive(bytes, frames, tracks) {
  const coder = rangeCoder(bytes), nodes = nodesOf(frames, 64), heads = headsOf(coder, 7), residuals = XYZ.slice(1).map(() => residualsOf(coder));
  const activity = new Float32Array(frames).fill(1), shares = [], turns = [];
  const wf = f(.35), wt = f(.45), w = f(wf + f(.5 * wt));
  return tracks.map(track => {
    const turning = +track.rotation, head = heads(turning && turns.length), numbers = [], found = [], share = new Float32Array(frames);
    const levels = Array.from({ length: 7 }, (_, i) => levelStart(i ? 0 : turning ? 200 : 3000)), spare = head.centred ? f(.7) : .5;
    for (const { frame, level, taps } of nodes) {
      const own = expectedOf(levels, found, level, taps), now = activity[frame];
      let factor = turning ? f(f(1 - w) + f(w * now)) : 1;
      if (head.references.length) factor = f(f(f(f(1 - wf) - wt) + f(wf * now)) + f(wt * shares[head.references[0].track][frame]));
      const [k, e] = residuals[turning](head.centred, own.map(x => f(x * factor)), levels[level].k), m = k.map(v => Math.abs(v) >> e);
      found[frame] = { m, level };
      numbers[frame] = scaledBy(head, level, k, e);
      learnLevel(levels[level], k, m);
      const [a, b] = [m, own].map(v => f(f(f(v[0] + v[1]) + v[2]) + spare));
      share[frame] = min(f(a / b), 4);
      if (turning) activity[frame] = f(now + f(f(share[frame] - now) * f(.3)));
    }
    if (turning) shares.push(share);
    return composed(track, head, nodes, numbers, turns);
  });
}
function bitReader(bytes, start = 0) {
  let at = 8 * start;
  const bit = () => { const i = at++; return (bytes[i >> 3] ?? 0) >> 7 - i % 8 & 1; };
  const take = count => { let value = 0; while (count--) value = 2 * value + bit(); return value; };
  const rice = (low, most = Infinity) => { let ones = 0; while (ones < most && bit()) ones++; return ones < most ? ones * 2 ** low + take(low) : take(32); };
  return { take, rice, marked: () => { const from = at, all = take(8) === 255; if (!all) at = from; return all; }, bytesRead: () => at + 7 >> 3 };
}
function readResidual(bits, centred, low) {
  let e = 0, odd = 0, codes;
  if (!bits.marked()) {
    codes = low.map(part => bits.rice(part));
    odd = bits.take(centred);
  } else {
    e = min(bits.take(4), 10);
    if (bits.take(1)) {
      const width = min(bits.take(5), 28);
      return [XYZ.map(() => unfolded(bits.take(width))), e];
    }
    odd = bits.take(centred);
    codes = low.map(part => bits.rice(part + e));
  }
  return [codes.map(code => unfolded(code) * (1 + centred) + odd), e];
}
// Plain layouts of the profile direct, one a call.
function plainLayouts(bytes) {
  const { take } = bitReader(bytes), span = () => { const least = unfolded(take(take(5))), width = take(5); return () => least + take(width); };
  const spans = [0, 1].map(() => [span(), span(), span(), span()]);
  return rotation => {
    const [ofBase, ofScale, ofLeast, ofBits] = spans[+!rotation], flat = [0, 0, ...XYZ.map(() => FLAT[take(3)])], even = take(1), base = XYZ.map(ofBase);
    let scale;
    const columns = XYZ.map(axis => {
      if (!axis || !even) scale = bounded(ofScale(), -800, 800);
      return columnOf(scale, i => even ? 24 * (i === axis) : take(6) - 24);
    });
    const e = min(take(4), 10), halved = min(take(4), 10), axes = XYZ.map(() => [ofLeast(), min(take(5), 28)]);
    const low = [[0, 0, 0], ...[1, 2, 3, 4].map(() => XYZ.map(() => bounded(ofBits(), -28, 28)))];
    return { head: { flat, base, centred: 1, rows: XYZ.map(i => columns.map(column => column[i])), finer: () => 1, references: [] }, e, axes, low, halved, numbers: [] };
  };
}
// What blocks of segments begin with: layouts, the numbers of the first frames of segments, where segments start.
function layoutsOf(bytes, frames, tracks, top, direct, plain) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), length = view.getUint32(0, true), levels = 32 - Math.clz32(top);
  const coder = rangeCoder(bytes.subarray(4, 4 + length)), heads = headsOf(coder, levels), sets = numberModels(4), [least, most] = direct ? [-28, 28] : [0, 15];
  const next = plain && plainLayouts(bytes.subarray(4, 4 + length));
  let rotations = 0;
  const layouts = tracks.map(({ rotation }) => {
    if (plain) return next(rotation);
    const head = heads(rotation && !direct ? rotations++ : 0), e = bounded(coder.number(sets[0]), 0, 10);
    const axes = XYZ.map(() => [coder.number(sets[1]), bounded(coder.number(sets[2]), 0, 28)]), halved = direct && bounded(coder.number(sets[0]), 0, 10), low = [[0, 0, 0]];
    for (let level = 1; level < levels; level++) {
      let guess = max(low[level - 1][0] - 1, 0);
      low.push(XYZ.map(() => { guess = bounded(guess + coder.number(sets[3]), least, most); return guess; }));
    }
    return { head, e, axes, low, halved, numbers: [] };
  });
  const segments = Math.ceil((max(frames, 2) - 1) / top), rows = bitReader(bytes, 4 + length);
  for (let row = 0; row <= segments; row++) for (const { head, e, axes, numbers } of layouts) {
    const k = axes.map(([least, width]) => least + rows.take(width));
    numbers[min(top * row, frames - 1)] ??= scaledBy(head, 0, k, e);
  }
  const table = rows.bytesRead();
  return { layouts, starts: Array.from({ length: segments }, (_, segment) => table + 4 * segments + view.getUint32(table + 4 * segment, true)) };
}
function readRuntime(bytes, frames, tracks) {
  const { layouts, starts } = layoutsOf(bytes, frames, tracks, 32), nodes = nodesOf(frames, 32, true), within = starts.map(() => []);
  for (const node of nodes) if (node.level) within[node.frame >> 5].push(node);
  within.forEach((inside, segment) => {
    const bits = bitReader(bytes, starts[segment]);
    for (const { head, low, numbers } of layouts) {
      const coded = bits.take(3), shift = coded ? bits.take(2) - 1 : 0, shifted = low.map(axes => axes.map(part => bounded(part + shift, 0, 15)));
      for (const { frame, level } of inside) {
        const [k, e] = level <= coded && (shifted[level].some(Boolean) || bits.take(1)) ? readResidual(bits, head.centred, shifted[level]) : [[0, 0, 0], 0];
        numbers[frame] = scaledBy(head, level, k, e);
      }
    }
  });
  const turns = [];
  return tracks.map((track, i) => composed(track, layouts[i].head, nodes, layouts[i].numbers, turns));
}
const SCALES = [1, .92, .85, .78, .72, .66, .61, .56, .51, .47, .43, .4, .37, .34, .31, .29].map(f);
// By frame of a segment, the weights of the numbers of all nodes.
function directWeights(nodes, flat) {
  const none = nodes.map(() => 0), weights = [none];
  weights[16] = none;
  nodes.forEach(({ frame, level, taps, cubic, linear }, at) => {
    weights[frame] = none.map((_, i) => taps.reduce((sum, tap, t) => sum + weights[tap][i] * (cubic[t] + flat[level] * (linear[t] - cubic[t])), 0) + (i === at));
  });
  return weights.map(all => all.map(f));
}
// The value off the path from `a` to `b`.
function alongPath(rotation, a, b, way, r) {
  const turned = rotation && sumOf(a, b) < 0 ? -way : way, path = a.map((v, i) => f(f(v * f(1 - way)) + f(b[i] * turned)));
  if (!rotation) return path.map((v, i) => f(v + r[i]));
  const square = sumOf(r, r), scale = f(1 / f(f(Math.sqrt(sumOf(path, path))) * f(16 + square)));
  return chained(path, [...r.map(v => f(8 * v)), f(16 - square)]).map(v => f(v * scale));
}
function readDirect(bytes, frames, tracks, plain) {
  const { layouts, starts } = layoutsOf(bytes, frames, tracks, 16, true, plain), nodes = nodesOf(17, 16, true).slice(2), count = tracks.length;
  const inside = starts.map(start => bitReader(bytes, start + 2 * count));
  return tracks.map((track, t) => {
    const { head, low, halved, numbers } = layouts[t], weights = directWeights(nodes, head.flat), values = [];
    const rows = composed(track, head, Object.keys(numbers).map(frame => ({ frame: +frame, level: 0 })), numbers, []).filter(Boolean);
    inside.forEach((bits, segment) => {
      const at = starts[segment] + 2 * t, code = bytes[at] + 256 * bytes[at + 1], length = min(16, frames - 1 - 16 * segment), scale = f(2 ** -halved * SCALES[code & 15]);
      const stored = nodes.map(({ frame, level }) => {
        const width = code >> 3 * level + 1 & 7;
        if (!width || frame >= length) return [0, 0, 0];
        const k = low[level].map(part => { const bounds = bounded(part + width - 4, 0, 28); return 2 * (bits.take(bounds) - (2 ** bounds >> 1)); }), odd = bits.take(1);
        return k.map(part => part + odd);
      });
      for (let frame = 0; frame < length; frame++) {
        const n = XYZ.map(axis => f(sumOf(stored.map(k => k[axis]), weights[frame]) * scale)), [a, b] = [rows[segment], rows[segment + 1]];
        values.push(frame ? alongPath(track.rotation, a, b, f(frame / length), head.rows.map(row => sumOf(row, n))) : a);
      }
    });
    values.push(rows[rows.length - 1]);
    return values;
  });
}
function keyWeights(curve, [before, left, right, after], frame) {
  const t = f((frame - left) / (right - left)), t2 = f(t * t), t3 = f(t2 * t);
  if (!curve) return [0, f(1 - t), t, 0];
  const u = f(f(f(f(t3 - f(2 * t2)) + t) * (right - left)) / (right - before)), v = f(f(f(t3 - t2) * (right - left)) / (after - left)), w = f(f(3 * t2) - f(2 * t3));
  return [-u, f(f(1 - w) - v), f(w + u), v];
}
function readSeries(bits, times) {
  const prediction = bits.take(2), low = bits.take(5), numbers = [bits.take(bits.take(5))];
  for (let at = 1; at < times.length; at++) {
    const last = prediction && numbers[at - 1], from = prediction > 1 ? numbers[at - 2] ?? last : last;
    const line = Math.floor((last - from) * (times[at] - times[at - 1]) / (times[at - 1] - times[at - 2] || 1));
    numbers.push(last + line + (low < 31 && unfolded(bits.rice(low, 12))));
  }
  return numbers;
}
function readKeys(bytes, frames, tracks) {
  const bits = bitReader(bytes), half = f(Math.sqrt(.5)), number = new DataView(new ArrayBuffer(4));
  const single = () => { number.setUint32(0, bits.take(32)); return number.getFloat32(0); };
  return tracks.map(({ rotation }) => {
    const curve = bits.take(1), count = bits.take(14), times = [0];
    if (count > 1) for (const gap of readSeries(bits, [...Array(count - 1).keys()])) times.push(times[times.length - 1] + gap + 1);
    if (!count || times[count - 1] !== frames - 1) throw new Error("the compressed motion has keys that do not end with its block");
    const floats = rotation ? [bits.take(5)] : [0, 1, 2, 3].map(single), scale = f(2 * half / (2 ** floats[0] - 1));
    const places = rotation && readSeries(bits, times), numbers = XYZ.map(() => readSeries(bits, times));
    const keys = times.map((_, at) => {
      if (!rotation) return XYZ.map(i => f(floats[i] + f(numbers[i][at] * floats[3])));
      const q = XYZ.map(i => f(f(numbers[i][at] * scale) - half));
      q.splice(places[at], 0, f(Math.sqrt(max(f(1 - sumOf(q, q)), 0))));
      const long = f(Math.sqrt(sumOf(q, q)));
      return q.map(part => f(part / long));
    });
    let left = 0;
    return Array.from({ length: frames }, (_, frame) => {
      while (times[left + 1] <= frame) left++;
      if (frame === times[left]) return keys[left];
      const taps = [-1, 0, 1, 2].map(i => bounded(left + i, 0, count - 1)), weights = keyWeights(curve, taps.map(tap => times[tap]), frame);
      const order = rotation ? [1, 2, 0, 3] : [0, 1, 2, 3], around = order.map(i => keys[taps[i]]), by = order.map(i => weights[i]);
      return rotation ? meanTurn(around, by) : weighed(around, by);
    });
  });
}
