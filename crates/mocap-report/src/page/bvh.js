// Reads a BVH file that is dropped on the page: names, parents, offsets, and a function that poses a frame.
function readBvh(words) {
  const tokens = words.split(/\s+/).filter(Boolean), joints = [], open = [];
  let at = 0, pending = null, frames = 0, time = 0;
  const fail = what => { throw new Error(`the BVH file has ${what} at word ${at}`); };
  const number = () => { const v = +tokens[at++]; return Number.isFinite(v) ? v : fail(`'${tokens[at - 1]}' in place of a number`); };
  for (; at < tokens.length;) {
    const word = tokens[at++];
    if (word === "ROOT" || word === "JOINT") {
      const from = at;
      while (at < tokens.length && tokens[at] !== "{") at++;
      pending = { name: tokens.slice(from, at).join(" "), channels: [], end: false };
    } else if (word === "End") { at++; pending = { name: `${open.length ? joints[open[open.length - 1]].name : ""}_End`, channels: [], end: true }; }
    else if (word === "{") {
      if (!pending) fail("a brace without a joint");
      pending.parent = open.length ? open[open.length - 1] : -1;
      open.push(joints.push(pending) - 1); pending = null;
    } else if (word === "}") open.pop();
    else if (word === "OFFSET") joints[open[open.length - 1]].offset = [number(), number(), number()];
    else if (word === "CHANNELS") {
      const n = number(), joint = joints[open[open.length - 1]];
      for (let i = 0; i < n; i++) joint.channels.push(tokens[at++].toLowerCase());
    } else if (word === "Frames:") frames = number();
    else if (word === "Time:") { time = number(); break; }
  }
  const width = joints.reduce((n, joint) => n + joint.channels.length, 0);
  if (!joints.length || !(time > 0)) fail("no hierarchy or no frame time");
  frames = min(frames, width ? Math.floor((tokens.length - at) / width) : 0);
  if (!frames) fail("no frames");
  const values = Float64Array.from({ length: frames * width }, number);
  let from = 0;
  for (const joint of joints) { joint.from = from; from += joint.channels.length; }
  const pose = frame => joints.map(joint => {
    const move = [...joint.offset || [0, 0, 0]];
    let spin = [0, 0, 0, 1];
    joint.channels.forEach((name, i) => {
      const axis = "xyz".indexOf(name[0]), v = values[frame * width + joint.from + i];
      if (name.endsWith("position")) move[axis] = v; else spin = product(spin, about(axis, v));
    });
    return { move, spin, scale: [1, 1, 1] };
  });
  return { joints, frames, fps: 1 / time, pose, metres: null };
}
