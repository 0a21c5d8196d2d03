// The range decoder of compressed motions: bits and symbols whose probabilities are learnt (docs/mocz.md).
const bitModel = (zero = 32768) => ({ fast: zero, slow: zero, seen: 6 });
const bitModels = count => Array.from({ length: count }, () => bitModel());
const numberModels = count => Array.from({ length: count }, () => bitModels(29));
// Of a symbol: the chances of all below, out of 65504; those at the start where they are known.
const symbolModel = below => ({ estimates: [0, 1].map(() => below ? [...below] : Array.from({ length: 16 }, (_, j) => 4094 * j)), seen: below ? 6 : 0 });
function rangeCoder(bytes) {
  let at = 0, range = 0xffffffff, code = 0;
  const shift = () => { code = (code * 256 + (bytes[at++] ?? 0)) % 2 ** 32; };
  for (let i = 0; i < 4; i++) shift();
  const take = (low, wide) => {
    code -= low;
    for (range = wide; range < 2 ** 24; range *= 256) shift();
  };
  // A bit that is 0 with this chance out of 32768.
  const chance = zero => {
    const bound = (range >>> 15) * zero, found = +(code >= bound);
    take(found * bound, found ? range - bound : bound);
    return found;
  };
  const bit = model => {
    const found = chance(min((model.fast + model.slow >> 2) + 1, 32767));
    const pace = min((model.seen >> 1) + 1, 7), target = found ? 0 : 65535;
    model.fast += target - model.fast >> min(pace, 4);
    model.slow += target - model.slow >> pace;
    model.seen = min(model.seen + 1, 12);
    return found;
  };
  const raw = count => {
    const share = range >>> count, value = min(Math.floor(code / share), 2 ** count - 1);
    take(value * share, share);
    return value;
  };
  const symbol = model => {
    const share = range >>> 15, value = min(Math.floor(code / share), 32767), [fast, slow] = model.estimates;
    const bound = i => i < 16 ? (fast[i] >> 2) + (slow[i] >> 2) + i : 32768;
    let found = 15;
    while (bound(found) > value) found--;
    take(bound(found) * share, (bound(found + 1) - bound(found)) * share);
    const pace = min((model.seen >> 1) + 2, 8);
    model.estimates.forEach((estimate, slower) => estimate.forEach((e, j) => {
      const by = slower ? pace : min(pace, 5);
      estimate[j] += j > found ? 65504 - e >> by : -(e >> by);
    }));
    model.seen = min(model.seen + 1, 12);
    return found;
  };
  // Several bits, each with a model by those before.
  const tree = (models, count) => {
    let node = 1;
    while (node < 1 << count) node = 2 * node + bit(models[node]);
    return node - (1 << count);
  };
  const number = models => {
    let bits = 0, value = 1;
    while (bits < 28 && bit(models[bits])) bits++;
    if (!bits) return 0;
    for (let i = 1; i < bits; i++) value = 2 * value + raw(1);
    return bit(models[28]) ? -value : value;
  };
  return { chance, bit, raw, symbol, tree, number };
}
// Bytes that are predicted from those before: four models guess each bit, and have learnt the names of joints.
let learnt;
function packer() {
  const chanceOf = x => { const at = (x >> 7) + 16, part = x & 127; return LOGISTIC[at] * (128 - part) + LOGISTIC[at + 1] * part + 64 >> 7; };
  const logits = new Int16Array(4096);
  for (let x = -2047, next = 0; x <= 2047; x++) while (next <= chanceOf(x)) logits[next++] = x;
  const ones = learnt?.ones.slice() ?? new Uint16Array(2 ** 18).fill(32768), seen = learnt?.seen.slice() ?? new Uint8Array(2 ** 18);
  const weights = learnt?.weights.map(set => [...set]) ?? Array.from({ length: 5 }, () => [20000, 20000, 20000, 20000]);
  let before = learnt?.before ?? 0;
  const next = chance => {
    let node = 1;
    while (node < 256) {
      const near = [0, 1, 2, 3].map(n => Math.imul((before & (1 << 8 * n) - 1) + (n + 1) * 2 ** 28, 0x9e3779b1) + Math.imul(node, 0x85ebca6b) >>> 14);
      const guesses = near.map(at => seen[at] && logits[ones[at] >> 4]), set = weights[near.filter(at => seen[at]).length];
      const sum = set.reduce((sum, weight, n) => sum + weight * guesses[n], 0);
      const one = chanceOf(max(-2047, min(2047, Math.floor(sum / 65536)))), bit = chance(32768 - 8 * one);
      guesses.forEach((guess, n) => { set[n] += guess * (4096 * bit - one) + 1024 >> 11; });
      for (const at of near) {
        ones[at] += Math.floor((65535 * bit - ones[at]) * Math.floor(655360 / (10 * seen[at] + 14)) / 65536);
        seen[at] = min(seen[at] + 1, 20);
      }
      node = 2 * node + bit;
    }
    before = before << 8 | node - 256;
    return node - 256;
  };
  if (!learnt) {
    for (const byte of NAMES.split(" ").flatMap(name => [...new TextEncoder().encode(name), 255])) {
      let shift = 8;
      next(() => byte >> --shift & 1);
    }
    learnt = { ones: ones.slice(), seen: seen.slice(), weights: weights.map(set => [...set]), before };
  }
  return (coder, count) => Uint8Array.from({ length: count }, () => next(coder.chance));
}
