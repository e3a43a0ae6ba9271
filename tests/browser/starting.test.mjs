// Starting: the first prompt, the conversation that a run continues, and when nothing may start.

import assert from "node:assert/strict";

import { FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { test } from "./stage.mjs";

const ABOUT = "Only the cart.\n\nAnd **nothing** else, <please>.";

test("the preview is the agent's first prompt, word for word", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await until("there is a preview without that", () => shown.preview(), (text) => text.length > 0 && !text.includes("Only the cart."));
  await shown.fill(FIELDS.about, ABOUT);
  const preview = await until("the preview has it", () => shown.preview(), (text) => text.includes("<please>."));
  await shown.submit({ directory: stage.place.project });
  const [first] = await until("the prompt is shown", () => shown.conversation(), (rows) => rows.length > 0);
  assert.equal(first.text, preview);
});

test("without earlier sessions, the dialog proposes a directory that works", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  const run = await shown.start();
  const { run: { working_directory: where } } = await server.ask(`/api/runs/${run}`);
  assert.equal(where, (await server.ask("/api/recipes")).working_directory);
  assert.equal((await shown.ended()).kind, "completed");
});

test("an answer goes into the same conversation, where earlier messages are hidden", async (stage) => {
  const server = await stage.serve({ script: "blocked" });
  const shown = await stage.open(server);
  const first = await shown.start({ directory: stage.place.project });
  await shown.ended();
  await shown.press("Answer and start again");
  const directory = await shown.find("combobox", FIELDS.directory);
  assert.deepEqual(await directory.evaluate(({ value, disabled }) => ({ value, disabled })), { value: stage.place.project, disabled: true });
  const second = await shown.submit({ about: "The way is free now." });
  await shown.ended();
  const runs = await Promise.all([first, second].map(async (run) => (await server.ask(`/api/runs/${run}`)).run));
  assert.equal(runs[0].session_id, runs[1].session_id);
  const prompts = (rows) => rows.filter(({ prompt }) => prompt);
  const [sent, ...others] = prompts(await until("the prompt is shown", () => shown.conversation(), (rows) => prompts(rows).length > 0));
  assert.match(sent.text, /The way is free now\./);
  assert.deepEqual(others, [], "the messages of the first run are hidden");
  await shown.pressMatching(/^Show messages from before this run/);
  const both = prompts(await until("all is there", () => shown.conversation(), (rows) => prompts(rows).length === 2));
  assert.equal(both[1].text, sent.text);
});

test("switching recipes off during a run needs a confirmation, and then stops it", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.press(FIELDS.on, "switch");
  assert.match(await until("it asks", () => shown.dialog()), /Switch recipes off/);
  await shown.press("Cancel");
  assert.equal(await shown.card(), null);
  assert.equal((await server.ask("/api/recipes")).enabled, true);
  await shown.press(FIELDS.on, "switch");
  await shown.press("Switch off");
  assert.equal((await shown.ended()).reason, "user-requested");
  assert.equal((await server.ask("/api/recipes")).enabled, false);
  const disabled = () => shown.page.$$eval("[data-reason] button", (found) => found.map((one) => one.disabled));
  await until("nothing can be started", disabled, (found) => found.length === 2 && found.every(Boolean));
  await shown.press(FIELDS.on, "switch");
  await until("it can again", disabled, (found) => !found.some(Boolean));
});

test("a start that is refused says why, and the focus stays on its button", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, "/nowhere/at/all", "combobox");
  await shown.press("Start");
  assert.match(await until("it says why not", () => shown.alert()), /nowhere/);
  assert.equal(await shown.page.evaluate(() => document.activeElement.textContent), "Start");
});

test("a conversation can be chosen as soon as its run has ended", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  await shown.goto("#/");
  await shown.openRecipe("Retrospective");
  await shown.press("Start…");
  const conversations = await shown.find("combobox", "Conversation");
  const offered = () => conversations.evaluate(({ options: [, ...sessions] }) => sessions.map((one) => [one.disabled, /busy/.test(one.textContent)]));
  assert.deepEqual(await offered(), [[true, true]]);
  const other = await stage.open(server, { at: `#/runs/${run}` });
  await other.stop();
  await until("it is free", offered, ([one]) => one.join() === "false,false");
});

