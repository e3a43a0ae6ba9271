// Stopping a run.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("stopping ends the run and its agent, and the card says so", async (stage) => {
  const server = await stage.serve({ plan: { default: { act: "silence" } } });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  const { pid } = await until("the agent works", () => stage.place.calls().find(({ phase }) => phase === "began"));
  assert.ok(isAlive(pid));
  await shown.stop();
  const card = await shown.ended();
  assert.equal(card.kind, "stopped");
  assert.match(card.title, /Stopped by you/);
  assert.match(card.text, /user-requested/);
  await until("the agent is gone", () => !isAlive(pid));
  assert.equal(await shown.page.$('aria/Stop[role="button"]'), null, "there is nothing left to stop");
  const { run: { ending } } = await server.ask(`/api/runs/${run}`);
  assert.equal(ending.reason, "user-requested");
});

test("a run that another client stops is shown as stopped", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const first = await stage.open(server);
  const run = await first.start({ directory: stage.place.project });
  const second = await stage.open(server, { at: `#/runs/${run}` });
  assert.equal(await first.card(), null);
  await second.stop();
  assert.deepEqual(await first.ended(), await second.ended());
});

test("a stopped run can be resumed", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ act: "silence" }], default: {} } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await until("the agent works", () => stage.place.calls().length > 0);
  await shown.stop();
  const card = await shown.ended();
  assert.ok(card.actions.includes("Resume"), card.actions.join());
  await shown.press("Resume");
  const done = await until("it is done", () => shown.card(), (card) => card?.kind === "completed");
  assert.match(done.title, /Task committed/);
  assert.deepEqual((await shown.timeline()).map(({ step }) => step), ["implement", "code-review", "commit"]);
});
