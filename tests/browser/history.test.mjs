// Past runs: the list, the search, and the views of single runs.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

// Three runs of two recipes, with two exit reasons.
async function past(stage) {
  const runs = {};
  let server = await stage.serve({ script: "happy" });
  let shown = await stage.open(server);
  runs.done = await shown.start({ directory: stage.place.project });
  await shown.ended();
  runs.reviewed = await shown.start({ directory: stage.place.project, recipe: "Review & Commit" });
  await shown.ended();
  await shown.page.close();
  await server.kill();
  server = await stage.serve({ script: "never-satisfied" });
  shown = await stage.open(server);
  runs.tripped = await shown.start({ directory: stage.place.project });
  await shown.ended();
  return { server, shown, runs };
}

const ids = (found) => found.map(({ id }) => id);

test("runs are found by recipe and by reason", async (stage) => {
  const { shown, runs } = await past(stage);
  await shown.goto("#/runs");
  const all = await until("all are there", () => shown.runs(), (found) => found?.length === 3);
  assert.deepEqual(ids(all), [runs.tripped, runs.reviewed, runs.done], "the newest first");
  assert.match(all[0].text, /Step visited too often/);
  assert.match(all[1].label, /Review & Commit/);

  await shown.choose("Recipe", "implement-and-review");
  await until("those of one recipe", async () => ids((await shown.runs()) ?? []), (found) => found.join() === [runs.tripped, runs.done].join());
  await shown.choose("Ended with", "task-committed");
  await until("and of one reason", async () => ids((await shown.runs()) ?? []), (found) => found.join() === runs.done);
  await shown.choose("Recipe", "");
  await shown.choose("Ended with", "max-step-visits-exceeded");
  await until("of a reason that names its step", async () => ids((await shown.runs()) ?? []), (found) => found.join() === runs.tripped);
  await shown.choose("Recipe", "rebase");
  await until("there are none", () => shown.runs(), (found) => found?.length === 0);
  assert.match(await shown.page.evaluate(() => document.querySelector("main").innerText), /no run/i);

  await shown.choose("Recipe", "implement-and-review");
  await until("one again", () => shown.runs(), (found) => found?.length === 1);
  await shown.reload();
  await until("a reload keeps the search", async () => ids((await shown.runs()) ?? []), (found) => found.join() === runs.tripped);
});

// The cells of the runs that are listed.
const cells = (shown) => shown.page.$$eval("main tr[data-run]", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));

test("a row identifies its run, and runs are found by text", async (stage) => {
  const server = await stage.serve({ script: "happy" });
  const shown = await stage.open(server);
  const directory = stage.place.project;
  const rounding = await shown.start({ directory, about: "Fix the ROUNDING in cart.rs\nand test it" });
  await shown.ended();
  const tax = await shown.start({ directory, about: "Add a tax field", recipe: "Review & Commit" });
  await shown.ended();
  await shown.goto("#/runs");
  await until("both are there", () => shown.runs(), (found) => found?.length === 2);
  const [[newest], [run, end, steps, took, cost, began, where]] = await cells(shown);
  assert.match(newest, /Add a tax field/);
  assert.match(run, /Implement & Review/);
  assert.ok(run.includes(rounding.slice(0, 8)) && !run.includes(rounding.slice(0, 9)), "the short id");
  assert.match(run, /Fix the ROUNDING in cart\.rs$/, "the first line of the task");
  assert.match(end, /Task committed/);
  assert.match(steps, /^\d+ steps$/);
  assert.match(took, /^\d+ (ms|s)$/);
  assert.match(cost, /^(\$\d+\.\d\d|–)$/);
  assert.match(began, /ago|just now/);
  assert.equal(where, directory);

  const finds = async (text, expected) => {
    await shown.fill("Search", text, "searchbox");
    await until(`${text} finds what it should`, async () => ids((await shown.runs()) ?? []).join(), (found) => found === expected.join());
  };
  await finds("rounding", [rounding]);
  await finds("field tax", [tax]);
  await finds("commit tax", [tax]);
  await finds("task committed", [rounding]);
  await finds(tax.slice(0, 8), [tax]);
  await finds("and test it", [rounding]);
  await shown.reload();
  await until("a reload keeps the search", async () => ids((await shown.runs()) ?? []).join(), (found) => found === rounding);
  await finds("no such words", []);
  assert.match(await shown.page.$eval("main", (main) => main.innerText), /No runs match/);
});

test("the beginning of an id leads to its run", async (stage) => {
  const server = await stage.serve({ script: "happy" });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  await shown.ended();
  for (const part of [run.slice(0, 8), run.slice(0, 8).toUpperCase(), run.slice(0, 4), run.slice(0, 20)]) {
    await shown.goto("#/runs");
    await shown.goto(`#/runs/${part}`);
    assert.match(await shown.heading(), /^Implement & Review/, part);
  }
  const unknown = run.startsWith("0000") ? "ffff" : "0000";
  await shown.page.evaluate((unknown) => { location.hash = `#/runs/${unknown}`; }, unknown);
  await until("it says that there is no such run", () => shown.alert(), (words) => words.includes(`begins with ${unknown}`));
});

