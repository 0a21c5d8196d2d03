// Views, and fingers and mice that turn them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clip, drawn, open, shot, write } from "./driver.js";

test("the view turns, moves, zooms, and resets", async () => {
  await open(write(clip("robin_jump.bvh")), async page => {
    const camera = () => page.evaluate(() => ({ ...viewer.camera }));
    const home = await camera();
    const drag = async options => {
      await page.mouse.move(500, 300);
      await page.mouse.down(options);
      await page.mouse.move(600, 340, { steps: 3 });
      await page.mouse.up(options);
      return camera();
    };
    const turned = await drag();
    assert.ok(turned.yaw !== home.yaw && turned.pitch !== home.pitch && turned.distance === home.distance);
    const moved = await drag({ button: "right" });
    assert.ok(moved.x !== turned.x && moved.yaw === turned.yaw);
    await page.mouse.wheel(0, 300);
    await drawn(page);
    assert.ok((await camera()).distance > moved.distance);
    await page.click("#reset");
    assert.deepEqual(await camera(), home);
    // Facing +Z, the character's left is on the right of a view from the front.
    await page.selectOption("#view", "front");
    await drawn(page);
    const [left, right] = await page.evaluate(() =>
      ["foot_l", "foot_r"].map(name => viewer.screen(viewer.clips[0].joints.indexOf(name))[0]));
    assert.ok(left > right);
  });
});

test("one finger turns the view", async () => {
  await open(write(clip("robin_wave.bvh")), async page => {
    const yaw = await page.evaluate(() => viewer.camera.yaw);
    const client = await page.context().newCDPSession(page);
    const touch = (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [{ x: 150, y: 300 }]);
    await touch("touchMove", [{ x: 220, y: 300 }]);
    await touch("touchEnd", []);
    assert.notEqual(await page.evaluate(() => viewer.camera.yaw), yaw);
    // Two apart: nearer.
    const distance = await page.evaluate(() => viewer.camera.distance);
    await touch("touchStart", [{ x: 150, y: 300, id: 1 }, { x: 200, y: 300, id: 2 }]);
    await touch("touchMove", [{ x: 100, y: 300, id: 1 }, { x: 260, y: 300, id: 2 }]);
    await touch("touchEnd", []);
    assert.ok((await page.evaluate(() => viewer.camera.distance)) < distance);
    await shot(page, "phone");
  }, { viewport: { width: 400, height: 760 }, hasTouch: true, isMobile: true });
});
