// A run is read once, and then updated from what the server pushes. The live page shows the same as
// a reload.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";
import { Tap } from "./tap.mjs";

// A window with a tap, in which a run has been started.
async function watched(stage, server) {
  const shown = await stage.window();
  const tap = await Tap.on(shown.page);
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  const run = await shown.start({ directory: stage.place.project });
  const readings = () => tap.asked.filter((path) => path.startsWith(`/api/runs/${run}`)).map((path) => path.split("?")[1]);
  return { shown, tap, run, readings };
}

// A run whose first step takes ten minutes: nothing happens except what the test does.
async function atFirstStep(stage) {
  const server = await stage.serve({ script: "slow" });
  const all = await watched(stage, server);
  const [visit] = await until("it is at its first step", () => all.shown.timeline(), (visits) => visits.length === 1);
  assert.deepEqual(visit.remarks, []);
  const { run: { last_seq: seq } } = await until("the agent works", () => server.ask(`/api/runs/${all.run}`), ({ run }) => run.last_seq === 2);
  await until("that is shown", () => all.shown.progress(), ({ text }) => /waiting for/.test(text));
  return { ...all, server, seq };
}

// Sends a prompt, and waits until this many prompts are shown as queued.
async function queuePrompt(shown, words, count) {
  await shown.sendPrompt(words);
  await until(`${count} are queued`, () => shown.queued(), (queued) => queued.length === count);
}

// The run fails at its start, and is resumed in a page that already shows it, so the page receives
// every later event.
const RESUMED = { answers: [{ act: "auth" }, { act: "prose-only" }, {}, { pick: "issues-found" }], default: {} };

async function resume(shown) {
  await shown.ended();
  await shown.press("Resume");
  await until("it is done", () => shown.card(), (card) => card?.kind === "completed");
}

test("while a run is running the page reads nothing, and shows every step", async (stage) => {
  const server = await stage.serve({ plan: RESUMED });
  const { shown, tap, run, readings } = await watched(stage, server);
  await shown.ended();
  const before = { asked: tap.asked.length, pushed: (await tap.pushed()).length };
  await resume(shown);
  const visits = await shown.timeline();
  assert.deepEqual(visits.map(({ step }) => step), ["implement", "code-review", "fix", "code-review", "commit"]);
  assert.deepEqual(visits.map(({ outcome }) => outcome), ["complete", "issues-found", "complete", "no-issues", "committed"]);
  assert.match(visits[0].remarks.join(), /resumed by a client,asked again/);
  assert.deepEqual(tap.asked.slice(before.asked), [], "nothing was read");
  assert.equal(readings().length, 1, "but the run, once");
  const { events } = await server.ask(`/api/runs/${run}`);
  const since = events.findIndex(({ event }) => event === "resumed");
  const pushed = (await tap.pushed()).slice(before.pushed);
  assert.deepEqual(pushed, events.slice(since).map(({ seq }) => seq), "every event was pushed");
});

test("queued and withdrawn prompts, and a stop, are shown without a reading", async (stage) => {
  const { shown, tap, readings } = await atFirstStep(stage);
  const before = tap.asked.length;
  await queuePrompt(shown, "One.", 1);
  await queuePrompt(shown, "Two.", 2);
  const [{ remarks }] = await shown.timeline();
  assert.deepEqual(remarks, Array(2).fill("a prompt is queued for the agent"));
  await shown.stop();
  assert.equal((await shown.ended()).kind, "stopped");
  assert.deepEqual(await until("it is marked", () => shown.withdrawn(), (found) => found.length === 2), ["One.", "Two."]);
  assert.deepEqual([readings(), tap.asked.slice(before)], [["since=0"], []]);
});

test("a push that is lost is read as soon as the next one arrives, and then pushes suffice again", async (stage) => {
  const { shown, tap, readings, seq } = await atFirstStep(stage);
  await tap.loseNext("run_view");
  await shown.sendPrompt("One.");
  await until("it was lost", () => tap.lost(), (lost) => lost.length === 1);
  await queuePrompt(shown, "Two.", 2);
  assert.deepEqual(readings(), ["since=0", `since=${seq}`], "what is missing was read");
  await queuePrompt(shown, "Three.", 3);
  assert.equal((await shown.timeline())[0].remarks.length, 3);
  assert.equal(readings().length, 2);
});