test("if several ids begin alike, their runs are listed", async (stage) => {
  const server = await stage.serve({ script: "happy" });
  const shown = await stage.open(server);
  const runs = [];
  for (let number = 0; number < 2; number += 1) {
    runs.push(await shown.start({ directory: stage.place.project }));
    await shown.ended();
  }
  // Ids are random and seldom begin alike, so the test supplies the server's answer.
  const listed = await shown.page.evaluate(async () => {
    const { found } = await import("/console/views/found.js");
    const { Api } = await import("/console/api.js");
    const api = new Api(localStorage.getItem("surefire-browser"));
    const all = await api.runs({});
    const view = await found({ api: { runs: async () => all } }, "abcd", () => null);
    return [...view.element.querySelectorAll("a")].map((link) => link.hash);
  });
  assert.deepEqual(listed, runs.reverse().map((run) => `#/runs/${run}`));
});

test("a past run is opened with everything that happened in it", async (stage) => {
  const { shown, server, runs } = await past(stage);
  await shown.goto("#/runs");
  await until("all are there", () => shown.runs(), (found) => found?.length === 3);
  for (const [id, recipe] of [[runs.tripped, "implement-and-review"], [runs.reviewed, "review-and-commit"]]) {
    await shown.goto("#/runs");
    await until("it can be opened", async () => {
      const link = await shown.page.$(`main a[href="#/runs/${id}"]`);
      return link && shown.touch(link);
    });
    await shown.settled(`#/runs/${id}`);
    const card = await shown.ended();
    const { run, events } = await server.ask(`/api/runs/${id}`);
    assert.equal(run.recipe_id, recipe);
    assert.equal(card.title, run.ending.title);
    const steps = events.flatMap(({ event, step, to }) => (event === "started" ? [step] : event === "moved" ? [to] : []));
    assert.deepEqual((await shown.timeline()).map(({ step }) => step), steps);
    const rows = await until("the conversation is complete", () => shown.conversation(), (rows) => rows.filter(({ prompt }) => prompt).length === steps.length);
    assert.ok(rows[0].prompt, "it begins with a prompt");
  }
});

test("the list is updated while it is shown", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server, { at: "#/runs" });
  assert.deepEqual(await shown.runs(), []);
  const other = await stage.open(server);
  const run = await other.start({ directory: stage.place.project });
  const [one] = await until("it is listed", () => shown.runs(), (found) => found?.length === 1);
  assert.equal(one.id, run);
  assert.match(one.text, /implement/);
  await other.stop();
  await until("its end is listed", () => shown.runs(), (found) => /Stopped by you/.test(found?.[0]?.text));
});

test("the list can be extended up to the oldest run", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  await shown.ended();
  const { runs: [one] } = await server.ask("/api/runs");
  assert.equal(one.run_id, run);
  // A test cannot wait for so many runs, so it answers like the endpoint: newest first, at most a
  // thousand per answer.
  const all = Array.from({ length: 2_345 }, (_, n) => ({ ...one, run_id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}` }));
  await shown.page.setRequestInterception(true);
  shown.page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname !== "/api/runs") return request.continue();
    const before = url.searchParams.get("before");
    const from = before ? all.findIndex(({ run_id }) => run_id === before) + 1 : 0;
    const limit = Math.min(Number(url.searchParams.get("limit") ?? 100), 1_000);
    return request.respond({ contentType: "application/json", body: JSON.stringify({ runs: all.slice(from, from + limit) }) });
  });
  await shown.goto("#/runs");
  const listed = (number) => until(`${number} are there`, () => shown.runs(), (found) => found?.length === number);
  const more = () => shown.page.evaluate(() => {
    const button = [...document.querySelectorAll("main button")].find(({ textContent }) => textContent === "Show more");
    if (button.hidden) return false;
    button.click();
    return true;
  });
  await listed(100);
  assert.ok(await more());
  await listed(1_100);
  await shown.reload();
  await listed(1_100);
  assert.ok(await more());
  await listed(2_100);
  assert.ok(await more());
  const found = await listed(2_345);
  assert.deepEqual(found.map(({ id }) => id), all.map(({ run_id }) => run_id), "each once, in order");
  assert.equal(await more(), false, "there are no more");
});

test("going back restores the scroll position, even from a shorter page", async (stage) => {
  const { shown } = await past(stage);
  await shown.page.setViewport({ width: 390, height: 300 });
  await shown.goto("#/runs");
  await shown.choose("Recipe", "implement-and-review");
  await until("those of one recipe are there", () => shown.runs(), (found) => found?.length === 2);
  const down = () => shown.page.evaluate(() => scrollY);
  await shown.page.evaluate(() => new Promise((resolve) => {
    addEventListener("scrollend", resolve, { once: true });
    scrollTo(0, 150);
  }));
  shown.expectedErrors.push(/status of 400/);
  await shown.page.evaluate(() => { location.hash = "#/runs/nothing-like-that"; });
  await until("it says so", () => shown.alert());
  assert.equal(await down(), 0, "a new view begins at its top");
  await shown.page.goBack();
  await until("they are there again", () => shown.runs(), (found) => found?.length === 2);
  await until("the scroll position is restored", down, (pixels) => pixels === 150);
});

test("going back and forward shows the previous and the next view", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  await shown.page.goBack();
  await until("the recipe is shown", async () => (await shown.heading()) === "Implement & Review" && (await shown.card()) === null);
  await shown.page.goBack();
  await until("the recipes are shown", () => shown.heading(), (words) => words === "Recipes");
  await shown.page.goForward();
  await until("the recipe is shown again", () => shown.heading(), (words) => words === "Implement & Review");
});
