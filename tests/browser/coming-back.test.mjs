// Reloads, lost connections and restarted servers: the page shows the current state.

import assert from "node:assert/strict";

import { FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { test } from "./stage.mjs";

const currentSteps = (visits) => visits.filter((visit) => visit.current).map(({ step }) => step);

test("a reload in the middle of a run shows the run as it is", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{}, { pick: "issues-found" }, { act: "silence" }], default: {} } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await until("it is at the third step", () => shown.timeline(), (visits) => currentSteps(visits).join() === "fix");
  // The agent is silent after the third prompt.
  const messages = await until("the prompt is shown", () => shown.conversation(), (rows) => rows.filter(({ prompt }) => prompt).length === 3);
  const before = { hash: await shown.hash(), visits: await shown.timeline(), messages };
  await shown.reload();
  const visits = await until("it is there again", () => shown.timeline(), (visits) => visits.length === 3);
  assert.deepEqual(visits, before.visits);
  assert.equal(await shown.hash(), before.hash);
  assert.deepEqual(await until("the conversation is complete", () => shown.conversation(), (rows) => rows.length >= before.messages.length), before.messages);
  assert.equal(await shown.card(), null);
});

test("a run that ends while no page is open is shown as ended", async (stage) => {
  const server = await stage.serve({ script: "one-fix", pace: 100 });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  await shown.page.close();
  stage.pages.pop();
  await until("it has ended", async () => (await server.ask(`/api/runs/${run}`)).run.ending);
  const other = await stage.open(server, { at: `#/runs/${run}` });
  assert.equal((await other.ended()).kind, "completed");
  assert.deepEqual((await other.timeline()).map(({ step }) => step), ["implement", "code-review", "fix", "code-review", "commit"]);
  const rows = await until("the conversation is complete", () => other.conversation(), (rows) => rows.filter(({ prompt }) => prompt).length === 5);
  assert.ok(rows.length > 5);
});

test("a recipe is shown as the server currently offers it", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server, { at: "#/recipes/implement-and-review" });
  const words = () => shown.page.$eval("main", (main) => main.textContent);
  stage.allowConnectionErrors(shown);
  await server.kill();
  const other = await stage.serve({ listen: server.address, command: "examples/own_command" });
  await until("it is gone", words, (words) => /no longer offers this recipe/.test(words));
  assert.match(await shown.page.title(), /^Not offered/);
  assert.equal(await shown.page.$('aria/Start…[role="button"]'), null);
  await other.kill();
  await stage.serve({ listen: server.address });
  await until("it is back", words, (words) => /Steps, their tools and prompts/.test(words));
  assert.match(await shown.page.title(), /^Implement & Review/);
  assert.equal((await shown.picture()).nodes.filter(({ kinds }) => kinds.includes("step")).length, 4);
});

test("after the server is killed and restarted, the page reconnects and the run continues", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  await until("it is at its first step", () => shown.timeline(), (visits) => currentSteps(visits).join() === "implement");
  await shown.page.evaluate(() => { globalThis.sameDocument = true; });
  stage.allowConnectionErrors(shown);
  await server.kill();
  await shown.lost();
  assert.equal(await shown.heading().then((words) => /Implement & Review/.test(words)), true, "what was known is still shown");
  await stage.serve({ script: "happy", listen: server.address });
  await shown.connected();
  const card = await shown.ended();
  assert.equal(card.kind, "completed");
  assert.deepEqual((await shown.timeline()).map(({ step }) => step), ["implement", "code-review", "commit"]);
  assert.equal(await shown.hash(), `#/runs/${run}`);
  assert.equal(await shown.page.evaluate(() => globalThis.sameDocument), true, "without a reload");
  const closed = (rows) => /committed successfully/.test(rows.at(-1)?.text);
  const rows = await until("the conversation is complete", () => shown.conversation(), closed);
  const before = rows.map(({ text }) => text);
  await shown.reload();
  const after = await until("all is there again", () => shown.conversation(), closed);
  assert.deepEqual(after.map(({ text }) => text), before, "nothing was shown twice, and nothing is missing");
});

test("an agent that finished while the server was down is not asked twice", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ delay_ms: 1500 }], default: {} } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await until("the agent works", () => stage.place.calls().length > 0);
  stage.allowConnectionErrors(shown);
  await server.kill();
  await shown.lost();
  await until("the agent has finished", () => stage.place.calls().some(({ phase }) => phase === "answered"));
  await stage.serve({ plan: { default: {} }, listen: server.address });
  assert.equal((await shown.ended()).kind, "completed");
  assert.deepEqual((await shown.timeline()).map(({ step }) => step), ["implement", "code-review", "commit"]);
  assert.equal(stage.place.calls().filter(({ phase }) => phase === "began").length, 3);
});

test("recipes that are switched off cannot be started, in any window", async (stage) => {
  const server = await stage.serve();
  const first = await stage.open(server);
  const second = await stage.open(server);
  await second.openRecipe("Implement & Review");
  await first.press(FIELDS.on, "switch");
  for (const shown of [first, second]) {
    await until("every window shows it", async () => (await shown.find("switch", FIELDS.on)).evaluate(({ checked }) => !checked));
  }
  const off = async () => (await second.find("button", "Start…")).evaluate((button) => button.disabled);
  await until("it is off in the other window", off);
  await first.press(FIELDS.on, "switch");
  await until("it is on again", async () => !(await off()));
});
