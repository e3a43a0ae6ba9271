// What to do next: after every end there is something, and limits that were hit can be raised.

import assert from "node:assert/strict";

import { until } from "./patience.mjs";
import { test } from "./stage.mjs";

test("after every reason of the registry there is something to do, and never more than three things", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  const reasons = await server.ask("/api/exit-reasons");
  const advised = await shown.page.evaluate(async (reasons) => {
    const { advice } = await import("/console/advice.js");
    return reasons.map((reason) => advice({ ending: { ...reason, reason: `${reason.code}:fix` }, limits: {}, turns: 1, cost: 1 }, true));
  }, reasons);
  assert.equal(advised.length, reasons.length);
  for (const [index, { code, goal_met: met, category }] of reasons.entries()) {
    const acts = advised[index].map(({ act }) => act);
    assert.ok(acts.length >= 1 && acts.length <= 3, `${code}: ${acts}`);
    assert.equal(new Set(acts).size, acts.length, `${code}: ${acts}`);
    if (met) assert.deepEqual(acts, ["again"], code);
    assert.ok(category !== "error" || acts.includes("again"), `${code}: ${acts}`);
  }
  const raises = ({ limits }) => Object.keys(limits ?? {}).length > 0;
  const raised = reasons.filter((_, index) => advised[index].some(raises)).map(({ code }) => code);
  assert.deepEqual(raised.sort(), ["cost_budget", "max-step-visits-exceeded", "max-total-steps", "max_ticks", "timeout"]);
});

test("a limit that was set in a terminal can be raised here, as often as it is hit", async (stage) => {
  const server = await stage.serve();
  const words = ["run", "implement-and-review", "--dir", stage.place.project, "--max-ticks", "1", "--agent", "rehearsal"];
  assert.equal(await stage.place.command(words), 125);
  const [{ run_id: run }] = (await server.ask("/api/runs")).runs;
  const shown = await stage.open(server, { at: `#/runs/${run}` });
  assert.equal((await shown.ended()).reason, "max_ticks");
  await shown.press("Allow 2 turns and resume");
  await until("it has gone on", () => shown.timeline(), (visits) => visits.length === 3);
  await shown.press("Allow 4 turns and resume");
  const card = await until("it has reached its goal", () => shown.card(), (card) => card?.reason === "task-committed");
  assert.equal(card.kind, "met");
});
