// Playing, scrubbing, ranges and clocks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clip, drawn, open, write } from "./driver.js";

test("play moves the skeleton, pause stops it, the end loops or stops", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    const foot = () => page.evaluate(() => viewer.joint("LeftFoot"));
    const start = await foot();
    await page.click("#play");
    await page.waitForFunction(() => viewer.frame > 20);
    assert.notDeepEqual(await foot(), start);
    await page.keyboard.press(" ");
    const paused = await page.evaluate(() => viewer.state.t);
    await drawn(page);
    assert.equal(await page.evaluate(() => viewer.state.t), paused);
    // Without the loop it ends on the last frame.
    await page.click("#loop");
    await page.evaluate(() => viewer.toFrame(290));
    await page.click("#play");
    await page.waitForFunction(() => !viewer.state.playing);
    assert.equal(await page.evaluate(() => viewer.frame), 300);
    // With it, it continues.
    await page.click("#loop");
    await page.evaluate(() => viewer.toFrame(290));
    await page.click("#play");
    await page.waitForFunction(() => viewer.frame < 100);
  });
});

test("the time line, the arrow keys and the text agree on the frame", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    const box = await page.locator("#time").boundingBox();
    for (const share of [0, 0.25, 0.5, 1]) {
      await page.mouse.click(box.x + 6 + share * (box.width - 12), box.y + 20);
      await drawn(page);
      assert.equal(await page.evaluate(() => viewer.frame), Math.round(share * 300));
      assert.match(await page.textContent("#now"), new RegExp(`frame ${Math.round(share * 300)} of 301`));
    }
    await page.locator("#stage").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+ArrowLeft");
    assert.equal(await page.evaluate(() => viewer.frame), 289);
    await page.keyboard.press("Home");
    assert.equal(await page.evaluate(() => viewer.frame), 0);
  });
});

test("a range loops, and the frame box goes to a frame", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    await page.fill("#frame", "50");
    await page.keyboard.press("Enter");
    await drawn(page);
    assert.equal(await page.evaluate(() => viewer.frame), 50);
    await page.locator("#stage").focus();
    await page.keyboard.press("[");
    await page.evaluate(() => viewer.toFrame(80));
    await page.keyboard.press("]");
    await page.keyboard.press(" ");
    const frames = await page.evaluate(async () => {
      const seen = [];
      // Until it starts again.
      for (let i = 0; i < 400 && !(i > 40 && seen.some((frame, i) => frame < seen[i - 1])); i++) { await new Promise(done => setTimeout(done, 25)); seen.push(viewer.frame); }
      return seen;
    });
    assert.ok(frames.every(frame => frame >= 50 && frame <= 80), `${frames}`);
    assert.ok(frames.some((frame, i) => i && frame < frames[i - 1]), "it starts again");
    await page.keyboard.press("\\");
    assert.deepEqual(await page.evaluate(() => [viewer.state.from, viewer.state.to]), [0, 2.5]);
  });
});

test("motion keeps the time of the wall at five frames a second", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    // From one picture to another, however long each takes and however late it is asked for.
    await page.evaluate(() => { viewer.state.loop = false; viewer.state.speed = 0.25; viewer.seek(0); viewer.play(true); });
    await page.waitForFunction(() => pictures.length > 6);
    const [first, last] = await page.evaluate(() => [pictures[1], pictures[6]]);
    const [wall, shown] = [(last[0] - first[0]) / 1000, (last[1] - first[1]) / 0.25];
    assert.ok(wall > 0.9 && Math.abs(wall - shown) < 1e-3, `${shown} s of motion in ${wall} s`);
  }, { init: () => {
    // When the browser draws a picture [ms], and the time of the motion in it [s].
    window.pictures = [];
    const ask = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = each => setTimeout(() => ask(now => {
      const before = window.viewer?.state.t;
      each(now);
      if (window.viewer && viewer.state.t !== before) pictures.push([now, viewer.state.t]);
    }), 200);
  } });
});

test("a frame waits for nothing on the graphics card, and many bodies take no more draw calls than few", async () => {
  const draws = [];
  for (const inputs of [[clip("alex_walk.bvh")], Array(6).fill(clip("alex_walk.bvh"))])
    await open(write(...inputs), async page => {
      await page.evaluate(() => { seen.waits = 0; viewer.play(true); });
      await page.waitForFunction(() => viewer.frame > 5);
      draws.push(await page.evaluate(() => seen.most));
      assert.equal(await page.evaluate(() => seen.waits), 0);
    }, { init: () => {
      window.seen = { waits: 0, draws: 0, most: 0 };
      const ask = window.requestAnimationFrame, of = WebGL2RenderingContext.prototype;
      window.requestAnimationFrame = run => ask(now => { seen.draws = 0; run(now); seen.most = Math.max(seen.most, seen.draws); });
      for (const name of ["getError", "readPixels", "finish", "getParameter", "getBufferSubData"]) {
        const real = of[name];
        of[name] = function (...given) { seen.waits++; return real.apply(this, given); };
      }
      for (const name of ["drawArrays", "drawArraysInstanced"]) {
        const real = of[name];
        of[name] = function (...given) { seen.draws++; return real.apply(this, given); };
      }
    } });
  // Solids, their shadows and the floor; with several bodies also what is transparent.
  assert.ok(draws.every(count => count > 0 && count <= 9), `${draws}`);
});
