// Everything works without a mouse, and has a name for screen readers.

import assert from "node:assert/strict";

import { FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { test } from "./stage.mjs";
import { everyView } from "./views.mjs";

const NAMED = ["button", "checkbox", "combobox", "dialog", "img", "link", "progressbar", "searchbox", "switch", "textbox"];

// The focused element, and whether its focus is visible.
const focused = (shown) => shown.page.evaluate(() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  const hasRing = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  // A step in the graph is a group of shapes: its own border is the ring.
  const border = one.localName === "g" && getComputedStyle(one.querySelector("rect"));
  return {
    name: one.ariaLabel || one.labels?.[0]?.innerText.split("\n")[0] || one.textContent.trim(),
    element: one.localName,
    dialog: Boolean(one.closest("dialog")),
    page: one === document.body,
    ringed: one.matches(":focus-visible") && (border ? parseFloat(border.strokeWidth) >= 4 : hasRing),
    inView: box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
  };
});

// Presses Tab until the focused element fits. On every element before it, the focus must be
// visible.
async function tabTo(shown, what, fits) {
  const passed = [];
  for (let press = 0; press < 60; press += 1) {
    await shown.page.keyboard.press("Tab");
    const now = await focused(shown);
    passed.push(now.name.slice(0, 30));
    if (now.page) continue;
    assert.ok(now.ringed, `${now.element} \`${now.name.slice(0, 40)}\` shows that it has the focus`);
    assert.ok(now.inView, `${now.element} \`${now.name.slice(0, 40)}\` can be seen`);
    if (fits(now)) return now;
  }
  throw new Error(`Tab does not lead to ${what}: ${passed.join(", ")}`);
}

test("a recipe is started, talked to and stopped with the keyboard alone", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  const { keyboard } = shown.page;
  await tabTo(shown, "the recipe", ({ name }) => name.startsWith("Implement & Review") && !name.startsWith("Implement & Review All"));
  await keyboard.press("Enter");
  await until("the recipe is shown", async () => (await shown.heading()) === "Implement & Review");
  await tabTo(shown, "Start…", ({ name }) => name === "Start…");
  await keyboard.press("Enter");
  await until("the dialog is open", () => shown.dialog());
  const directory = await shown.find("combobox", FIELDS.directory);
  await directory.focus();
  await directory.evaluate((field) => field.select());
  await keyboard.type(stage.place.project);
  await keyboard.press("Enter");
  const hash = await until("the run is shown", () => shown.hash(), (hash) => hash.startsWith("#/runs/"));
  await shown.settled(hash);
  await tabTo(shown, "the field", ({ name }) => name === FIELDS.say);
  await keyboard.type("Hello.");
  await tabTo(shown, "Send", ({ name }) => name === "Send");
  await keyboard.press("Space");
  await until("it is queued", () => shown.queued(), (queued) => queued.length === 1);
  const button = await shown.find("button", "Stop");
  await shown.page.evaluate(() => document.activeElement.blur());
  await tabTo(shown, "Stop", ({ name }) => name === "Stop");
  assert.ok(button);
  await keyboard.press("Enter");
  assert.match((await shown.ended()).title, /Stopped by you/);
});

test("the dialog keeps the focus, and gives it back where it came from", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  const { keyboard } = shown.page;
  for (const close of ["Escape", "Cancel"]) {
    await tabTo(shown, "Start…", ({ name }) => name === "Start…");
    await keyboard.press("Enter");
    await until("the dialog is open", () => shown.dialog());
    assert.equal((await focused(shown)).dialog, true, "it has the focus at once");
    for (let press = 0; press < 20; press += 1) {
      await keyboard.press("Tab");
      const now = await focused(shown);
      assert.ok(now.dialog || now.page, `the focus went to ${now.element} \`${now.name.slice(0, 40)}\``);
    }
    if (close === "Escape") await keyboard.press("Escape");
    else {
      await tabTo(shown, "Cancel", ({ name }) => name === "Cancel");
      await keyboard.press("Enter");
    }
    await until("the dialog is closed", () => shown.dialog(), (title) => title === null);
    assert.equal((await focused(shown)).name, "Start…");
    await shown.page.evaluate(() => document.activeElement.blur());
  }
});

test("the first Tab leads past the menu", async (stage) => {
  const shown = await stage.open(await stage.serve());
  await shown.page.evaluate(() => document.activeElement.blur());
  await tabTo(shown, "the way past", ({ name }) => /skip/i.test(name));
  const before = await shown.hash();
  await shown.page.keyboard.press("Enter");
  await until("the content has the focus", () => shown.page.evaluate(() => document.activeElement === document.querySelector("main")));
  assert.equal(await shown.hash(), before, "it is still the same view");
  assert.equal(await shown.heading(), "Recipes");
});

test("every field has a label, every button a name, every view one heading and a title of its own", async (stage) => {
  const titles = new Map();
  await everyView(stage, {}, async (view, shown) => {
    const found = await shown.page.evaluate(() => ({
      title: document.title,
      headings: [...document.querySelectorAll("h1")].filter((one) => one.checkVisibility()).length,
      language: document.documentElement.lang,
      levels: [...document.querySelectorAll("main :is(h1, h2, h3, h4, h5, h6)")]
        .filter((one) => one.checkVisibility() && !one.closest("[role=log]")).map((one) => Number(one.localName[1])),
      ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
    }));
    titles.set(view, found.title);
    assert.equal(found.headings, 1, `${view} has one h1`);
    assert.equal(found.language, "en");
    assert.deepEqual(found.ids.filter((id, index) => found.ids.indexOf(id) !== index), [], `${view}: ids are unique`);
    found.levels.reduce((above, level) => {
      assert.ok(level <= above + 1, `${view}: a heading level is skipped in ${found.levels}`);
      return level;
    }, 0);
    const nameless = [];
    const visit = (node) => {
      if (NAMED.includes(node.role) && !node.name?.trim()) nameless.push(node.role);
      node.children?.forEach(visit);
    };
    visit(await shown.page.accessibility.snapshot({ interestingOnly: false }));
    assert.deepEqual(nameless, [], `${view}: everything has a name`);
  });
  const distinct = ["pair", "recipes", "runs, empty", "recipe rebase", "recipe refine-design", "run, live", "run, happy"];
  assert.equal(new Set(distinct.map((view) => titles.get(view))).size, distinct.length, JSON.stringify([...titles]));
});
