// Drives the viewer page as a user would. MOCAP_VIEW is the command that writes pages (default: the debug build
// of `mocap view`), CHROMIUM the browser, SCREENSHOTS a folder for pictures.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const clip = name => join(root, "fixtures/clips", name);
const [command, ...first] = (process.env.MOCAP_VIEW ?? `${join(root, "target/debug/mocap")} view`).split(" ");
const folder = mkdtempSync(join(tmpdir(), "mocap-page-"));
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

let pages = 0;
function write(...inputs) {
  const out = join(folder, `${++pages}.html`);
  execFileSync(command, [...first, ...inputs, "-o", out], { stdio: "pipe" });
  return out;
}

// Opens a page, runs `use` on it, and asserts that nothing was asked for and nothing went wrong.
async function open(file, use, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", message => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", error => wrong.push(error.message));
  page.on("request", request => {
    const url = request.url();
    if (url !== pathToFileURL(file).href && !url.startsWith("data:")) wrong.push(`request: ${url}`);
  });
  await page.addInitScript(() => delete window.DecompressionStream);
  await page.goto(pathToFileURL(file).href);
  await drawn(page);
  await use(page);
  assert.deepEqual(wrong, []);
  await context.close();
}

const drawn = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
const shot = (page, name) =>
  process.env.SCREENSHOTS && page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });

function positions(name) {
  const rows = readFileSync(clip(name), "utf8").trim().split("\n").slice(1);
  return rows.map(row => row.split(",")).map(([frame, joint, , ...place]) => [+frame, joint, place.map(Number)]);
}

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
    // With it, it goes on.
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
