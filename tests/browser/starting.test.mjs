// Starting: what the agent will be told, where it goes on, and when nothing may start.

import assert from "node:assert/strict";

import { FIELDS } from "./page.mjs";
import { until } from "./patience.mjs";
import { test } from "./stage.mjs";

const ABOUT = "Only the cart.\n\nAnd **nothing** else, <please>.";

test("the preview is what the agent is told first, word for word", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await until("there is a preview without that", () => shown.preview(), (text) => text.length > 0 && !text.includes("Only the cart."));
  await shown.fill(FIELDS.about, ABOUT);
  const preview = await until("the preview has it", () => shown.preview(), (text) => text.includes("<please>."));
  await shown.submit({ directory: stage.place.project });
  const [first] = await until("the agent was told", () => shown.conversation(), (rows) => rows.length > 0);
  assert.equal(first.text, preview);
});

test("where nobody has worked yet, the dialog proposes a directory that works", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  const run = await shown.start();
  const { run: { working_directory: where } } = await server.ask(`/api/runs/${run}`);
  assert.equal(where, (await server.ask("/api/recipes")).working_directory);
  assert.equal((await shown.ended()).kind, "completed");
});

test("an answer goes into the same conversation, where what was said before is folded away", async (stage) => {
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
  const [told, ...others] = prompts(await until("it was told", () => shown.conversation(), (rows) => prompts(rows).length > 0));
  assert.match(told.text, /The way is free now\./);
  assert.deepEqual(others, [], "what belongs to the first run is not in the way");
  await shown.pressWhat(/^Show what was said before this run/);
  const both = prompts(await until("all is there", () => shown.conversation(), (rows) => prompts(rows).length === 2));
  assert.equal(both[1].text, told.text);
});

test("switching recipes off asks first while a run goes on, and then stops it", async (stage) => {
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

test("a start that is refused says why, and leaves whoever has no mouse where they were", async (stage) => {
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

test("the dialog lists what the agent may do, and the recipe's page what is looked up", async (stage) => {
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
