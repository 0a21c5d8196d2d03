// Files that are dropped on the page: BVH, GLB and `.mocz`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clip, drawn, drop, folder, mocap, open, positions, root, shot, write } from "./driver.js";

test("a BVH and a GLB file that are dropped have their joints where they are", async () => {
  const glb = join(folder, "robin_jump.glb");
  mocap("convert", clip("robin_jump.bvh"), "-o", glb);
  await open(write(clip("robin_wave.bvh")), async page => {
    for (const [path, name] of [[clip("alex_walk.bvh"), "alex_walk"], [glb, "robin_jump"]]) {
      await drop(page, [path]);
      await page.waitForFunction(name => viewer.clips[0].name.startsWith(name), name);
      await drawn(page);
      const rows = positions(`${name}.positions.csv`);
      assert.ok(rows.length > 100);
      for (const [frame, joint, place] of rows) {
        const found = await page.evaluate(([joint, frame]) => viewer.joint(joint, 0, frame), [joint, frame]);
        const off = Math.hypot(...place.map((v, i) => v - found[i]));
        assert.ok(off <= 1e-4, `${name}: ${joint} in frame ${frame}: ${found} is not ${place}`);
      }
      await page.evaluate(() => viewer.toFrame(30));
      await drawn(page);
      await shot(page, `dropped-${name}`);
    }
    // What is neither is said, and what is shown stays.
    await drop(page, [join(root, "README.md")]);
    await page.waitForFunction(() => /not a BVH, GLB or \.mocz file/.test(document.getElementById("note").textContent));
    assert.match(await page.textContent("h1"), /robin_jump/);
  });
});

// Compressed files of small clips: a walk, a motion whose axes and rest rotations are not the page's, a joint that moves,
// and more frames than a block has.
function compressed(name, profile, words = []) {
  const out = join(folder, `${name.split("/").pop()}-${profile}.mocz`), plain = join(folder, `${name.split("/").pop()}.json`);
  mocap("convert", join(root, "fixtures", name), "-o", plain, "-qq", "--overwrite", ...words);
  mocap("compress", plain, "-o", out, "-qq", "--overwrite", "--profile", profile);
  return out;
}

for (const profile of ["archive", "runtime", "keys", "direct"])
  test(`compressed files that are dropped have their joints where they are, profile ${profile}`, async () => {
    for (const [name, words] of [["clips/alex_walk.bvh"], ["clips/robin_jump.amc"], ["acclaim/other-moving-bone.amc"], ["gltf/clean.glb", ["--fps", "8200"]]]) {
      const packed = compressed(name, profile, words);
      await open(write(packed), async page => {
        const shown = () => page.evaluate(() => viewer.clips.map(({ name, joints, parents, samples, step, fps, count, pos }) =>
          ({ name, joints, parents: parents.slice(0, joints.length), samples, step, fps, pos: Array.from({ length: samples }, (_, s) => Array.from(pos.subarray(3 * s * count, 3 * (s * count + joints.length)))).flat() }))[0]);
        const { pos: expected, name: _, ...facts } = await shown();
        await drop(page, [packed]);
        await page.waitForFunction(() => viewer.clips[0].quantum === undefined);
        const { pos: found, name: __, ...same } = await shown();
        assert.deepEqual(same, facts);
        assert.ok(expected.length > 3 && found.length === expected.length);
        for (let i = 0; i < found.length; i += 3) {
          const off = Math.hypot(...[0, 1, 2].map(k => found[i + k] - expected[i + k]));
          assert.ok(off <= 1e-4, `${name}: number ${i} is off by ${off} m`);
        }
        if (name === "clips/alex_walk.bvh") await shot(page, `dropped-${profile}`);
      });
    }
  });

