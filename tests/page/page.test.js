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
    // WebGL2 without a graphics card.
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
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
    if (url.split("#")[0] !== pathToFileURL(file).href && !/^(data|blob):/.test(url)) wrong.push(`request: ${url}`);
  });
  await page.addInitScript(() => delete window.DecompressionStream);
  if (options.init) await page.addInitScript(options.init);
  await page.goto(pathToFileURL(file).href + (options.hash ?? ""));
  await drawn(page);
  await use(page);
  assert.deepEqual(wrong.filter(words => !/GPU stall due to ReadPixels/.test(words)), []);
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

test("motion keeps the time of the wall at five frames a second", async () => {
  await open(write(clip("alex_walk.bvh")), async page => {
    const [wall, shown] = await page.evaluate(() => new Promise(done => {
      viewer.state.loop = false; viewer.seek(0); viewer.play(true);
      const start = performance.now();
      setTimeout(() => done([(performance.now() - start) / 1000, viewer.state.t]), 1700);
    }));
    assert.ok(Math.abs(wall - shown) < 0.5, `${shown} s of motion in ${wall} s`);
  }, { init: () => { const ask = window.requestAnimationFrame.bind(window); window.requestAnimationFrame = each => setTimeout(() => ask(each), 200); } });
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
    const words = await page.textContent("#about");
    assert.equal(words, `LeftFoot · x ${place[0].toFixed(3)}  y ${place[1].toFixed(3)}  z ${place[2].toFixed(3)} m`);
    for (const [what, unit] of [["speed", "m/s"], ["angle", "°"]]) {
      await page.selectOption("#quantity", what);
      await drawn(page);
      assert.match(await page.textContent("#about"), new RegExp(`LeftFoot · ${what} [\\d.]+ ${unit}`));
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
      for (let i = 0; i < 40; i++) { await new Promise(done => setTimeout(done, 25)); seen.push(viewer.frame); }
      return seen;
    });
    assert.ok(frames.every(frame => frame >= 50 && frame <= 80), `${frames}`);
    assert.ok(frames.some((frame, i) => i && frame < frames[i - 1]), "it starts again");
    await page.keyboard.press("\\");
    assert.deepEqual(await page.evaluate(() => [viewer.state.from, viewer.state.to]), [0, 2.5]);
  });
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
  const axe = readFileSync(join(root, "tests/page/node_modules/axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"])
    await open(write(clip("alex_walk.bvh"), clip("robin_walk.bvh")), async page => {
      await page.keyboard.press("j");
      await page.keyboard.press("Escape");
      await page.evaluate(() => viewer.select({ clip: 0, joint: 3 }));
      await drawn(page);
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document));
      const serious = found.violations.filter(it => ["serious", "critical"].includes(it.impact));
      assert.deepEqual(serious.map(it => `${it.id}: ${it.nodes.map(node => node.html)}`), []);
    }, { colorScheme });
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

// A drop of files from outside the browser.
async function drop(page, paths) {
  const files = paths.map(path => [path.split("/").pop(), readFileSync(path).toString("base64")]);
  await page.evaluate(files => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, files);
}

test("a BVH and a GLB file that are dropped have their joints where they are", async () => {
  const glb = join(folder, "robin_jump.glb");
  execFileSync(command, [...first.slice(0, -1), "convert", clip("robin_jump.bvh"), "-o", glb], { stdio: "pipe" });
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
  execFileSync(command, ["convert", join(root, "fixtures", name), "-o", plain, "-qq", "--overwrite", ...words], { stdio: "pipe" });
  execFileSync(command, ["compress", plain, "-o", out, "-qq", "--overwrite", "--profile", profile], { stdio: "pipe" });
  return out;
}

for (const profile of ["archive", "runtime", "keys"])
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
  execFileSync(command, ["compress", clip("alex_walk.bvh"), "-o", without, "-qq", "--no-skeleton"], { stdio: "pipe" });
  const written = (bytes, at, value) => { const copy = Buffer.from(bytes); copy[at] = value; return copy; };
  const cases = [
    [written(archive, 4, 9), /version 9 of the format, and this page reads version 2: `mocap view/],
    [written(archive, 6, 3), /profile direct, which this page does not read: `mocap view/],
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
  const files = ["archive", "runtime", "keys"].map(profile => readFileSync(compressed("acclaim/other-moving-bone.amc", profile)).toString("base64"));
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

test("a mesh moves with the joints of its clip, from the command line and dropped", async () => {
  const glb = join(folder, "alex.glb");
  execFileSync(command, ["convert", clip("alex_walk.bvh"), "-o", glb], { stdio: "pipe" });
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
  const pages = [[write(glb, "--mesh", glb), false], [write(clip("alex_walk.bvh"), "--mesh", glb), false], [write(clip("robin_wave.bvh")), true]];
  for (const [file, dropped] of pages)
    await open(file, async page => {
      if (dropped) { await drop(page, [glb]); await page.waitForFunction(() => viewer.clips[0].name === "alex.glb"); }
      await drawn(page);
      const [corners, far] = await check(page);
      assert.ok(corners > 1000 && far > 0.1 && far < 0.7, `${corners} corners, ${far} m`);
      await shot(page, `mesh-${pages.findIndex(it => it[0] === file)}`);
    });
  assert.throws(() => write(clip("alex_walk.bvh"), "--mesh", clip("alex_walk.bvh")), /view::mesh|not a GLB/);
});

test("a chart zooms, reads off values and hides curves", async () => {
  const out = join(folder, "chart.html");
  execFileSync(command, ["plot", clip("alex_walk.bvh"), "--joint", "LeftFoot", "--channel", "position", "-o", out], { stdio: "pipe" });
  const axe = readFileSync(join(root, "tests/page/node_modules/axe-core/axe.min.js"), "utf8");
  for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark", viewport: { width: 390, height: 844 } }]])
    await open(out, async page => {
      const view = () => page.evaluate(() => plot.view);
      const [from, to] = await view();
      await page.hover("#chart");
      await page.mouse.wheel(0, -600);
      const near = await view();
      assert.ok(near[0] > from && near[1] < to, `${near}`);
      await page.mouse.down(); await page.mouse.move(10, 300); await page.mouse.up();
      assert.ok((await view())[0] > near[0]);
      await page.keyboard.press("0");
      assert.deepEqual(await view(), [from, to]);
      await page.mouse.move(200, 301);
      await page.keyboard.press("ArrowRight");
      // The values are those of the motion.
      const expected = positions("alex_walk.positions.csv").filter(([, joint]) => joint === "LeftFoot");
      for (const [frame, , place] of expected)
        for (const [axis, v] of place.entries())
          assert.ok(Math.abs(v - await page.evaluate(([axis, frame]) => plot.curves[axis].values[frame], [axis, frame])) <= 1e-4);
      assert.match(await page.textContent("#now"), /frame \d+ · x -?\d/i);
      await page.click("#legend button");
      assert.equal(await page.getAttribute("#legend button", "aria-pressed"), "false");
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document));
      assert.deepEqual(found.violations.filter(it => ["serious", "critical"].includes(it.impact)).map(it => `${it.id}: ${it.nodes[0].html}`), []);
      await shot(page, `chart-${name}`);
    }, options);
});
