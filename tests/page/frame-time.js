// Measures what a frame of a playing page costs: node frame-time.js PAGE.html. Drawing itself is left out, as headless
// Chromium draws in software: times are those of scripts and of handing work to the graphics card.

import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
await page.addInitScript(() => {
  window.frames_ = [];
  let calls = 0;
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = run => ask(now => {
    calls = 0;
    const start = performance.now();
    run(now);
    window.frames_.push([performance.now() - start, calls]);
  });
  for (const name of ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"])
    WebGL2RenderingContext.prototype[name] = () => { calls++; };
});
await page.goto(pathToFileURL(process.argv[2]).href);
await page.waitForTimeout(1500);
await page.evaluate(() => { frames_.length = 0; viewer.play(true); });
await page.waitForTimeout(6000);
const frames = await page.evaluate(() => frames_);
const times = frames.map(([time]) => time).sort((a, b) => a - b);
const bodies = await page.evaluate(() => viewer.clips.length);
const share = part => times[Math.floor(part * (times.length - 1))].toFixed(2);
console.log(`${bodies} bodies, ${times.length} frames: median ${share(0.5)} ms, 95 % ${share(0.95)} ms, ${Math.max(...frames.map(([, calls]) => calls))} draw calls`);
await browser.close();
