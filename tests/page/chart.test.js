// Charts that zoom.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { clip, folder, mocap, open, positions, serious, shot } from "./driver.js";

test("a chart zooms, reads off values and hides curves", async () => {
  const out = join(folder, "chart.html");
  mocap("plot", clip("alex_walk.bvh"), "--joint", "LeftFoot", "--channel", "position", "-o", out);
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
      assert.deepEqual(await serious(page), []);
      await shot(page, `chart-${name}`);
    }, options);
});
