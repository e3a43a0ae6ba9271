// The recipes and their graphs.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

// The outcome `other` may be left out of a graph if it comes from the guardrail: every step has it.
const implied = (outline, { name, next }) =>
  outline.guardrails.exit_on_other && name === "other" && next.exit?.code === "user-provided-other";

const overlap = (a, b) =>
  Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 0.5 && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 0.5;
const within = (inner, outer) =>
  inner.x >= outer.x - 0.5 && inner.y >= outer.y - 0.5
  && inner.x + inner.width <= outer.x + outer.width + 0.5 && inner.y + inner.height <= outer.y + outer.height + 0.5;

// All outlines, by id.
async function outlines(server) {
  const offered = await server.ask("/api/recipes");
  const list = offered.recipes ?? offered;
  return Promise.all(list.map(({ id }) => server.ask(`/api/recipes/${id}`)));
}

test("all recipes are listed with what they do", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  const all = await outlines(server);
  assert.equal(all.length, 8);
  const listed = await shown.recipes();
  assert.deepEqual(listed.map(({ id }) => id).sort(), all.map(({ id }) => id).sort());
  for (const { id, label, description, max_steps: most } of all) {
    const { label: heading, text } = listed.find((one) => one.id === id);
    assert.equal(heading, label);
    assert.ok(text.includes(description), `${id} is described`);
    assert.ok(text.includes(String(most)), `${id} says how many steps it takes at most`);
  }
});

test("a prompt that the operator changes is shown with its recipe, before it is used", async (stage) => {
  const folder = stage.place.path(`home/${process.platform === "darwin" ? "Library/Application Support" : ".config"}/surefire/prompts/implement-and-review`);
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  const text = () => shown.page.$eval("main", ({ textContent }) => textContent);
  assert.doesNotMatch(await text(), /prompt changed/);

  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "implement.md"), "Implement it our <b>way</b>.");
  await shown.goto("#/");
  await shown.openRecipe("Implement & Review");
  const changed = await until("it is read again", text, (words) => words.includes("prompt changed"));
  assert.match(changed, /implement first prompt changed .*Implement it our <b>way<\/b>\.The operator changed this prompt\. As it was compiled:/s);
  await shown.press("Start…");
  const preview = () => shown.page.$eval("dialog", ({ textContent }) => textContent);
  await until("the dialog shows it", preview, (words) =>
    words.includes("(step implement, changed by the operator)") && words.includes("Implement it our <b>way</b>."));
  await shown.press("Cancel");

  const again = await stage.open(server);
  const listed = (await again.recipes()).find(({ id }) => id === "implement-and-review");
  assert.ok(listed.text.includes("Prompts changed: implement"), listed.text);

  writeFileSync(join(folder, "implement.md"), "");
  await again.openRecipe("Implement & Review");
  const problem = await again.page.$eval("main .problem", ({ textContent }) => textContent);
  assert.match(problem, /^No run can begin: the prompt .*implement\.md` is blank; correct it/);
});

test("the list of recipes does not move when runs begin and end", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  for (const viewport of [PHONE, { width: 1280, height: 860 }]) {
    const [looking, working] = [await stage.open(server, { viewport }), await stage.open(server)];
    const seen = () => looking.page.evaluate(() => ({
      running: [...document.querySelectorAll("main .work a")].map(({ textContent }) => textContent),
      tops: [...document.querySelectorAll("main a.recipe")].map((card) => card.getBoundingClientRect().top),
    }));
    const before = await seen();
    assert.deepEqual([before.running.length, before.tops.length], [0, 8]);
    const run = await working.start({ directory: stage.place.project });
    const during = await until("the run is listed", seen, ({ running }) => running.length === 1);
    assert.match(during.running[0], /Implement & Review.*rehearsal.*step 1 of at most 7: implement · project/);
    assert.deepEqual(during.tops, before.tops);
    await working.goto(`#/runs/${run}`);
    await working.stop();
    assert.deepEqual(await until("it is over", seen, ({ running }) => running.length === 0), before);
  }
});

