// Joints: where they are, their contacts, the tree, selecting and measuring.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { clip, drawn, open, positions, shot, write } from "./driver.js";

for (const [body, motion] of [["alex", "walk"], ["alex", "jump"], ["robin", "turn"], ["robin", "wave"]]) {
  test(`joints of ${body}_${motion} are where they are, to a tenth of a millimetre`, async () => {
    await open(write(clip(`${body}_${motion}.bvh`)), async page => {
      const expected = positions(`${body}_${motion}.positions.csv`);
      assert.ok(expected.length > 100);
      for (const [frame, joint, place] of expected) {
        const found = await page.evaluate(([joint, frame]) => viewer.joint(joint, 0, frame), [joint, frame]);
        const off = Math.hypot(...place.map((v, i) => v - found[i]));
        assert.ok(off <= 1e-4, `${joint} in frame ${frame}: ${found} is not ${place}`);
      }
    });
  });
}

test("hovering names the joint", async () => {
  await open(write(clip("alex_wave.bvh")), async page => {
    await page.evaluate(() => viewer.toFrame(45));
    await drawn(page);
    const [x, y] = await page.evaluate(() => viewer.screen(viewer.clips[0].joints.indexOf("RightForeArm")));
    const box = await page.locator("#stage").boundingBox();
    await page.mouse.move(box.x + x, box.y + y);
    await drawn(page);
    assert.match(await page.textContent("#tip"), /^RightForeArm\n/);
    await shot(page, "wave");
  });
});

test("contacts are those of the motion", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    const rows = readFileSync(clip("alex_walk.contacts.csv"), "utf8").trim().split("\n").slice(1);
    const planted = rows.map(row => row.split(",").map(Number)).map(row => [row[2], row[4]]);
    const found = await page.evaluate(() => viewer.clips[0].feet.map(foot => [...foot.toe_on]));
    for (const side of [0, 1]) {
      const wrong = planted.filter((row, frame) => row[side] !== found[side][frame]).length;
      assert.ok(wrong <= 24, `foot ${side}: ${wrong} of ${planted.length} frames differ`);
    }
    await page.evaluate(() => viewer.toFrame(96));
    await drawn(page);
    await shot(page, "walk");
  });
});

test("a joint is found in the tree, marked, and has curves", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    await page.click("#joints");
    await page.fill("#search", "leftfoot");
    assert.deepEqual(await page.locator("#tree [data-at]").allTextContents(), ["LeftFoot"]);
    await page.click("#tree [data-at]");
    await drawn(page);
    assert.equal(await page.locator("#plot").isVisible(), true);
    await page.evaluate(() => viewer.toFrame(40));
    await drawn(page);
    const place = await page.evaluate(() => viewer.joint("LeftFoot", 0, 40));
    // As it is shown: runs of white space are one space.
    const words = (await page.textContent("#about")).replace(/\s+/g, " ");
    assert.equal(words, `LeftFoot · x ${place[0].toFixed(3)} y ${place[1].toFixed(3)} z ${place[2].toFixed(3)} m`);
    for (const [what, unit] of [["speed", "m/s"], ["angle", "°"]]) {
      await page.selectOption("#quantity", what);
      await drawn(page);
      assert.match(await page.textContent("#about"), new RegExp(`LeftFoot · ${what} [\\d.]+\\s+${unit}`));
    }
    await shot(page, "tree");
    await page.keyboard.press("Escape");
    await drawn(page);
    assert.equal(await page.locator("#plot").isVisible(), false);
  });
});

test("a click selects, two measure", async () => {
  await open(write(clip("alex_wave.bvh")), async page => {
    await page.evaluate(() => { viewer.camera.distance *= 0.5; viewer.toFrame(30); });
    await drawn(page);
    const box = await page.locator("#stage").boundingBox();
    const click = async name => {
      const [x, y] = await page.evaluate(name => viewer.screen(viewer.clips[0].joints.indexOf(name)), name);
      await page.mouse.click(box.x + x, box.y + y);
      await drawn(page);
    };
    const chosen = () => page.evaluate(() => viewer.state.selected && viewer.clips[0].joints[viewer.state.selected.joint]);
    await click("LeftUpLeg");
    assert.equal(await chosen(), "LeftUpLeg");
    await page.keyboard.press("m");
    await click("LeftUpLeg");
    await click("LeftLeg");
    const apart = await page.evaluate(() => {
      const [a, b] = viewer.state.pair.map(it => viewer.joint(viewer.clips[0].joints[it.joint]));
      return Math.hypot(...a.map((v, i) => v - b[i]));
    });
    // The thigh of Alex.
    assert.ok(apart > 0.3 && apart < 0.6, `${apart}`);
    await shot(page, "measure");
  });
});
