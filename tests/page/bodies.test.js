// Bodies as drawn, with and without WebGL2, and meshes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { clip, drawn, drop, folder, mocap, open, shot, write } from "./driver.js";

// The colours of the picture at a place of the view, bodies and all.
const pixel = (page, x, y) => page.evaluate(([x, y]) => {
  const all = document.createElement("canvas"), bodies = document.getElementById("bodies");
  all.width = bodies.width; all.height = bodies.height;
  const to = all.getContext("2d");
  to.drawImage(bodies, 0, 0);
  return [...to.getImageData(Math.round(x * devicePixelRatio), Math.round(y * devicePixelRatio), 1, 1).data];
}, [x, y]);

for (const [name, viewport] of [["desktop", { width: 1400, height: 900 }], ["phone", { width: 390, height: 844 }]])
  for (const colorScheme of ["light", "dark"])
    test(`bodies are drawn on the ${name}, ${colorScheme}`, async () => {
      await open(write(clip("alex_walk.bvh")), async page => {
        assert.equal(await page.evaluate(() => viewer.webgl), true);
        await page.evaluate(() => viewer.toFrame(60));
        await drawn(page);
        const middle = async joint => {
          const [x, y] = await page.evaluate(joint => {
            const clip = viewer.clips[0], at = name => viewer.screen(clip.joints.indexOf(name));
            const [a, b] = [at(joint), at(joint.replace("Leg", "Foot"))];
            return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
          }, joint);
          return pixel(page, x, y);
        };
        const [left, right] = [await middle("LeftLeg"), await middle("RightLeg")];
        assert.ok(left[0] > left[2] + 40, `orange shank: ${left}`);
        assert.ok(right[2] > right[0] + 40, `blue shank: ${right}`);
        // Nothing sticks out of the window.
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await shot(page, `bodies-${name}-${colorScheme}`);
      }, { viewport, colorScheme, hasTouch: name === "phone", isMobile: name === "phone" });
    });

test("without WebGL2 bodies are drawn flat", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    assert.equal(await page.evaluate(() => viewer.webgl), false);
    await page.evaluate(() => viewer.toFrame(60));
    await drawn(page);
    const inked = await page.evaluate(() => {
      const stage = document.getElementById("stage"), [x, y] = viewer.screen(viewer.clips[0].joints.indexOf("LeftLeg"));
      return [...stage.getContext("2d").getImageData(x * devicePixelRatio, (y + 6) * devicePixelRatio, 1, 1).data];
    });
    assert.ok(inked[0] > inked[2] + 40 && inked[3] === 255, `${inked}`);
    await shot(page, "flat");
  }, { init: () => { const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind === "webgl2" ? null : get.call(this, kind, ...more); }; } });
});

test("a mesh moves with the joints of its clip, from the command line and dropped", async () => {
  const glb = join(folder, "alex.glb");
  mocap("convert", clip("alex_walk.bvh"), "-o", glb);
  const check = page => page.evaluate(() => {
    const clip = viewer.clips[0], { mesh, bones } = clip.skin;
    // Every vertex of a capsule is near the joint that moves it, in every pose: nothing is left behind.
    let far = 0;
    for (const s of [0, 60, 200]) {
      const rows = viewer.bonesOf(clip, 0, s, [0, 0, 0]);
      for (let v = 0; v < mesh.points.length / 3; v++) {
        const b = mesh.slots[4 * v], p = [...mesh.points.subarray(3 * v, 3 * v + 3), 1];
        const at = [0, 1, 2].map(row => p.reduce((sum, x, k) => sum + x * rows[16 * b + 4 * row + k], 0));
        const i = (s * clip.parents.length + bones[b].joint) * 3;
        far = Math.max(far, Math.hypot(...at.map((x, k) => x - clip.pos[i + k])));
      }
    }
    return [mesh.triangles.length, far];
  });
  const pages = [[write(glb, "--character", glb), false], [write(clip("alex_walk.bvh"), "--character", glb), false], [write(clip("robin_wave.bvh")), true]];
  for (const [file, dropped] of pages)
    await open(file, async page => {
      if (dropped) { await drop(page, [glb]); await page.waitForFunction(() => viewer.clips[0].name === "alex.glb"); }
      await drawn(page);
      const [corners, far] = await check(page);
      assert.ok(corners > 1000 && far > 0.1 && far < 0.7, `${corners} corners, ${far} m`);
      await shot(page, `mesh-${pages.findIndex(it => it[0] === file)}`);
    });
  assert.throws(() => write(clip("alex_walk.bvh"), "--character", clip("alex_walk.bvh")), /view::mesh|not a GLB/);
});

test("a motion on stairs is shown with them", async () => {
  const climbing = join(folder, "stairs.bvh"), steps = ["--draw-terrain", "0.15,0.35,6,0.4"];
  mocap("terrain", clip("alex_walk.bvh"), "--steps", "0.15,0.35,6,0.4", "-o", climbing);
  // Beside the right ankle, on the floor that it stands on.
  const beside = async page => {
    await page.evaluate(() => viewer.toFrame(290));
    await drawn(page);
    const [x, y] = await page.evaluate(() => viewer.screen(viewer.clips[0].joints.indexOf("RightToeBase")));
    const places = [[40, 10], [60, 20], [-50, 15], [80, 5]];
    return Promise.all(places.map(([dx, dy]) => pixel(page, x + dx, y + dy)));
  };
  let flat;
  await open(write(climbing), async page => { flat = await beside(page); });
  await open(write(climbing, ...steps), async page => {
    const stairs = await beside(page);
    assert.notDeepEqual(stairs, flat);
    assert.ok(stairs.every(colour => colour[3] === 255), `${stairs}`);
    await shot(page, "stairs");
  });
});
