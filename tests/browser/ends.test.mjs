// How runs end, and what the user can do then.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

const REVIEWS = ({ step }) => step === "code-review";

// Runs a recipe to its end.
async function ended(stage, script, recipe) {
  const server = await stage.serve({ script });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project, recipe });
  return { server, shown, run, card: await shown.ended() };
}

// The card shows everything that the server knows about the end.
async function showsEverything({ server, run, card }, kind) {
  const { run: { ending }, view: { end, next, status } } = await server.ask(`/api/runs/${run}`);
  assert.equal(card.kind, kind);
  assert.equal(status.name, kind);
  assert.ok(card.kinds.includes(kind), "the category has a look of its own");
  assert.equal(card.category, ending.category);
  assert.equal(card.reason, ending.reason);
  assert.equal(card.title, ending.title);
  for (const words of [end.message, ending.reason, ending.category, end.hint.replaceAll("`", ""), `exit status ${ending.exit_code}`]) {
    assert.ok(card.text.includes(words), `${words} is on the card`);
  }
  assert.deepEqual(card.actions, next.map(({ label }) => label));
  assert.ok(card.actions.length >= 1 && card.actions.length <= 3, card.actions.join());
  return ending;
}

test("a run that reached its goal says so, and can be started again", async (stage) => {
  const all = await ended(stage, "happy");
  await showsEverything(all, "completed");
  const { shown, run } = all;
  await shown.press("Start again");
  assert.match(await until("the dialog is open", () => shown.dialog()), /Implement & Review/);
  const again = await shown.submit({});
  assert.notEqual(again, run);
  await shown.ended();
});

test("a tripped guardrail is shown as one, and raising it resumes the run", async (stage) => {
  const all = await ended(stage, "never-satisfied");
  const ending = await showsEverything(all, "limited");
  assert.equal(ending.reason, "max-step-visits-exceeded:code-review");
  const { shown, server, run, card } = all;
  const before = (await shown.timeline()).filter(REVIEWS).length;
  const raise = card.actions.find((action) => /allow/i.test(action));
  await shown.press(raise);
  const reviewed = (visits) => visits.filter(REVIEWS).length === before + 2;
  await until("there were two more visits", () => shown.timeline(), reviewed);
  await shown.ended();
  const visits = await shown.timeline();
  assert.ok(reviewed(visits), "and not more");
  assert.match(visits.flatMap(({ remarks }) => remarks).join(" "), /resumed/);
  assert.equal((await shown.ended()).kind, "limited");
  const { run: { step_count: steps } } = await server.ask(`/api/runs/${run}`);
  assert.equal(visits.length, steps);
});

test("an error is shown as one, with its cause, and the run can be resumed", async (stage) => {
  const all = await ended(stage, "garbage");
  const ending = await showsEverything(all, "failed");
  assert.equal(ending.reason, "orchestration-error");
  const { shown, server, run } = all;
  assert.ok(all.card.text.includes(ending.description), "it says what was wrong");
  const resumed = async () => (await server.ask(`/api/runs/${run}`)).events.filter(({ event }) => event === "resumed").length;
  assert.equal(await resumed(), 0);
  await shown.press("Resume");
  await until("it was resumed", resumed, (count) => count === 1);
  await until("it ends again", async () => (await server.ask(`/api/runs/${run}`)).run.ending);
  await until("it is shown", () => shown.timeline(), (visits) => /resumed/.test(visits.at(-1)?.remarks.join(" ")));
  assert.equal((await shown.ended()).kind, "failed");
});

for (const [script, recipe] of [["blocked", "Implement & Review"], ["questions", "Break Down Tasks"], ["not-found", "Refine Design"]]) {
  test(`a run that waits for a person says so (${script})`, async (stage) => {
    const all = await ended(stage, script, recipe);
    const ending = await showsEverything(all, "waiting");
    assert.equal(ending.goal_met, false);
    await all.shown.press("Start again");
    assert.ok(await until("the dialog is open", () => all.shown.dialog()));
    await all.shown.press("Cancel");
    await until("it is closed", () => all.shown.dialog(), (title) => title === null);
  });
}

test("having nothing to do is not a failure", async (stage) => {
  const ending = await showsEverything(await ended(stage, "no-tasks"), "completed");
  assert.equal(ending.reason, "no-tasks-available");
});

test("the agent's own words are on the card", async (stage) => {
  const all = await ended(stage, "other");
  const ending = await showsEverything(all, "waiting");
  assert.ok(ending.description && all.card.text.includes(ending.description));
});

test("a paused run says when it resumes, and can be stopped for good", async (stage) => {
  const all = await ended(stage, "rate-limited");
  const { run: { ending: { resume_at: when } } } = await all.server.ask(`/api/runs/${all.run}`);
  assert.ok(when, "it resumes automatically");
  assert.equal(all.card.kind, "paused");
  assert.match(all.card.text, /resumes automatically at .*\d\d?:\d\d/i);
  await all.shown.press("Stop for good");
  const card = await until("it has ended for good", () => all.shown.card(), (card) => /user-requested/.test(card?.text));
  assert.ok(card.actions.length >= 1);
});

test("a run that restarts leads to the one that continues it", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project, recipe: "Implement & Review All" });
  const card = await until("it is continued", () => shown.card(), (card) => card?.actions.some((action) => /follow|continues/i.test(action)));
  await shown.press(card.actions.find((action) => /follow|continues/i.test(action)));
  const hash = await until("the next is shown", () => shown.hash(), (hash) => !hash.endsWith(run));
  const { run: { ending } } = await server.ask(`/api/runs/${run}`);
  assert.equal(hash, `#/runs/${ending.continued_by}`);
  await shown.ended();
});
