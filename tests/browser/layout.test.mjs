// On a small screen everything can be reached, and nothing has to be pushed sideways.

import assert from "node:assert/strict";

import { outOfReach } from "./measure.mjs";
import { test } from "./stage.mjs";
import { everyView } from "./views.mjs";

for (const width of [390, 320]) {
  test(`on a phone ${width} wide, everything is in the window and large enough for a finger`, async (stage) => {
    const viewport = { width, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
    const found = {};
    await everyView(stage, { viewport }, async (view, shown) => {
      const bad = await outOfReach(shown.page);
      if (bad.length > 0) found[view] = bad;
    });
    assert.deepEqual(found, {});
  });
}

test("on a desk, nothing has to be pushed sideways either", async (stage) => {
  const found = {};
  await everyView(stage, { viewport: { width: 1000, height: 700 } }, async (view, shown) => {
    const bad = await outOfReach(shown.page);
    if (bad.length > 0) found[view] = bad;
  });
  assert.deepEqual(found, {});
});

test("the measure itself finds what is too small, and what is beside the window", async (stage) => {
  const shown = await stage.open(await stage.serve(), { viewport: { width: 390, height: 844 } });
  assert.deepEqual(await outOfReach(shown.page), []);
  await shown.page.evaluate(() => {
    const [small, wide] = [document.createElement("button"), document.createElement("button")];
    small.style.cssText = "min-height: 0; width: 20px; height: 20px; padding: 0";
    wide.style.cssText = "width: 500px";
    document.querySelector("main").append(small, wide);
  });
  assert.equal((await outOfReach(shown.page)).length, 3, "a small button, a wide one, and the page that it widens");
});