test("what was pushed while the connection was lost is caught up with one reading", async (stage) => {
  const { shown, tap, server, run, readings, seq } = await atFirstStep(stage);
  const other = await stage.open(server, { at: `#/runs/${run}` });
  await tap.dropMessages();
  await queuePrompt(other, "One.", 1);
  await other.stop();
  const card = await other.ended();
  assert.deepEqual([await shown.card(), (await shown.timeline())[0].remarks], [null, []], "the page received none of it");
  await tap.cut();
  assert.deepEqual(await shown.ended(), card);
  assert.deepEqual(await shown.timeline(), await other.timeline());
  assert.deepEqual(await until("it is marked", () => shown.withdrawn(), (found) => found.length > 0), ["One."]);
  assert.deepEqual(readings(), ["since=0", `since=${seq}`]);
});

test("a run is read again when the server says that something may be missing", async (stage) => {
  const { shown, tap, readings, seq } = await atFirstStep(stage);
  await tap.loseNext("run_view");
  await shown.sendPrompt("One.");
  await until("it was lost", () => tap.lost(), (lost) => lost.length === 1);
  assert.deepEqual((await shown.timeline())[0].remarks, []);
  // The server sends its lists again then, unasked.
  await tap.inject({ type: "session_list", sessions: [], total_count: 0 });
  await until("it is queued", () => shown.queued(), (queued) => queued.length === 1);
  assert.deepEqual(readings(), ["since=0", `since=${seq}`]);
});

test("what is pushed during the first reading of a run is not lost", async (stage) => {
  const { server, run } = await atFirstStep(stage);
  const shown = await stage.window();
  const tap = await Tap.on(shown.page);
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  const reading = await tap.holdBack(`/api/runs/${run}`);
  await shown.page.evaluate((hash) => { location.hash = hash; }, `#/runs/${run}`);
  await until("it is being read", () => reading.held());
  // The server answers before these prompts are sent, but the answer arrives after them.
  await stage.pages[0].sendPrompt("One.");
  await stage.pages[0].sendPrompt("Two.");
  await until("they are pushed", () => tap.pushed(), (pushed) => pushed.length === 2);
  await reading.release();
  await shown.settled(`#/runs/${run}`);
  await until("both are queued", () => shown.queued(), (queued) => queued.length === 2);
  assert.equal((await shown.timeline())[0].remarks.length, 2);
  assert.equal(tap.asked.filter((path) => path.startsWith(`/api/runs/${run}`)).length, 1, "one reading was enough");
});

// What happens to a run until nothing changes any more: what its agent does, and what the user does
// in the page.
const STORIES = {
  "a retry and a loop": { plan: RESUMED, until: resume },
  "a pause": { script: "rate-limited", until: (shown) => shown.ended() },
  "a guardrail that was raised": {
    script: "never-satisfied",
    until: async (shown) => {
      const { actions } = await shown.ended();
      await shown.press(actions.find((action) => /allow/i.test(action)));
      await until("it is resumed", () => shown.timeline(), (visits) => visits.some(({ remarks }) => /resumed/.test(remarks.join())));
      await shown.ended();
    },
  },
  "prompts that are queued": {
    script: "slow",
    until: async (shown) => {
      await queuePrompt(shown, "One.", 1);
      await queuePrompt(shown, "Two.", 2);
    },
  },
  "prompts that are withdrawn": {
    script: "slow",
    until: async (shown) => {
      await queuePrompt(shown, "One.", 1);
      await shown.stop();
      await shown.ended();
      await until("it is marked", () => shown.undelivered(), (found) => found.length === 1);
    },
  },
};

for (const [name, { until: happens, ...agent }] of Object.entries(STORIES)) {
  test(`the live page shows the same as a reload (${name})`, async (stage) => {
    const server = await stage.serve(agent);
    const { shown, run } = await watched(stage, server);
    await happens(shown);
    // Each end is also a message in the conversation.
    const { run: { recipe_label: label }, events } = await server.ask(`/api/runs/${run}`);
    const ends = events.filter(({ event }) => event === "ended").length;
    const closings = (rows) => rows.filter(({ prompt, text }) => !prompt && text.includes(`${label}: `)).length;
    const messages = await until("the conversation is complete", () => shown.conversation(), (rows) => rows.length > 1 && closings(rows) === ends);
    const live = await everything(shown);
    await shown.reload();
    await until("the conversation is complete again", () => shown.conversation(), (rows) => rows.length === messages.length);
    assert.deepEqual(await everything(shown), live);
  });
}

// Everything that is shown of a run.
async function everything(shown) {
  const [title, words, picture, timeline, card] = await Promise.all([
    shown.page.title(), shown.words(), shown.picture(), shown.timeline(), shown.card(),
  ]);
  const { drawn, value, max } = await shown.progress();
  return { title, words, picture, timeline, card, bar: drawn && { value, max } };
}
