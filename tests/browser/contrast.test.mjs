// Every text can be read, in the light and in the dark colour scheme.

import assert from "node:assert/strict";

import { tooPale } from "./measure.mjs";
import { test } from "./stage.mjs";
import { everyView } from "./views.mjs";

for (const scheme of ["light", "dark"]) {
  test(`all texts have enough contrast to their background (${scheme})`, async (stage) => {
    const found = {};
    await everyView(stage, { scheme }, async (view, shown) => {
      const bad = await tooPale(shown.page);
      if (bad.length > 0) found[view] = bad;
    });
    assert.deepEqual(found, {});
  });
}

test("the measure itself finds what is too pale", async (stage) => {
  const shown = await stage.open(await stage.serve());
  assert.deepEqual(await tooPale(shown.page), []);
  await shown.page.evaluate(() => {
    const heading = document.querySelector("h1");
    heading.style.color = "#aaa";
    heading.style.backgroundColor = "#fff";
  });
  assert.equal((await tooPale(shown.page)).length, 1);
});
