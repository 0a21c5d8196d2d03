// What a clip says about a moment: places, speeds, angles, contacts, differences.
// Events as ranges: from one to the next whose name has the word "end" behind it, else a moment.
function happenings(events) {
  const open = new Map(), found = [];
  for (const [from, name] of events) {
    const begun = name.endsWith(" end") && open.get(name.slice(0, -4));
    if (begun) { begun.to = from; open.delete(begun.name); continue; }
    const it = { name, from, to: from };
    found.push(it); open.set(name, it);
  }
  return found;
}
function prepare(clip) {
  clip.count = clip.parents.length;
  clip.rate = clip.fps / clip.step;
  clip.seconds = (clip.samples - 1) / clip.rate;
  clip.seen = [];
  clip.happens = happenings(clip.events || []);
  // Toes in contact that still move; a heel only before the toes are down, as the ankle rolls over it: foot skate.
  for (const foot of clip.feet) {
    const moves = (joint, s, share) => speed(clip, joint, s, true) > share * clip.size;
    foot.skate = Uint8Array.from(foot.toe_on, (on, s) => on ? moves(foot.toe, s, 0.06) : foot.heel_on[s] && moves(foot.ankle, s, 0.12));
  }
}
function place(clip, joint, s) {
  const i = (s * clip.count + joint) * 3;
  return [clip.pos[i], clip.pos[i + 1], clip.pos[i + 2]];
}
// Per second; over the floor only if `level`.
function speed(clip, joint, s, level) {
  const a = max(0, s - 1), b = min(clip.samples - 1, s + 1);
  if (a === b) return 0;
  const p = place(clip, joint, a), q = place(clip, joint, b);
  return hypot(q[0] - p[0], level ? 0 : q[1] - p[1], q[2] - p[2]) * clip.rate / (b - a);
}
// Between the bone above a joint and the bone below it [deg]; 0 where it is straight.
function angle(clip, joint, s) {
  const above = clip.parents[joint], below = clip.below[joint];
  if (above < 0 || below < 0) return null;
  const p = place(clip, joint, s), a = place(clip, above, s), b = place(clip, below, s);
  const u = p.map((v, i) => v - a[i]), w = b.map((v, i) => v - p[i]);
  const dot = u.reduce((sum, v, i) => sum + v * w[i], 0), size = hypot(...u) * hypot(...w);
  return size > 0 ? Math.acos(max(-1, min(1, dot / size))) * 180 / Math.PI : null;
}
function difference(clip, joint, s) {
  const d = clip.differences, c = d && joint < d.channel.length ? d.channel[joint] : -1;
  return c < 0 ? null : d.levels[s * d.channels + c] / 255 * d.max;
}
// The first child of each joint that is a bone away.
function childrenOf(clip) {
  clip.below = clip.joints.map(() => -1);
  for (let j = clip.joints.length - 1; j > 0; j--) if (clip.parents[j] >= 0) clip.below[clip.parents[j]] = j;
}
for (const clip of clips) { unpack(clip); childrenOf(clip); prepare(clip); }