test("the dialog lists what the agent may do, and the recipe's page what the engine checks", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  const gates = () => shown.page.evaluate(() => [...document.querySelectorAll(".gates")].map(({ textContent }) => textContent));
  const [, review, , commit] = await gates();
  assert.match(review, /^The agent may read, and use .*cargo test \*/);
  assert.doesNotMatch(review, /edit/);
  assert.match(commit, /^The agent may read, and use git add \*, git commit \*, .*committed counts only if the engine finds commit\./);
  assert.match(commit, /nothing-to-commit counts only if the engine finds no_commit, clean\./);
  await shown.press("Start…");
  const listed = (await gates()).at(-1);
  assert.match(listed, /At implement: the agent may read and edit files, and use .*cargo build \*/);
  assert.match(listed, /At commit: the agent may read, and use git add \*, git commit \*/);
});

// The spec with which the server started a run.
const specOf = async (server, run) => (await server.ask(`/api/runs/${run}`)).events[0].order;

test("task, directory, model, budget and time reach the server", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  const first = await shown.page.evaluate(() => document.activeElement.closest("label").firstChild.textContent);
  assert.equal(first, FIELDS.about, "the task is the first field, and has the focus");
  await shown.openMore();
  await shown.fill("Model", "opus", "combobox");
  await shown.fill("Budget in dollars", "$2.50");
  await shown.fill("Time", "1h 30m");
  const run = await shown.submit({ directory: stage.place.project, about: "Only the cart." });
  const spec = await specOf(server, run);
  assert.equal(spec.about, "Only the cart.");
  assert.equal(spec.directory, stage.place.project);
  assert.equal(spec.model, "opus");
  assert.equal(spec.limits.budget_usd, 2.5);
  assert.deepEqual(spec.limits.time, { secs: 5400, nanos: 0 });
});

test("fields that are left empty set no limit and no model", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  const spec = await specOf(server, await shown.start({ directory: stage.place.project }));
  assert.equal(spec.model ?? null, null);
  assert.equal(spec.limits.budget_usd ?? null, null);
});

test("an invalid value is rejected next to its field, before anything is sent", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.openMore();
  const wrong = { "Working directory": ["  ", "combobox"], "Budget in dollars": ["-1"], Time: ["90"] };
  for (const [name, [text, role]] of Object.entries(wrong)) await shown.fill(name, text, role);
  await shown.press("Start");
  const problems = () => shown.page.$$eval("dialog[open] .field:has([aria-invalid])", (fields) => Object.fromEntries(fields.map((field) =>
    [field.querySelector("label > span").textContent, field.querySelector(".problem").textContent])));
  assert.deepEqual(await problems(), {
    "Working directory": "Enter the directory that the agent works in.",
    "Budget in dollars": "Enter an amount above 0, such as 2.50.",
    Time: "Enter a time with its unit, such as 45m, 2h or 1h 30m.",
  });
  assert.match(await shown.page.evaluate(() => document.activeElement.closest("label").textContent), /^Working directory/);
  assert.deepEqual((await server.ask("/api/runs")).runs, []);
  await shown.fill("Budget in dollars", "3");
  assert.deepEqual(Object.keys(await problems()), ["Working directory", "Time"], "a field that was changed is no longer marked");
});

test("directories of earlier runs can be chosen", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  await shown.reload();
  await shown.goto("#/");
  await shown.openRecipe("Retrospective");
  await shown.press("Start…");
  const offered = () => shown.page.$eval("dialog[open] input[list=places]", ({ list }) => [...list.options].map(({ value }) => value));
  assert.ok((await offered()).includes(stage.place.project));
  assert.equal(new Set(await offered()).size, (await offered()).length, "each once");
});

test("the dialog says when a task is required", async (stage) => {
  const hint = (shown) => shown.page.$eval("dialog[open] textarea", (field) =>
    [field.ariaRequired, document.getElementById(field.getAttribute("aria-describedby").split(" ")[0]).textContent]);
  const opened = async (server, recipe) => {
    const shown = await stage.open(server);
    await shown.openRecipe(recipe);
    await shown.press("Start…");
    return hint(shown);
  };
  const server = await stage.serve({ plan: { turns: [] } });
  const [required, words] = await opened(server, "Implement & Review");
  assert.equal(required, "true");
  assert.match(words, /^Required in a new conversation/);
  assert.equal((await opened(server, "Retrospective"))[0], "false");
  const rehearsal = await stage.another().serve();
  assert.match((await opened(rehearsal, "Implement & Review"))[1], /^Optional/);
});
