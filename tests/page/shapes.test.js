// Faces: shapes move the mesh before the skin, and their weights are curves with names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import { drawn, folder, mocap, open, root, shot, write } from "./driver.js";

const face = name => join(root, "fixtures/faces", name);
const talk = join(folder, "talk.glb");

test("shapes move the mesh as their weights say, and back", async () => {
  mocap("face", face("take.csv"), face("head.glb"), "-o", talk, "--overwrite");
  await open(write(talk), async page => {
    const at = async frame => {
      await page.evaluate(frame => viewer.toFrame(frame), frame);
      await drawn(page);
      return page.evaluate(() => [...viewer.clips[0].skin.mesh.shapes.points]);
    };
    // The rest, computed by the page's own data: V = V0 + Σ w D.
    const expected = frame => page.evaluate(frame => {
      const { skin: { mesh }, numbers: { names, values } } = viewer.clips[0], points = [...mesh.points];
      for (const { number, vertices, offsets } of mesh.shapes.list) vertices.forEach((v, i) => {
        for (let k = 0; k < 3; k++) points[3 * v + k] += values[frame * names.length + number] * offsets[3 * i + k];
      });
      return points;
    }, frame);
    const apart = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));
    const open = await at(0), shut = await at(24);
    assert.ok(apart(open, shut) > 500, "a blink moves lids by more than 1/130 of the head");
    for (const frame of [0, 24, 54, 66]) assert.ok(apart(await at(frame), await expected(frame)) < 0.1);
    assert.ok(apart(await at(0), open) < 1e-6);
    const blink = await page.evaluate(() => {
      const { names, values } = viewer.clips[0].numbers, of = name => names.findIndex(full => full.endsWith(name));
      return values[24 * names.length + of("Eye_Blink_L")];
    });
    assert.ok(Math.abs(blink - 1) < 1e-4, `the blink is ${blink}`);
    await at(24);
    await shot(page, "face");
  });
});

test("the widest curves of shapes are there from the start, and one by its name", async () => {
  await open(write(talk), async page => {
    await page.evaluate(() => viewer.toFrame(24));
    await drawn(page);
    assert.equal(await page.isVisible("#plot"), true);
    assert.match(await page.textContent("#about"), /Eye_Blink_L = Eye_Blink_R 1\.00/);
    await page.selectOption("#number", { label: "Face.Jaw_Open" });
    await drawn(page);
    assert.match(await page.textContent("#about"), /^Jaw_Open 0\.00/);
    await page.click("#unselect");
    await drawn(page);
    assert.equal(await page.isVisible("#plot"), false);
  });
});
