// A run is read once, and then shown from what the server pushes. What is shown live is what a reload shows.

import assert from "node:assert/strict";

import { until } from "./patience.mjs";
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

// One whose first step takes ten minutes: nothing happens but what the test does.
async function standing(stage) {
  const server = await stage.serve({ script: "slow" });
  const all = await watched(stage, server);
  const [visit] = await until("it is at its first step", () => all.shown.timeline(), (visits) => visits.length === 1);
  assert.deepEqual(visit.remarks, []);
  const { run: { last_seq: seq } } = await until("the agent works", () => server.ask(`/api/runs/${all.run}`), ({ run }) => run.last_seq === 2);
  await until("that is shown", () => all.shown.progress(), ({ text }) => /waiting for/.test(text));
  return { ...all, server, seq };
}

// Says something, and waits until so many prompts are shown as queued.
async function says(shown, words, queued) {
  await shown.say(words);
  await until(`${queued} wait`, () => shown.waiting(), (waiting) => waiting.length === queued);
}

// It cannot begin, and is resumed in a page that shows it already: everything else happens before the page's eyes.
const RESUMED = { answers: [{ act: "auth" }, { act: "prose-only" }, {}, { pick: "issues-found" }], default: {} };

async function resume(shown) {
  await shown.ended();
  await shown.press("Resume");
  await until("it is done", () => shown.card(), (card) => card?.kind === "completed");
}

test("while a run goes on the page reads nothing, and shows every step", async (stage) => {
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

test("what is queued, stopped and withdrawn is shown without a reading", async (stage) => {
  const { shown, tap, readings } = await standing(stage);
  const before = tap.asked.length;
  await says(shown, "One.", 1);
  await says(shown, "Two.", 2);
  const [{ remarks }] = await shown.timeline();
  assert.deepEqual(remarks, Array(2).fill("a prompt is queued for the agent"));
  await shown.stop();
  assert.equal((await shown.ended()).kind, "stopped");
  assert.deepEqual(await until("it is marked", () => shown.withdrawn(), (found) => found.length === 2), ["One.", "Two."]);
  assert.deepEqual([readings(), tap.asked.slice(before)], [["since=0"], []]);
});

test("a push that is lost is read as soon as the next one comes, and then pushes are enough again", async (stage) => {
  const { shown, tap, readings, seq } = await standing(stage);
  await tap.loseNext("run_view");
  await shown.say("One.");
  await until("it was lost", () => tap.lost(), (lost) => lost.length === 1);
  await says(shown, "Two.", 2);
  assert.deepEqual(readings(), ["since=0", `since=${seq}`], "what is missing was read");
  await says(shown, "Three.", 3);
  assert.equal((await shown.timeline())[0].remarks.length, 3);
  assert.equal(readings().length, 2);
});

test("what was pushed while there was no connection is caught up with one reading", async (stage) => {
  const { shown, tap, server, run, readings, seq } = await standing(stage);
  const other = await stage.open(server, { at: `#/runs/${run}` });
  await tap.deafen();
  await says(other, "One.", 1);
  await other.stop();
  const card = await other.ended();
  assert.deepEqual([await shown.card(), (await shown.timeline())[0].remarks], [null, []], "nothing of that was heard");
  await tap.cut();
  assert.deepEqual(await shown.ended(), card);
  assert.deepEqual(await shown.timeline(), await other.timeline());
  assert.deepEqual(await until("it is marked", () => shown.withdrawn(), (found) => found.length > 0), ["One."]);
  assert.deepEqual(readings(), ["since=0", `since=${seq}`]);
});

test("a run is read again where the server says that something may be missing", async (stage) => {
  const { shown, tap, readings, seq } = await standing(stage);
  await tap.loseNext("run_view");
  await shown.say("One.");
  await until("it was lost", () => tap.lost(), (lost) => lost.length === 1);
  assert.deepEqual((await shown.timeline())[0].remarks, []);
  // The lists come once more then, unasked.
  await tap.hear({ type: "session_list", sessions: [], total_count: 0 });
  await until("it waits", () => shown.waiting(), (waiting) => waiting.length === 1);
  assert.deepEqual(readings(), ["since=0", `since=${seq}`]);
});

test("what is pushed while a run is first read is not lost", async (stage) => {
  const { server, run } = await standing(stage);
  const shown = await stage.window();
  const tap = await Tap.on(shown.page);
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  const reading = await tap.holdBack(`/api/runs/${run}`);
  await shown.page.evaluate((hash) => { location.hash = hash; }, `#/runs/${run}`);
  await until("it is being read", () => reading.held());
  // The answer is made before these, and comes after them.
  await stage.pages[0].say("One.");
  await stage.pages[0].say("Two.");
  await until("they are pushed", () => tap.pushed(), (pushed) => pushed.length === 2);
  await reading.letGo();
  await shown.settled(`#/runs/${run}`);
  await until("both wait", () => shown.waiting(), (waiting) => waiting.length === 2);
  assert.equal((await shown.timeline())[0].remarks.length, 2);
  assert.equal(tap.asked.filter((path) => path.startsWith(`/api/runs/${run}`)).length, 1, "one reading was enough");
});

// What happens to a run, until it stands still: by what its agent does, and by what is done in the page.
const STORIES = {
  "a retry and a loop": { plan: RESUMED, until: resume },
  "a pause": { script: "rate-limited", until: (shown) => shown.ended() },
  "a guardrail that was raised": {
    script: "never-satisfied",
    until: async (shown) => {
      const { actions } = await shown.ended();
      await shown.press(actions.find((action) => /allow/i.test(action)));
      await until("it goes on", () => shown.timeline(), (visits) => visits.some(({ remarks }) => /resumed/.test(remarks.join())));
      await shown.ended();
    },
  },
  "prompts that are queued": {
    script: "slow",
    until: async (shown) => {
      await says(shown, "One.", 1);
      await says(shown, "Two.", 2);
    },
  },
  "prompts that are withdrawn": {
    script: "slow",
    until: async (shown) => {
      await says(shown, "One.", 1);
      await shown.stop();
      await shown.ended();
      await until("it is marked", () => shown.undelivered(), (found) => found.length === 1);
    },
  },
};

for (const [name, { until: happens, ...agent }] of Object.entries(STORIES)) {
  test(`what is shown live is what a reload shows (${name})`, async (stage) => {
    const server = await stage.serve(agent);
    const { shown, run } = await watched(stage, server);
    await happens(shown);
    // How it ended is also said in the conversation, each time.
    const { run: { recipe_label: label }, events } = await server.ask(`/api/runs/${run}`);
    const ends = events.filter(({ event }) => event === "ended").length;
    const closings = (rows) => rows.filter(({ prompt, text }) => !prompt && text.includes(`${label}: `)).length;
    const said = await until("all is said", () => shown.conversation(), (rows) => rows.length > 1 && closings(rows) === ends);
    const live = await everything(shown);
    await shown.reload();
    await until("all is said again", () => shown.conversation(), (rows) => rows.length === said.length);
    assert.deepEqual(await everything(shown), live);
  });
}

// All that is shown of a run.
async function everything(shown) {
  const [title, words, picture, timeline, card] = await Promise.all([
    shown.page.title(), shown.words(), shown.picture(), shown.timeline(), shown.card(),
  ]);
  const { drawn, value, max } = await shown.progress();
  return { title, words, picture, timeline, card, bar: drawn && { value, max } };
}
