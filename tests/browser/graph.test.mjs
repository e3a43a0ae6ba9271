// The graph fits its frame, zooms, and leads to the messages of a step.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

// The smallest readable font size.
const MIN_FONT_PX = 9;

// Positions may differ this much because of rounding.
const TOLERANCE_PX = 1;

// The positions of the graph and its frame, the size of the smallest font, and the steps in the
// frame.
const measured = (shown) => shown.page.$eval("main .frame", (frame) => {
  const plain = ({ left, top, right, bottom, width, height }) => ({ left, top, right, bottom, width, height });
  const graph = frame.querySelector("svg.graph");
  const [outer, inner] = [frame.getBoundingClientRect(), graph.getBoundingClientRect()];
  const scale = inner.width / graph.viewBox.baseVal.width;
  const letters = Math.min(...[...graph.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize))) * scale;
  const inside = (box) => box.left >= outer.left - 1 && box.right <= outer.right + 1 && box.top >= outer.top - 1 && box.bottom <= outer.bottom + 1;
  const steps = [...graph.querySelectorAll(".node.step")].filter((node) => inside(node.querySelector("rect").getBoundingClientRect()));
  return {
    frame: plain(outer), graph: plain(inner), scale, letters, width: innerWidth,
    steps: steps.map((node) => node.querySelector("text").textContent),
    scroll: [frame.scrollLeft, frame.scrollTop],
  };
});

const whole = ({ frame, graph }) => graph.left >= frame.left - TOLERANCE_PX && graph.right <= frame.right + TOLERANCE_PX
  && graph.top >= frame.top - TOLERANCE_PX && graph.bottom <= frame.bottom + TOLERANCE_PX;

const becomes = (shown, what, holds) => until(what, () => measured(shown), holds);

for (const [width, height] of [[1440, 900], [1010, 768], [768, 1024], [390, 844]]) {
  test(`in a window ${width} wide every graph is whole, or begins at its first step in readable text`, async (stage) => {
    const server = await stage.serve();
    const shown = await stage.open(server, { viewport: { width, height } });
    const fitted = [];
    for (const { id } of await shown.recipes()) {
      await shown.goto(`#/recipes/${id}`);
      const { initial } = await server.ask(`/api/recipes/${id}`);
      const first = await becomes(shown, `${id} is whole or at its first step`, (found) => whole(found) || found.steps.includes(initial));
      assert.ok(first.letters >= MIN_FONT_PX - 0.2, `${id}: its letters have ${first.letters} px`);
      assert.ok(first.frame.left >= 0 && first.frame.right <= width, `${id}: the frame is in the window`);
      if (whole(first)) fitted.push(id);
      await shown.press("Show the whole graph");
      const { scale } = await becomes(shown, `${id} is whole`, whole);
      assert.ok(scale <= 1);
      if (whole(first)) assert.equal(scale, first.scale, `${id}: it was whole at once`);
    }
    assert.ok(fitted.includes("retrospective") && fitted.includes("review-and-commit"), fitted.join());
    if (width > 1400) assert.ok(fitted.includes("implement-and-review"), fitted.join());
  });
}

test("a graph zooms by buttons, keys and the wheel, and its frame scrolls then", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server, { at: "#/recipes/implement-and-review" });
  const { scale: fitting } = await becomes(shown, "it is whole", whole);
  for (let press = 0; press < 3; press += 1) await shown.press("Zoom in");
  const large = await becomes(shown, "it is larger", ({ scale }) => scale > fitting * 1.9);
  assert.ok(!whole(large));
  const room = large.graph.width - large.frame.width;
  assert.ok(Math.abs(large.scroll[0] - room / 2) < 12, `the middle stays in the middle: ${large.scroll[0]} of ${room}`);
  await shown.page.$eval("main .frame", (frame) => frame.scrollTo(0, 0));
  await becomes(shown, "its left edge is there", ({ graph, frame }) => Math.abs(graph.left - frame.left) < TOLERANCE_PX);
  await shown.page.$eval("main .frame", (frame) => frame.scrollTo(frame.scrollWidth, frame.scrollHeight));
  await becomes(shown, "its right edge is there", ({ graph, frame }) => graph.right <= frame.right + TOLERANCE_PX && graph.bottom <= frame.bottom + TOLERANCE_PX);
  await shown.press("Zoom out");
  await becomes(shown, "it is smaller", ({ scale }) => scale < large.scale);

  await shown.page.focus("main .frame");
  await shown.page.keyboard.press("0");
  assert.equal((await becomes(shown, "it is whole again", whole)).scale, fitting);
  await shown.page.keyboard.press("-");
  assert.equal((await measured(shown)).scale, fitting, "it gets no smaller than its frame");
  await shown.page.keyboard.press("+");
  const { scale, frame } = await becomes(shown, "it is larger", (found) => found.scale > fitting);

  await shown.page.mouse.move(frame.left + 40, frame.top + 40);
  await shown.page.keyboard.down("Control");
  await shown.page.mouse.wheel({ deltaY: -200 });
  await shown.page.keyboard.up("Control");
  await becomes(shown, "it is larger still", (found) => found.scale > scale);
  assert.equal(await shown.page.evaluate(() => visualViewport.scale), 1, "the page itself is not zoomed");
});