test("a compressed file that cannot be shown is refused with what to do", async () => {
  const archive = readFileSync(compressed("clips/alex_walk.bvh", "archive")), without = join(folder, "without.mocz");
  mocap("compress", clip("alex_walk.bvh"), "-o", without, "-qq", "--no-skeleton");
  const written = (bytes, at, value) => { const copy = Buffer.from(bytes); copy[at] = value; return copy; };
  const cases = [
    [written(archive, 4, 9), /version 9 of the format, and this page reads version 2: `mocap view/],
    [written(archive, 6, 4), /profile 4, which this page does not read: `mocap view/],
    [readFileSync(without), /skeleton in another file: `mocap view .* --skeleton-ref FILE/],
    [written(archive, 20, archive[20] ^ 1), /header has another checksum/],
    [written(archive, archive.length - 9, archive[archive.length - 9] ^ 1), /damaged: section 3 of 3/],
    [archive.subarray(0, archive.length - 1), /ends within/],
    [Buffer.concat([archive, Buffer.from([0])]), /bytes behind its end/],
    [Buffer.from("HIERARCHY"), /does not start with 'MOCZ'/],
    [Buffer.alloc(0), /ends within its header/],
  ];
  await open(write(clip("robin_wave.bvh")), async page => {
    for (const [i, [bytes, words]] of cases.entries()) {
      const path = join(folder, `case-${i}.mocz`);
      writeFileSync(path, bytes);
      await page.evaluate(() => { document.getElementById("note").textContent = ""; });
      await drop(page, [path]);
      await page.waitForFunction(() => document.getElementById("note").textContent);
      assert.match(await page.textContent("#note"), words);
      assert.match(await page.textContent("h1"), /robin_wave/);
    }
  });
});

test("a compressed file of any content is read or refused, soon", async () => {
  const files = ["archive", "runtime", "keys", "direct"].map(profile => readFileSync(compressed("acclaim/other-moving-bone.amc", profile)).toString("base64"));
  await open(write(clip("robin_wave.bvh")), async page => {
    const seen = await page.evaluate(files => {
      let seed = 1;
      const random = most => { seed = seed * 48271 % 2147483647; return seed % most; };
      // The places of the table's checksums, then of its own.
      const sectionsOf = bytes => {
        const view = new DataView(bytes.buffer);
        let at = 60, found = [];
        const varint = () => { let v = 0, scale = 1; for (;; scale *= 128) { const b = bytes[at++]; v += b % 128 * scale; if (b < 128) return v; } };
        varint();
        for (let i = 0; i < 3; i++) { found.push({ length: varint(), sum: at }); at += 8; }
        let from = at + 8;
        for (const it of found) { it.from = from; from += it.length; }
        return { view, found, end: at };
      };
      const seen = { read: 0, refused: new Set(), slowest: 0 };
      for (const file of files) for (let round = 0; round < 400; round++) {
        const bytes = Uint8Array.from(atob(file), c => c.charCodeAt(0)), { view, found, end } = sectionsOf(bytes);
        // Anything but the lengths of sections, under right checksums.
        for (let change = random(4); change >= 0; change--) {
          const at = random(bytes.length);
          if (at < 6 || at >= 61 && at < end + 8) continue;
          bytes[at] = random(3) ? random(256) : [0, 255][random(2)];
        }
        for (const { from, length, sum } of found) view.setBigUint64(sum, viewer.xxh3(bytes.subarray(from, from + length)), true);
        view.setBigUint64(end, viewer.xxh3(bytes.subarray(0, end)), true);
        const start = performance.now();
        try {
          const clip = viewer.readMocz(bytes.buffer, "any.mocz");
          for (let frame = 0; frame < clip.frames; frame += Math.ceil(clip.frames / 6000)) clip.pose(frame);
          seen.read++;
        } catch (error) {
          if (!/^the compressed motion/.test(error.message)) throw error;
          seen.refused.add(error.message.replace(/\d+/g, "N"));
        }
        seen.slowest = Math.max(seen.slowest, performance.now() - start);
      }
      return { ...seen, refused: [...seen.refused] };
    }, files);
    assert.ok(seen.read > 100 && seen.refused.length > 4, JSON.stringify(seen));
    assert.ok(seen.slowest < 20000, JSON.stringify(seen));
  });
});
