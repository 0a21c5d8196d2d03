// Several motions on one page.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clip, drawn, folder, open, shot, write } from "./driver.js";

// A walk whose left knee is bent by ten degrees more in one frame.
function withError(frame) {
  const [head, rows] = readFileSync(clip("alex_walk.bvh"), "utf8").split(/(?<=Frame Time: .*\n)/);
  const lines = rows.trimEnd().split("\n");
  const joints = [...head.matchAll(/(?:ROOT|JOINT) (\S+)/g)].map(match => match[1]);
  const values = lines[frame].split(" ");
  const at = 3 + 3 * joints.indexOf("LeftLeg") + 1;
  values[at] = String(+values[at] + 10);
  lines[frame] = values.join(" ");
  const path = join(folder, "error.bvh");
  writeFileSync(path, `${head}${lines.join("\n")}\n`);
  return path;
}

test("two motions: the worst error is found, coloured and named", async () => {
  await open(write(clip("alex_walk.bvh"), withError(123)), async page => {
    assert.match(await page.textContent("header"), /largest object-space error: .* at LeftToeBase in frame 123/);
    await page.click("#worst");
    await drawn(page);
    assert.equal(await page.evaluate(() => viewer.frame), 123);
    assert.match(await page.textContent("#tip"), /LeftToeBase.*\n.*\n.*\nobject-space error: \d+(\.\d+)? mm|m$/);
    await shot(page, "error");
    // Overlaid, the hips are at one place; side by side, apart.
    const hips = () => page.evaluate(() => [0, 1].map(clip => viewer.screen(0, clip)[0]));
    let [a, b] = await hips();
    assert.ok(Math.abs(a - b) < 0.5);
    await page.selectOption("#layout", "beside");
    await drawn(page);
    [a, b] = await hips();
    assert.ok(b - a > 100);
    await page.selectOption("#colour", "speed");
    await drawn(page);
    await shot(page, "beside");
  });
});

test("motions of two skeletons are compared by the roles of their joints", async () => {
  await open(write(clip("alex_walk.bvh"), clip("robin_walk.bvh")), async page => {
    assert.match(await page.textContent("header"), /largest distance between joints/);
    await page.evaluate(() => viewer.seek(1.5));
    await drawn(page);
    assert.deepEqual(await page.evaluate(() => viewer.clips.map(clip => Math.round(1.5 * clip.fps))), [180, 90]);
    await shot(page, "two-dark");
  }, { colorScheme: "dark" });
});

test("a motion beside itself plays, without a difference", async () => {
  await open(write(clip("alex_walk.bvh"), clip("alex_walk.bvh")), async page => {
    await page.evaluate(() => viewer.seek(1));
    await drawn(page);
    assert.match(await page.textContent("header"), /no difference/);
    assert.match(await page.textContent("#now"), /1\.00 s/);
  });
});