test("the graph is fitted again when the window becomes smaller", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server, { at: "#/recipes/review-and-commit" });
  const { scale } = await becomes(shown, "it is whole", whole);
  await shown.page.setViewport({ width: 390, height: 844 });
  await becomes(shown, "it is whole and smaller", (found) => whole(found) && found.scale < scale);
  await shown.page.setViewport({ width: 1280, height: 240 });
  await becomes(shown, "it is in a low window", ({ frame }) => frame.height <= 240);
  await shown.press("Show the whole graph");
  await becomes(shown, "it is whole in a low window", whole);
});

test("on a phone the current step of a run stays in view where the whole graph is too small to read", async (stage) => {
  const server = await stage.serve({ script: "one-fix", pace: 100 });
  const shown = await stage.open(server, { viewport: { width: 390, height: 844, isMobile: true, hasTouch: true } });
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const seen = await becomes(shown, "its end is in view", ({ steps }) => steps.includes("commit"));
  assert.ok(!whole(seen) && seen.letters >= MIN_FONT_PX - 0.2);
  const reached = await shown.page.$eval("main .node.reached", (node) => node.getBoundingClientRect().right);
  assert.ok(reached <= seen.frame.right + TOLERANCE_PX, "the exit that was reached is in the frame");
});

// The focused message: its index among all prompts, and whether it is visible in its list and in
// the window.
const focused = (shown) => shown.page.evaluate(() => {
  const row = document.activeElement.closest("[role=log] > li");
  if (!row) return null;
  const list = row.parentElement;
  const [box, outer] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
  const head = row.querySelector(".who").getBoundingClientRect();
  return {
    prompt: [...list.querySelectorAll("li.user")].indexOf(row) + 1,
    marked: row.classList.contains("revealed"),
    marks: list.querySelectorAll(".revealed").length,
    seen: box.top >= outer.top - 1 && head.bottom <= outer.bottom + 1 && head.top >= 0 && head.bottom <= innerHeight,
  };
});

const reaches = (shown, prompt) => until(`prompt ${prompt} has the focus and is seen`, () => focused(shown), (found) =>
  found?.prompt === prompt && found.marked && found.marks === 1 && found.seen);

const node = (shown, step) => until(`${step} is drawn`, async () => {
  for (const one of await shown.page.$$("main .node.step")) {
    if (await one.evaluate((group) => group.querySelector("text").textContent) === step) return one;
  }
  return null;
});

// A run whose visits are implement, code-review, fix, code-review, commit, each with a long reply.
async function fixed(stage, viewport) {
  const reply = (outcome) => ({ text: `${"A long paragraph.\n\n".repeat(40)}\n\n\`\`\`json\n${JSON.stringify(outcome)}\n\`\`\`` });
  const found = { outcome: "issues-found", findings: ["A test is missing."] };
  const answers = [{ outcome: "complete" }, found, { outcome: "complete" }, { outcome: "no-issues" }, { outcome: "nothing-to-commit" }].map(reply);
  const server = await stage.serve({ plan: { answers } });
  const shown = await stage.open(server, { viewport });
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  await until("the conversation is complete", () => shown.conversation(), (rows) => rows.filter(({ prompt }) => prompt).length === 5);
  return shown;
}

for (const [where, viewport] of [["on a desktop", undefined], ["on a phone", { width: 390, height: 844, isMobile: true, hasTouch: true }]]) {
  test(`a visited step leads to its last visit, and a row of the timeline to its own, ${where}`, async (stage) => {
    const shown = await fixed(stage, viewport);
    const review = await node(shown, "code-review");
    assert.match(await review.evaluate((group) => group.getAttribute("aria-label")), /^code-review, visited 2 times/);
    await review.click();
    await reaches(shown, 4);
    await (await node(shown, "implement")).click();
    await reaches(shown, 1);
    const rows = await shown.page.$$('main ol[aria-label="What happened"] > li');
    for (const number of [2, 5, 3, 4, 1]) {
      await rows[number - 1].click();
      await reaches(shown, number);
    }
    assert.equal(await shown.hash(), await shown.page.evaluate(() => document.querySelector("main").dataset.address), "it is the same view");
  });
}

test("with the keyboard, Enter on a step or on a row of the timeline leads to its messages", async (stage) => {
  const shown = await fixed(stage);
  const at = () => shown.page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? "");
  const tabTo = (label) => until(`Tab comes to ${label}`, async () => {
    await shown.page.keyboard.press("Tab");
    return (await at()).startsWith(label);
  });
  await shown.page.focus("main .frame");
  await tabTo("fix, visited once");
  assert.equal(await shown.page.evaluate(() => document.activeElement.getAttribute("role")), "link");
  await shown.page.keyboard.press("Enter");
  await reaches(shown, 3);
  await shown.page.focus("main .frame");
  await tabTo("Step 2, code-review");
  await shown.page.keyboard.press("Enter");
  await reaches(shown, 2);
});

test("a step that was never visited is not a link", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await until("it is in the conversation", () => shown.conversation(), (rows) => rows.some(({ prompt }) => prompt));
  const links = () => shown.page.$$eval("main .node[role=link]", (nodes) => nodes.map((one) => one.querySelector("text").textContent));
  assert.deepEqual(await until("there is a link", links, ({ length }) => length > 0), ["implement"]);
  const commit = await node(shown, "commit");
  assert.equal(await commit.evaluate((group) => group.hasAttribute("tabindex")), false);
  await commit.click();
  assert.equal(await focused(shown), null);
  await (await node(shown, "implement")).click();
  await reaches(shown, 1);
  await shown.goto("#/recipes/implement-and-review");
  assert.deepEqual(await links(), [], "a recipe's own graph has no visits");
});
