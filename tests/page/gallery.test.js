// Drives a gallery as a user would, from a disk.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { clip, folder, mocap, serious, shot, visit } from "./driver.js";

const names = ["alex_walk", "alex_jump", "alex_turn", "robin_walk", "robin_wave"];
const nasty = "</script><b> 'q' & 🦴#%?.bvh";

before(() => {
  const db = join(folder, "db/sub");
  mkdirSync(db, { recursive: true });
  for (const name of names) copyFileSync(clip(`${name}.bvh`), join(db, `${name}.bvh`));
  copyFileSync(clip("alex_walk.bvh"), join(db, "copy.bvh"));
  copyFileSync(clip("robin_wave.bvh"), join(db, nasty.replace("/", "_")));
  writeFileSync(join(db, "broken.bvh"), "HIERARCHY\n");
  try {
    mocap("--quiet", "gallery", join(folder, "db"), "-o", join(folder, "site"), "--title", "<b>T&</b>");
  } catch (error) {
    assert.equal(error.status, 1, `${error.stderr}`);
  }
});

const open = (site, use, options = {}) => visit(join(site, "index.html"), use, {
  within: folder,
  viewport: { width: 1400, height: 900 },
  ready: page => page.waitForFunction(() => document.querySelectorAll("#rows path.l").length > 0),
  ...options,
});
const shown = page => page.evaluate(() => gallery.shown.map(path => path.replace(/^.*\//, "")));

test("search, filters and sorting show the clips that they say", async () => {
  await open(join(folder, "site"), async page => {
    assert.equal(await page.textContent("h1"), "<b>T&</b>");
    assert.match(await page.textContent("#totals"), /^7 clips, /);
    assert.match(await page.textContent("#failures"), /1 input failed.*broken\.bvh/s);
    await page.fill("#search", "alex_ WALK.bvh");
    assert.deepEqual(await shown(page), ["alex_walk.bvh"]);
    await page.fill("#search", "");
    await page.click("#filters button:has-text('duplicates')");
    assert.deepEqual((await shown(page)).sort(), [nasty.replace("/", "_"), "alex_walk.bvh", "copy.bvh", "robin_wave.bvh"].sort());
    await page.click("#filters button:has-text('walk')");
    assert.deepEqual((await shown(page)).sort(), ["alex_walk.bvh", "copy.bvh"]);
    await page.click("#filters button:has-text('walk')");
    await page.click("#filters button:has-text('duplicates')");
    await page.click("#filters button:has-text('jump')");
    assert.deepEqual(await shown(page), ["alex_jump.bvh"]);
    await page.click("#filters button:has-text('jump')");
    await page.selectOption("#sort", "speed");
    assert.ok((await shown(page))[0].includes("walk") || (await shown(page))[0] === "copy.bvh");
    await page.fill("#least", "2.55");
    assert.ok((await shown(page)).length < 7);
    await shot(page, "gallery-desktop-light");
  });
});

test("selected paths are copied, and a click opens the page of the clip", async () => {
  for (const [name, options] of [["desktop", {}], ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]])
    await open(join(folder, "site"), async page => {
      await page.fill("#search", "alex_turn");
      await page.waitForFunction(() => document.querySelectorAll("#rows li").length === 1);
      await page.locator("#rows input").check();
      await page.fill("#search", "");
      // Whether there is one, the note says.
      const saved = new Promise(done => page.once("download", done));
      await page.click("#copy");
      await page.waitForFunction(() => !document.getElementById("note").hidden);
      const file = await page.evaluate(() => /paths\.txt/.test(document.getElementById("note").textContent)) ? await saved : null;
      const words = file ? readFileSync(await file.path(), "utf8") : await page.evaluate(() => navigator.clipboard.readText());
      assert.match(words, /^[^\n]*db\/sub\/alex_turn\.bvh\n$/);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await shot(page, `gallery-${name}-dark`);
      await page.fill("#search", "🦴");
      await page.waitForFunction(() => document.querySelectorAll("#rows li").length === 1);
      await page.click("#rows a");
      await page.waitForFunction(() => window.viewer);
      assert.equal(await page.textContent("h1"), `sub/${nasty.replace("/", "_")}`);
      assert.equal(await page.evaluate(() => viewer.clips[0].frames > 0 && viewer.webgl), true);
      // A link keeps the clip.
      await page.evaluate(() => viewer.toFrame(7));
      await page.keyboard.press("k");
      await page.reload();
      await page.waitForFunction(() => window.viewer && viewer.frame === 7);
    }, { colorScheme: "dark", permissions: ["clipboard-read", "clipboard-write"], ...options });
});

test("the report of a run leads to input and result of its worst clips", async () => {
  const pipeline = join(folder, "p.toml"), site = join(folder, "run");
  writeFileSync(pipeline, `[[step]]\ndo = "retarget"\ntarget = '${clip("robin.skel")}'\n[[step]]\ndo = "compress"\nerror = "1mm"\ndiscard = true\n`);
  try {
    mocap("--quiet", "run", pipeline, join(folder, "db"), "--report", site);
  } catch (error) {
    assert.equal(error.status, 1, `${error.stderr}`);
  }
  for (const [name, options] of [["desktop-light", {}], ["phone-dark", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" }]])
    await open(site, async page => {
      await page.click("a[href='report.html']");
      assert.match(await page.textContent("dl"), /clips7.*failed1/s);
      assert.match(await page.textContent("main"), /broken\.bvh/);
      assert.ok(await page.locator("svg rect").count() > 20);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await shot(page, `report-${name}`);
      // Frames of pages may run what is given from outside; the page itself runs nothing.
      const ratio = page.locator("section", { hasText: "compress: max error" }).first().locator("ol a").first();
      const time = +/&t=([\d.]+)/.exec(await ratio.getAttribute("href"))[1];
      await ratio.click();
      await page.waitForFunction(() => window.viewer);
      assert.equal(await page.evaluate(() => viewer.clips.length), 2);
      assert.equal(await page.evaluate(() => viewer.state.t), time);
      assert.match(await page.locator("h1").last().textContent(), /: result$/);
    }, options);
  await visit(join(site, "report.html"), async page => assert.deepEqual(await serious(page), []), { within: folder, bypassCSP: true });
});

test("a page without a clip says so, and runs no other script", async () => {
  await open(join(folder, "site"), async page => {
    for (const hash of ["", "#clip=data/index.js", "#clip=clips/../data/index.js", "#clip=https://example.org/clips/a.js"]) {
      await page.goto("about:blank");
      await page.goto(pathToFileURL(join(folder, "site/view.html")).href + hash);
      assert.match(await page.textContent("header"), /names no clip/);
    }
  });
});

test("assistive technology finds names and roles", async () => {
  for (const colorScheme of ["light", "dark"])
    await open(join(folder, "site"), async page => {
      assert.deepEqual(await serious(page), []);
    }, { colorScheme });
});
