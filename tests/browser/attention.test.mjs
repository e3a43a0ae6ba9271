// The tab's title and icon say when a run needs a person, and only then.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

// What the browser shows of a background tab, and the number beside the link to the runs.
const tab = async (shown) => ({
  title: await shown.page.title(),
  icon: await shown.page.$eval("link[rel=icon]", (link) => link.getAttribute("href")),
  number: await shown.page.$eval('nav a[href="#/runs"]', (link) => link.dataset.needs ?? null),
});

const CALM = { icon: "/console/icon.svg", number: null };
const CALLING = { icon: "/console/icon-attention.svg", number: "1" };

const becomes = (shown, wanted) => until(`the tab is called ${wanted.title}`, () => tab(shown), (found) =>
  Object.entries(wanted).every(([name, value]) => found[name] === value));

// An agent whose reply cannot be read until the run fails; resumed, it is silent.
const GARBLED = { answers: [...Array(4).fill({ text: "no report" }), { act: "silence" }] };

test("the tab says that a run needs a person, until the run is resumed", async (stage) => {
  const server = await stage.serve({ plan: GARBLED });
  // Two browsers: what one has seen does not count as seen in the other.
  const [shown, other] = [await stage.open(server), await stage.open(server)];
  await becomes(other, { title: "Recipes · Surefire", ...CALM });
  await shown.start({ directory: stage.place.project });
  const { title } = await shown.ended();
  await becomes(shown, { title: `● Needs you · ${title} · Implement & Review · Surefire`, ...CALLING });
  await becomes(other, { title: "● Needs you: Implement & Review · Recipes · Surefire", ...CALLING });
  const icon = await other.page.evaluate(async () => (await fetch(document.querySelector("link[rel=icon]").href)).headers.get("content-type"));
  assert.equal(icon, "image/svg+xml");
  await other.reload();
  await becomes(other, { title: "● Needs you: Implement & Review · Recipes · Surefire", ...CALLING });
  await shown.press("Resume");
  await becomes(shown, { title: "implement · Implement & Review · Surefire", ...CALM });
  await becomes(other, { title: "Recipes · Surefire", ...CALM });
});

test("several runs that need a person are counted, each until the user has opened and left it", async (stage) => {
  const server = await stage.serve({ script: "garbage" });
  const [shown, other] = [await stage.open(server), await stage.open(server)];
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  await shown.start({ directory: stage.place.project, recipe: "Refine Design" });
  await shown.ended();
  await becomes(other, { title: "● 2 runs need you · Recipes · Surefire", number: "2" });
  await other.goto("#/runs");
  const [{ id }] = await until("there are two", () => other.runs(), ({ length }) => length === 2);
  await other.goto(`#/runs/${id}`);
  await becomes(other, { number: "2" });
  await other.goto("#/runs");
  await becomes(other, { title: "● Needs you: Implement & Review · Runs · Surefire", ...CALLING });
  await other.reload();
  await becomes(other, { title: "● Needs you: Implement & Review · Runs · Surefire", ...CALLING });
});

test("a run that is completed, stopped or paused needs no person", async (stage) => {
  for (const script of ["happy", "slow", "rate-limited"]) {
    const place = stage.another();
    const server = await place.serve({ script });
    const [shown, other] = [await stage.open(server), await stage.open(server)];
    await shown.start({ directory: place.project });
    if (script === "slow") await shown.stop();
    const { title } = await shown.ended();
    // By then the other page has received the end too.
    await other.goto("#/runs");
    await until("the end is listed", () => other.runs(), ([run]) => run?.text.includes(title));
    await becomes(shown, { title: `${title} · Implement & Review · Surefire`, ...CALM });
    assert.deepEqual(await tab(other), { title: "Runs · Surefire", ...CALM }, script);
  }
});
