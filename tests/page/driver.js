// What all tests of pages share: the browser, pages that `mocap` writes, and what a user does to them. MOCAP_VIEW is the
// command that writes pages (default: the debug build of `mocap view`), CHROMIUM the browser, SCREENSHOTS a folder for
// pictures.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const clip = name => join(root, "fixtures/clips", name);
const [command, ...first] = (process.env.MOCAP_VIEW ?? `${join(root, "target/debug/mocap")} view`).split(" ");
export const folder = mkdtempSync(join(tmpdir(), "mocap-page-"));
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

// Runs `mocap` with the words given.
export const mocap = (...words) => execFileSync(command, [...first.slice(0, -1), ...words], { stdio: "pipe" });

let pages = 0;
export function write(...inputs) {
  const out = join(folder, `${++pages}.html`);
  execFileSync(command, [...first, ...inputs, "-o", out], { stdio: "pipe" });
  return out;
}

// Opens a page, runs `use` on it, and asserts that nothing was asked for from outside of `within` and nothing went wrong.
export async function visit(file, use, { within = file, hash = "", init, streams = true, ready = drawn, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", message => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", error => wrong.push(error.message));
  page.on("request", request => {
    const url = request.url(), own = pathToFileURL(within).href;
    const inside = within === file ? url.split("#")[0] === own : url.startsWith(own);
    if (!inside && !/^(data|blob):/.test(url)) wrong.push(`request: ${url}`);
  });
  if (!streams) await page.addInitScript(() => delete window.DecompressionStream);
  if (init) await page.addInitScript(init);
  await page.goto(pathToFileURL(file).href + hash);
  await ready(page);
  await use(page);
  assert.deepEqual(wrong.filter(words => !/GPU stall due to ReadPixels/.test(words)), []);
  await context.close();
}

// A page of motions or a chart, in a browser that cannot unpack streams.
export const open = (file, use, options = {}) => visit(file, use, { streams: false, ...options });

export const drawn = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
export const shot = (page, name) =>
  process.env.SCREENSHOTS && page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });

// What axe-core finds of serious weight.
export async function serious(page) {
  await page.evaluate(readFileSync(join(root, "tests/page/node_modules/axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() => axe.run(document));
  const violations = found.violations.filter(it => ["serious", "critical"].includes(it.impact));
  return violations.map(it => `${it.id}: ${it.nodes.map(node => node.html)}`);
}

export function positions(name) {
  const rows = readFileSync(clip(name), "utf8").trim().split("\n").slice(1);
  return rows.map(row => row.split(",")).map(([frame, joint, , ...place]) => [+frame, joint, place.map(Number)]);
}

// A drop of files from outside the browser.
export async function drop(page, paths) {
  const files = paths.map(path => [path.split("/").pop(), readFileSync(path).toString("base64")]);
  await page.evaluate(files => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, files);
}
