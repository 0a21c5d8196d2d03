// Reads compressed motions that are dropped on the page, as docs/mocz.md describes them.
const MOST_VALUES = 2 ** 23;
function byteReader(bytes, what) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const take = count => {
    if (!(count <= bytes.length - at)) throw new Error(`the compressed motion ends within ${what}`);
    at += count;
    return bytes.subarray(at - count, at);
  };
  const of = (read, count) => () => { take(count); return view[read](at - count, true); };
  const byte = of("getUint8", 1), double = of("getFloat64", 8);
  const varint = () => {
    let value = 0;
    for (let scale = 1; scale < 2 ** 49; scale *= 128) {
      const part = byte();
      value += part % 128 * scale;
      if (part < 128) return value;
    }
    throw new Error(`the compressed motion has a number that is too long in ${what}`);
  };
  const text = () => {
    const end = bytes.indexOf(255, at);
    if (end < 0) throw new Error(`the compressed motion ends within ${what}`);
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(take(end + 1 - at).subarray(0, -1));
  };
  const float = () => { const tag = byte(); return tag === 255 ? double() : tag ? unfolded(varint()) / 10 ** (tag - 1) : 0; };
  return { take, byte, double, varint, text, float, word: of("getUint32", 4), long: of("getBigUint64", 8), at: () => at };
}
// Joints, and the axes of the file.
function moczSkeleton(section, structure) {
  const coder = rangeCoder(section), r = byteReader(packer()(coder, structure), "its skeleton");
  r.text();
  const axes = r.byte(), unit = r.byte();
  if (unit) r.float();
  const joints = [], kinds = [], path = [], count = r.varint();
  for (let at = 0; at < count; at++) {
    const kind = r.varint();
    if (kind === kinds.length) kinds.push(r.take(3)[0]);
    const up = r.varint();
    if (up <= path.length) path.length -= up;
    else path.splice(0, path.length, up - path.length - 1);
    const parent = path.length ? path.at(-1) : -1, flags = kinds[kind];
    if (parent >= at || flags === undefined) throw new Error("the compressed motion has a joint whose parent or kind is not there");
    joints.push({ parent, flags, end: !!(flags & 1) });
    path.push(at);
  }
  for (const joint of joints) {
    joint.name = r.text() || `${joints[joint.parent] ? joints[joint.parent].name : ""}_End`;
    if (joint.flags & 8) r.take(48);
    if (joint.flags & 16) r.text();
  }
  for (let chains = r.varint(); chains > 0; chains--) { r.text(); r.varint(); r.varint(); }
  const step = r.byte(), decimals = step ? r.byte() : 0, by = 10 ** decimals, sets = numberModels(9), mirrored = bitModels(3), offsets = [];
  if (decimals > 15) throw new Error("the compressed motion has offsets of an unknown step");
  let back = 0;
  joints.forEach((joint, at) => {
    const [rest] = [2, 4].map((flag, set) => XYZ.map(() => joint.flags & flag ? coder.number(sets[set]) / 2 ** 24 : 0));
    const c = 1 / (16 + rest.reduce((sum, v) => sum + v * v, 0));
    joint.rest = [...rest.map(v => 8 * v * c), 32 * c - 1];
    if (!step) {
      joint.offset = XYZ.map(r.float);
      return;
    }
    back += coder.number(sets[2]);
    if (back < 0 || back > at) throw new Error("the compressed motion has an offset like that of a joint which is not there");
    const twin = back ? offsets[at - back] : [0, 0, 0];
    offsets.push(twin.map((v, axis) => (v && coder.bit(mirrored[axis]) ? -v : v) + coder.number(sets[(back ? 6 : 3) + axis])));
    joint.offset = offsets[at].map(v => v * step / by);
  });
  return { joints, axes, unit };
}
// What moves; what does not has its place and rotation from here on.
function moczTracks(section, joints, plain) {
  const coder = rangeCoder(section), plainly = bitReader(section);
  const codes = plain ? joints.map(() => plainly.take(4)) : packer()(coder, joints.length), [ofBits, ofParts] = numberModels(2), tracks = [];
  const single = () => new Float32Array(plain ? Uint32Array.of(plainly.take(32)).buffer : Uint16Array.from([0, 0], () => coder.raw(16)).buffer)[0];
  const part = () => plain ? plainly.take(bits + 4) - 2 ** (bits + 3) : coder.number(ofParts);
  let bits = 0;
  joints.forEach((joint, i) => {
    const rest = joint.rest.map(f), code = codes[i] & 3, moves = codes[i] >> 2;
    if (code > 2 || moves > 2) throw new Error("the compressed motion has an unknown kind of track in its plan");
    if (code === 1) bits = plain ? plainly.take(5) : bits + coder.number(ofBits);
    if (bits < 0 || bits > 21) throw new Error("the compressed motion has a rotation of an unknown precision in its plan");
    joint.spin = code === 1 ? chained(rest, turnOf(XYZ.map(() => part() / 2 ** bits))) : rest;
    joint.move = moves === 1 ? XYZ.map(single) : joint.offset;
    if (!joint.move.every(Number.isFinite)) throw new Error("the compressed motion has a place that is not finite in its plan");
    if (moves === 2) tracks.push({ joint, rotation: false });
    if (code === 2) tracks.push({ joint, rotation: true, rest });
  });
  return tracks;
}
function sound(make) {
  try {
    return make();
  } catch (error) {
    // Of the browser: a number leads out of what was read.
    throw error instanceof RangeError || error instanceof TypeError ? new Error("the compressed motion holds what no writer makes") : error;
  }
}
function openMocz(bytes, name) {
  const r = byteReader(bytes, "its header"), fail = words => { throw new Error(`the compressed motion ${words}`); };
  const instead = `\`mocap view ${name} -o page.html\` writes a page that shows it`;
  if (r.word() !== 0x5a434f4d) fail("does not start with 'MOCZ'");
  const version = r.byte() + 256 * r.byte();
  if (version !== 2) fail(`is of version ${version} of the format, and this page reads version 2: ${instead}`);
  const profile = r.byte();
  if (profile > 3) fail(`is of the profile ${profile}, which this page does not read: ${instead}`);
  const flags = r.byte(), frames = Number(r.long()), fps = r.double();
  r.take(16);
  const metres = r.double();
  r.take(8);
  const block = r.word(), structure = r.varint(), blocks = frames ? max(1, Math.ceil((frames - 1) / block)) : 0, table = [];
  while (table.length < 2 + (flags >> 2 & 1) + blocks) table.push([r.varint(), r.long()]);
  if (xxh3(bytes.subarray(0, r.at())) !== r.long()) fail("is damaged: its header has another checksum");
  const plain = flags > 7;
  if (flags > (profile === 3 ? 15 : 7) || !(fps > 0 && fps < Infinity) || !(metres > 0) || !(block >= 64 && block <= 8192) || block & block - 1) fail("has a header that no writer makes");
  if (flags & 1) fail(`has its skeleton in another file: \`mocap view ${name} --skeleton-ref FILE -o page.html\` writes a page that shows it`);
  if (!frames) fail("has no frames");
  if (structure > 1e6) fail(`has a skeleton that is too large for this page: ${instead}`);
  const sections = table.map(([length, checksum], i) => {
    const section = r.take(length);
    if (xxh3(section) !== checksum) fail(`is damaged: section ${i + 1} of ${table.length} has another checksum`);
    return section;
  });
  if (r.at() < bytes.length) fail("has bytes behind its end");
  const { joints, axes, unit } = moczSkeleton(sections[0], structure), tracks = moczTracks(sections[1], joints, plain);
  if (!joints.length) fail("has no joints");
  if (frames * max(tracks.length, 1) > MOST_VALUES || min(frames, 6000) * joints.length > MOST_VALUES) fail(`is too long for this page to unpack: ${instead}`);
  const read = [readArchive, readRuntime, readKeys, readDirect][profile];
  // One block is unpacked at a time.
  let held = -1;
  const hold = index => {
    if (index === held) return;
    held = index;
    const first = index * block, values = sound(() => read(sections[sections.length - blocks + index], min(block + 1, frames - first), tracks, plain));
    tracks.forEach((track, i) => {
      if (values[i].some(value => !value.every(Number.isFinite))) fail(`has values that are not finite behind frame ${first}`);
      track.values = values[i];
    });
  };
  const axis = code => XYZ.map(i => i === code >> 1 ? 1 - code % 2 * 2 : 0), up = axis(axes & 7), ahead = axis(axes >> 3 & 7), right = cross(up, ahead);
  if ((axes & 7) > 5 || axes >> 3 > 5 || !right.some(Boolean)) fail("has axes that are not up and forward");
  const stand = parts([...XYZ.flatMap(i => [right[i], up[i], ahead[i], 0]), 0, 0, 0, 1]).rotation;
  const pose = frame => {
    const index = min(Math.floor(frame / block), blocks - 1);
    hold(index);
    for (const track of tracks) track.joint[track.rotation ? "spin" : "move"] = track.values[frame - index * block];
    return joints.map(({ parent, move, spin }) => parent < 0 ? { move: turned(stand, move), spin: product(stand, spin), scale: [1, 1, 1] } : { move, spin, scale: [1, 1, 1] });
  };
  return { joints, frames, fps, pose, metres: unit ? metres : null };
}
const readMocz = (buffer, name) => sound(() => openMocz(new Uint8Array(buffer), name));
