// The page as a document: names, themes, links, files it saves, assistive technology.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clip, drawn, folder, open, serious, shot, write } from "./driver.js";

test("names stay names", async () => {
  const nasty = ["</script><b>bold</b>", "\"it's\" & 🦴", "<img src=x onerror=alert(1)>"];
  let text = readFileSync(clip("alex_wave.bvh"), "utf8");
  ["LeftHand", "RightHand", "Head"].forEach((name, i) => {
    text = text.replace(`JOINT ${name}\n`, () => `JOINT ${nasty[i]}\n`);
  });
  const path = join(folder, "{{data}} '<i>' & <b>.bvh");
  writeFileSync(path, text);
  await open(write(path), async page => {
    const joints = await page.evaluate(() => viewer.clips[0].joints);
    for (const name of nasty) assert.ok(joints.includes(name), `${name} in ${joints}`);
    assert.equal(await page.locator("b").count(), 1, "only the clock is bold");
    assert.equal(await page.locator("img, i").count(), 0);
    const policy = await page.getAttribute("meta[http-equiv=Content-Security-Policy]", "content");
    assert.match(policy, /^default-src 'none';.*base-uri 'none';form-action 'none'$/);
    assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/);
    assert.match(await page.title(), /\{\{data\}\} '<i>' & <b>\.bvh/);
    await page.keyboard.press("n");
    await drawn(page);
    await shot(page, "names");
  });
});

test("light and dark follow the system and the button", async () => {
  const file = write(clip("robin_turn.bvh"));
  const background = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  for (const [colorScheme, colour, other] of [
    ["light", "rgb(246, 247, 249)", "rgb(20, 23, 28)"],
    ["dark", "rgb(20, 23, 28)", "rgb(246, 247, 249)"],
  ]) {
    await open(file, async page => {
      assert.equal(await background(page), colour);
      await shot(page, `turn-${colorScheme}`);
      await page.click("#theme");
      assert.equal(await background(page), other);
    }, { colorScheme });
  }
});

test("a link opens a frame, a view and a joint", async () => {
  const file = write(clip("alex_walk.bvh"));
  let hash;
  await open(file, async page => {
    await page.evaluate(() => { viewer.toFrame(120); viewer.camera.yaw = 1.25; viewer.select({ clip: 0, joint: 3 }); });
    await page.keyboard.press("k");
    hash = await page.evaluate(() => location.hash);
    assert.match(hash, /^#f=120&cam=1\.25,/);
  });
  await open(file, async page => {
    await drawn(page);
    assert.deepEqual(await page.evaluate(() => [viewer.frame, viewer.camera.yaw, viewer.state.selected]), [120, 1.25, { clip: 0, joint: 3 }]);
  }, { hash });
  // Nonsense in a link is left out.
  await open(file, async page => {
    assert.equal(await page.evaluate(() => viewer.frame), 300);
  }, { hash: "#f=99999&cam=a,b&view=__proto__&joint=7.x" });
});

test("a picture and a video of the view are saved", async () => {
  await open(write(clip("alex_wave.bvh")), async page => {
    const saved = async act => {
      const [download] = await Promise.all([page.waitForEvent("download"), act()]);
      return [download.suggestedFilename(), readFileSync(await download.path())];
    };
    const [name, png] = await saved(() => page.click("#png"));
    assert.equal(name, "alex_wave.bvh-0.png");
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.ok(png.length > 10000, `${png.length} bytes`);
    await page.evaluate(() => { viewer.state.to = 0.6; });
    const [video, webm] = await saved(() => page.click("#record"));
    assert.equal(video, "alex_wave.bvh.webm");
    assert.equal(webm.readUInt32BE(0), 0x1a45dfa3, "EBML");
    assert.ok(webm.length > 3000, `${webm.length} bytes`);
  }, { acceptDownloads: true });
});

test("assistive technology finds names and roles", async () => {
  for (const colorScheme of ["light", "dark"])
    await open(write(clip("alex_walk.bvh"), clip("robin_walk.bvh")), async page => {
      await page.keyboard.press("j");
      await page.keyboard.press("Escape");
      await page.evaluate(() => viewer.select({ clip: 0, joint: 3 }));
      await drawn(page);
      assert.deepEqual(await serious(page), []);
    }, { colorScheme });
});