test("a graph has every step, every outcome, and every exit in its category", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  for (const outline of await outlines(server)) {
    await shown.goto("#/");
    await shown.openRecipe(outline.label);
    const { nodes, arrows, name } = await shown.picture();
    const steps = nodes.filter(({ kinds }) => kinds.includes("step")).map(({ label }) => label);
    assert.deepEqual(steps.sort(), outline.steps.map((step) => step.name).sort(), outline.id);
    const outcomes = outline.steps.flatMap((step) => step.outcomes.filter((outcome) => !implied(outline, outcome)));
    assert.deepEqual(arrows.map(({ label }) => label).sort(), outcomes.map((outcome) => outcome.name).sort(), outline.id);
    const legend = await shown.page.$$eval("main .legend li", (rows) => rows.map(({ className }) => className));
    const looks = ["completed", "waiting", "limited", "failed", "stopped", "restart"].filter((look) => nodes.some(({ kinds }) => kinds.includes(look)));
    assert.deepEqual(legend.sort(), looks.sort(), `${outline.id}: what is drawn is explained, and nothing else`);
    for (const { next } of outcomes) {
      if (next.exit) {
        const found = nodes.find(({ label, category }) => label.includes(next.exit.code) && category === next.exit.category);
        assert.ok(found, `${outline.id}: ${next.exit.code} looks ${next.exit.category}`);
        assert.equal(found.kinds.includes("completed"), next.exit.goal_met, `${outline.id}: ${next.exit.code}`);
      } else if (next.restart) {
        assert.ok(nodes.some(({ label, kinds }) => label.includes(next.restart) && kinds.includes("restart")), `${outline.id} restarts`);
      }
    }
    for (const step of outline.steps) assert.ok(name.includes(step.name), `${step.name} is in the graph's description`);
  }
});

for (const [where, viewport] of [["on a desktop", undefined], ["on a phone", PHONE]]) {
  test(`in no graph do boxes overlap or texts overflow, ${where}`, async (stage) => {
    const server = await stage.serve();
    const shown = await stage.open(server, { viewport });
    for (const { id, label } of await outlines(server)) {
      await shown.goto("#/");
      await shown.openRecipe(label);
      const { nodes, arrows, box } = await shown.picture();
      for (const [index, one] of nodes.entries()) {
        for (const other of nodes.slice(index + 1)) assert.ok(!overlap(one.box, other.box), `${id}: ${one.label} and ${other.label} overlap`);
        for (const arrow of arrows) assert.ok(!overlap(one.box, arrow.words[0]), `${id}: ${arrow.label} covers ${one.label}`);
      }
      for (const [index, one] of arrows.entries()) {
        for (const other of arrows.slice(index + 1)) {
          assert.ok(!overlap(one.words[0], other.words[0]), `${id}: ${one.label} and ${other.label} overlap`);
        }
      }
      for (const one of [...nodes, ...arrows]) {
        for (const words of one.words) assert.ok(within(words, one.box), `${id}: ${one.label} overflows its box`);
        assert.ok(within(one.box, box), `${id}: ${one.label} is outside of the graph`);
      }
    }
  });
}

test("the text in a graph can be read on a phone", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server, { viewport: PHONE });
  for (const { id, label } of await outlines(server)) {
    await shown.goto("#/");
    await shown.openRecipe(label);
    const { nodes, arrows } = await shown.picture();
    for (const one of [...nodes, ...arrows]) assert.ok(one.words[0].height >= 9, `${id}: ${one.label} is ${one.words[0].height} px high`);
  }
});

test("guardrails and the worst case are on the page", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  for (const outline of await outlines(server)) {
    await shown.goto("#/");
    await shown.openRecipe(outline.label);
    const text = await shown.page.evaluate(() => document.querySelector("main").innerText);
    assert.ok(text.includes(outline.description), outline.id);
    assert.match(text, new RegExp(`\\b${outline.max_steps}\\s+steps? at most`), `${outline.id}: the worst case`);
    const limits = Object.values(outline.guardrails).filter((value) => typeof value === "number");
    assert.ok(limits.length > 0);
    for (const limit of limits) assert.match(text, limit === 1 ? /\bonce\b|\b1\b/ : new RegExp(`\\b${limit}\\b`), `${outline.id}: ${limit}`);
  }
});

test("the rules for choosing an outcome are at its step and at its arrow", async (stage) => {
  const server = await stage.serve({ command: "examples/own_command" });
  const shown = await stage.open(server, { at: "#/recipes/check-release" });
  const outline = await server.ask("/api/recipes/check-release");
  const rules = outline.steps[0].outcomes.filter(({ description }) => description);
  assert.deepEqual(rules.map(({ name }) => name), ["ready", "mended", "rejected", "stuck"]);
  const listed = await shown.page.$$eval("main .gates li", (rows) => rows.map(({ textContent }) => textContent));
  const titles = await shown.page.$$eval("main .edge title", (titles) => titles.map(({ textContent }) => textContent));
  for (const { name, description } of rules) assert.ok(listed.includes(`${name}: ${description}`), name);
  assert.deepEqual(titles.sort(), rules.map(({ description }) => description).sort());
});
