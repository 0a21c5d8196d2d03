// The data of the page, and the decoder of its numbers: the counterpart of the writer's Golomb-Rice codes. Two letters
// hold thirteen bits; the first one says whether prediction adds half of the last change of step.
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const clips = data.clips, { max, min, hypot } = Math;

const CODES = new Uint8Array(128);
for (let c = 32, code = 0; c < 127; c++) if (![34, 60, 62, 92].includes(c)) CODES[c] = code++;

function decode(text, channels, rows) {
  const word = i => CODES[text.charCodeAt(i)] * 91 + CODES[text.charCodeAt(i + 1)];
  const out = new Int32Array(rows * channels);
  const last = new Int32Array(channels), step = new Int32Array(channels), change = new Int32Array(channels), mean = new Int32Array(channels).fill(64);
  const part = +text[0];
  let at = 1, held = 0, count = 0;
  const bit = () => {
    if (!count) { held = word(at); at += 2; count = 13; }
    return held >> --count & 1;
  };
  const bits = n => {
    let value = 0;
    while (n) {
      if (!count) { held = word(at); at += 2; count = 13; }
      const take = min(n, count);
      count -= take; n -= take;
      value = value << take | held >> count & (1 << take) - 1;
    }
    return value;
  };
  for (let i = 0, row = 0; row < rows; row++) for (let c = 0; c < channels; c++, i++) {
    const low = 31 - Math.clz32(mean[c] * 11 >> 8 | 1);
    let ones = 0;
    while (ones < 24 && bit()) ones++;
    const code = ones < 24 ? (ones << low | bits(low)) >>> 0 : (bits(16) << 16 | bits(16)) >>> 0;
    change[c] = (change[c] >> 1) * part + (code >>> 1 ^ -(code & 1));
    step[c] += change[c];
    out[i] = last[c] += step[c];
    mean[c] += min(code, 1 << 20) - (mean[c] >> 4);
    if (!row) { step[c] = change[c] = 0; mean[c] = 64; }
  }
  return out;
}

// From steps below the parent to places on the stage.
function unpack(clip) {
  const n = clip.parents.length, joints = clip.joints.length, q = decode(clip.data, 3 * n, clip.samples);
  for (let s = 0; s < clip.samples; s++) for (let j = 0; j < n; j++) for (let k = 0; k < 3; k++) {
    // Sites, which shape the body, are coarser.
    const p = clip.parents[j], i = (s * n + j) * 3 + k;
    if (p >= 0) q[i] = (j < joints ? q[i] : q[i] * data.coarse) + q[(s * n + p) * 3 + k];
  }
  clip.pos = Float32Array.from(q, v => v * clip.quantum);
  for (const foot of clip.feet) for (const part of ["toe_on", "heel_on"]) {
    const flags = new Uint8Array(clip.samples), runs = foot[part];
    for (let i = 0; i < runs.length; i += 2) flags.fill(1, runs[i], runs[i + 1]);
    foot[part] = flags;
  }
  const it = clip.numbers;
  if (it) it.values = Float32Array.from(decode(it.values, it.names.length, clip.samples), (v, i) => { const [low, step] = it.ranges[i % it.names.length]; return low + v * step; });
  const d = clip.differences;
  if (d) d.levels = decode(d.data, d.channels, clip.samples);
}
