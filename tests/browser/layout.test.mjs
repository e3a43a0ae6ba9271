// On a small screen everything can be reached, and nothing has to be scrolled sideways.

import assert from "node:assert/strict";

import { outOfReach } from "./measure.mjs";
import { until } from "./until.mjs";
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

for (const width of [1010, 390, 320]) {
  test(`the timeline can be read in a window ${width} wide`, async (stage) => {
    const server = await stage.serve({ script: "never-satisfied" });
    const shown = await stage.open(server, { viewport: { width, height: 844 } });
    await shown.start({ directory: stage.place.project, recipe: "Refine Design" });
    await shown.ended();
    // Each part takes one line, or two if a word is split at its hyphen. The times have their
    // maximum length.
    const lines = await shown.page.$$eval('main ol[aria-label="What happened"] > li', (rows) => rows.flatMap((row) => {
      row.querySelector(".took").textContent = "12 min 34 s";
      row.querySelector(".retries").textContent = "asked again 3 times";
      return [...row.querySelectorAll(":scope > span:not(.sign)")].map((part) =>
        [part.textContent, Math.round(part.getBoundingClientRect().height / parseFloat(getComputedStyle(part).lineHeight))]);
    }));
    assert.deepEqual(lines.filter(([, high]) => high > 2), []);
    assert.deepEqual(await outOfReach(shown.page), []);
  });
}

test("all lines of the card about a run's end are aligned", async (stage) => {
  const server = await stage.serve({ script: "garbage" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const edges = await shown.page.$$eval("main [data-reason] .story > *", (lines) => lines.map((line) =>
    [line.textContent, Math.round((line.querySelector(".rehearsal") ?? line).getBoundingClientRect().left)]));
  assert.ok(edges.some(([words]) => /rehearsal/.test(words)));
  assert.deepEqual(edges.filter(([, left]) => left !== edges[0][1]), []);
});

test("selected values in the dialog are not cut off", async (stage) => {
  const shown = await stage.open(await stage.serve(), { at: "#/recipes/implement-and-review" });
  await shown.press("Start…");
  await until("the dialog is open", () => shown.dialog());
  const cut = await shown.page.$$eval("dialog[open] select", (selects) => selects.flatMap((select) => {
    const { font, paddingLeft } = getComputedStyle(select);
    const measure = Object.assign(document.createElement("canvas").getContext("2d"), { font });
    // The arrow takes some room beside the text.
    const room = select.clientWidth - 2 * parseFloat(paddingLeft) - 16;
    return [...select.selectedOptions].map(({ text }) => text).filter((text) => measure.measureText(text).width > room);
  }));
  assert.deepEqual(cut, []);
});

test("scrolling past the end of the conversation with a finger scrolls the page", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server, { viewport: { width: 390, height: 664, isMobile: true, hasTouch: true } });
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const list = await shown.page.$("main [role=log]");
  const { top, height } = await list.evaluate((one) => {
    one.scrollIntoView({ block: "center" });
    const box = one.getBoundingClientRect();
    return { top: box.top, height: box.height };
  });
  const before = await shown.page.evaluate(() => scrollY);
  const [x, y] = [195, Math.max(200, top + height / 2)];
  // More than the list can scroll, so that the rest scrolls the page.
  for (let push = 0; push < 12; push += 1) {
    const finger = await shown.page.touchscreen.touchStart(x, y - 80);
    for (let moved = 0; moved <= 240; moved += 40) await finger.move(x, y - 80 + moved);
    await finger.end();
  }
  await until("the page has moved", () => shown.page.evaluate(() => scrollY), (now) => now < before);
});

test("a notice is visible however far the page is scrolled down", async (stage) => {
  const server = await stage.serve({ script: "blocked" });
  const shown = await stage.open(server, { viewport: { width: 390, height: 664, isMobile: true, hasTouch: true } });
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  await shown.page.evaluate(() => scrollTo(0, 400));
  stage.allowConnectionErrors(shown);
  await server.kill();
  const seen = (id) => shown.page.$eval(id, (band) => {
    const { top, bottom, height } = band.getBoundingClientRect();
    return height > 0 && top >= 0 && bottom <= innerHeight;
  });
  await until("it is seen", () => seen("#lost"));
});

test("on a desktop, nothing has to be scrolled sideways either", async (stage) => {
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

for (const width of [480, 390, 320]) {
  test(`Stop stays in reach on a phone ${width} wide, however far the page is scrolled`, async (stage) => {
    const server = await stage.serve({ script: "slow" });
    const shown = await stage.open(server, { viewport: { width, height: 700, isMobile: true, hasTouch: true } });
    await shown.start({ directory: stage.place.project });
    // The position of Stop, if nothing covers it.
    const reached = () => shown.page.evaluate(() => {
      scrollTo(0, document.documentElement.scrollHeight);
      const stop = [...document.querySelectorAll("main button")].find(({ textContent }) => textContent === "Stop");
      const { left, top, right, bottom } = stop.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      return scrollY > 0 && inside && document.elementFromPoint(x, y) === stop ? { x, y } : null;
    });
    const { x, y } = await until("Stop is in reach at the bottom", reached);
    // Stop does not cover the field for messages.
    const send = await shown.find("button", "Send");
    const overlaps = await send.evaluate((one, y) => one.getBoundingClientRect().bottom > y, y);
    assert.equal(overlaps, false);
    await shown.page.touchscreen.tap(x, y);
    assert.equal((await shown.ended()).reason, "user-requested");
  });
}

for (const [width, height] of [[1440, 900], [1280, 640], [390, 844]]) {
  test(`Start is in reach in a window of ${width} by ${height} with all of the dialog open, without scrolling`, async (stage) => {
    const server = await stage.serve();
    const shown = await stage.open(server, { viewport: { width, height }, at: "#/recipes/implement-and-review" });
    await shown.press("Start…");
    await until("the dialog is open", () => shown.dialog());
    await until("the preview is there", () => shown.preview());
    await shown.openMore();
    await shown.page.$$eval("dialog[open] details", (folds) => folds.forEach((fold) => { fold.open = true; }));
    // The buttons that are in the window and not covered.
    const reachable = () => shown.page.$$eval("dialog[open] .actions button", (buttons) => buttons.filter((button) => {
      const { left, top, right, bottom } = button.getBoundingClientRect();
      const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      return inside && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === button;
    }).map(({ textContent }) => textContent));
    assert.deepEqual(await reachable(), ["Start", "Cancel"]);
    const hidden = await shown.page.$eval("dialog[open] .body", (body) => {
      body.scrollTo(0, body.scrollHeight);
      return { rest: body.scrollHeight - body.clientHeight, end: body.getBoundingClientRect().bottom - body.lastElementChild.getBoundingClientRect().bottom };
    });
    assert.ok(hidden.rest > 0, "the fields scroll");
    assert.ok(hidden.end >= 0, "their end can be reached");
    assert.deepEqual(await reachable(), ["Start", "Cancel"]);
    assert.deepEqual(await outOfReach(shown.page), []);
  });
}
