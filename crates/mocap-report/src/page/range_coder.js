// The range decoder of compressed motions: bits and symbols whose probabilities are learnt (docs/mocz.md).
const bitModel = (zero = 32768, seen = 6) => ({ fast: zero, slow: zero, seen });
const bitModels = count => Array.from({ length: count }, () => bitModel());
const numberModels = count => Array.from({ length: count }, () => bitModels(29));
// Of a symbol: the chances of all below, out of 65504; those at the start where they are known.
const symbolModel = below => ({ estimates: [0, 1].map(() => below ? [...below] : Array.from({ length: 16 }, (_, j) => 4094 * j)), seen: below ? 6 : 0 });
function learnBit(model, bit) {
  const pace = min((model.seen >> 1) + 1, 7), target = bit ? 0 : 65535;
  model.fast += target - model.fast >> min(pace, 4);
  model.slow += target - model.slow >> pace;
  model.seen = min(model.seen + 1, 12);
}
function rangeCoder(bytes) {
  let at = 0, range = 0xffffffff, code = 0;
  const shift = () => { code = (code * 256 + (bytes[at++] ?? 0)) % 2 ** 32; };
  for (let i = 0; i < 4; i++) shift();
  const take = (low, wide) => {
    code -= low;
    for (range = wide; range < 2 ** 24; range *= 256) shift();
  };
  const bit = model => {
    const bound = (range >>> 15) * min((model.fast + model.slow >> 2) + 1, 32767), found = +(code >= bound);
    take(found * bound, found ? range - bound : bound);
    learnBit(model, found);
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
  return { bit, raw, symbol, tree, number };
}
// Bytes that are predicted from the two before; `learnt` ones at first.
function packedBytes(learnt) {
  const two = new Map(), one = new Map(), known = new Set();
  let last = 0, earlier = 0;
  const modelOf = (models, key) => models.get(key) ?? models.set(key, bitModel(32768, 0)).get(key);
  const next = (coder, value) => {
    const slot = (last + earlier * 2533) % 512, met = known.has(slot);
    let node = 1;
    for (let shift = 7; shift >= 0; shift--) {
      const both = [modelOf(two, slot << 8 | node), modelOf(one, last << 8 | node)], asked = met ? 0 : 1;
      const bit = coder ? coder.bit(both[asked]) : value >> shift & 1;
      both.forEach((model, i) => { if (!coder || i !== asked) learnBit(model, bit); });
      node = 2 * node + bit;
    }
    known.add(slot);
    [last, earlier] = [node - 256, last];
    return last;
  };
  for (const c of learnt) next(null, c.charCodeAt(0));
  return (coder, count) => Uint8Array.from({ length: count }, () => next(coder));
}
