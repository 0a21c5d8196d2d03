// A picture of a page that `mocap` wrote, of motions at a frame:
//
//   node picture.js PAGE.html PICTURE.png FRAME [WIDTHxHEIGHT]

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [file, picture, frame, size = "1000x640"] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await browser.newPage({ viewport: { width, height } });
const drawn = () => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
await page.goto(pathToFileURL(resolve(file)).href);
await drawn();
// The index of a gallery has no frames.
await page.evaluate(frame => window.viewer?.toFrame(frame), Number(frame));
await drawn();
await page.screenshot({ path: picture });
await browser.close();
