// A long conversation: all of it arrives, in order, in a page that stays usable.

import assert from "node:assert/strict";

import { CONVERSATION } from "./page.mjs";
import { until } from "./until.mjs";
import { test } from "./stage.mjs";

const MANY = 2000;
const PASSAGES = Array.from({ length: MANY }, (_, index) =>
  `Passage **${index}** of many, with some \`code\` and a [link](https://example.org/${index}).`);

// The numbers of the passages that are shown, in their order.
const numbers = (shown) => shown.page.$eval(CONVERSATION, (log) =>
  [...log.children].map((row) => /Passage (\d+) of many/.exec(row.textContent)?.[1]).filter(Boolean).map(Number));

const ALL = Array.from({ length: MANY }, (_, index) => index);

// Counts how many rows are added per frame. Runs in the page.
function countedByFrame(conversation) {
  globalThis.drawn = { most: 0, longest: 0 };
  let before = 0;
  const frame = () => {
    const rows = document.querySelector(conversation)?.children.length ?? 0;
    globalThis.drawn.most = Math.max(globalThis.drawn.most, rows - before);
    before = rows;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.drawn.longest = Math.max(globalThis.drawn.longest, duration);
  }).observe({ entryTypes: ["longtask"] });
}

test("two thousand messages arrive in order while the page stays usable", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ passages: PASSAGES }], default: {} } });
  const shown = await stage.open(server);
  await shown.page.evaluate(countedByFrame, CONVERSATION);
  await shown.page.evaluateOnNewDocument(countedByFrame, CONVERSATION);
  await shown.start({ directory: stage.place.project, recipe: "Retrospective" });
  await until("all is there", () => numbers(shown), ({ length }) => length === MANY);
  assert.deepEqual(await numbers(shown), ALL);
  assert.equal((await shown.ended()).kind, "completed");
  await aFewAtOnce(stage, shown);

  await shown.reload();
  await until("all is there again", () => numbers(shown), (found) => found.length === MANY);
  assert.deepEqual(await numbers(shown), ALL);
  await aFewAtOnce(stage, shown);
});

async function aFewAtOnce(stage, shown) {
  const { most, longest } = await shown.page.evaluate(() => globalThis.drawn);
  assert.ok(most > 0 && most <= 100, `rows are drawn a few per frame, so that the page stays responsive; there were ${most} at once`);
  stage.t.diagnostic(`at most ${most} rows in one frame; the longest task took ${Math.round(longest)} ms`);
}

test("a reader who has scrolled up stays there, and one at the end stays at the end", async (stage) => {
  const gap = (log) => log.scrollHeight - log.scrollTop - log.clientHeight;
  const some = (from) => PASSAGES.slice(from, from + 100);
  const server = await stage.serve({
    plan: {
      when: [
        { contains: "More, please", answer: { passages: some(100) } },
        { contains: "Still more", answer: { passages: some(200) } },
      ],
      default: { passages: some(0) },
    },
  });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project, recipe: "Retrospective" });
  await shown.ended();
  await until("the first part is there", () => numbers(shown), (found) => found.length === 100);
  await until("it is at the end", () => shown.page.$eval(CONVERSATION, gap), (left) => left < 4);

  await shown.sendPrompt("More, please.");
  await until("the second part is there", () => numbers(shown), (found) => found.length === 200);
  await until("it is still at the end", () => shown.page.$eval(CONVERSATION, gap), (left) => left < 4);

  const row = (await shown.page.$$(`${CONVERSATION} > li`))[40];
  await row.evaluate((one) => one.scrollIntoView({ block: "start" }));
  const place = () => row.evaluate((one) => Math.round(one.getBoundingClientRect().top - one.parentElement.getBoundingClientRect().top));
  // The rows above it get their real height once they are drawn.
  await shown.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const before = await place();
  await shown.sendPrompt("Still more.");
  await until("the third part is there", () => numbers(shown), (found) => found.length === 300);
  assert.deepEqual(await numbers(shown), ALL.slice(0, 300));
  assert.equal(await place(), before);
});

test("many browsers that connect at once all get the page", async (stage) => {
  const server = await stage.serve();
  await Promise.all(Array.from({ length: 6 }, () => stage.open(server)));
});
