// Saying something while a run goes on.

import assert from "node:assert/strict";

import { FIELDS } from "./page.mjs";
import { until } from "./patience.mjs";
import { test } from "./stage.mjs";

test("what is said during a run waits, is seen by everybody, and is passed on in order before the next step", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const first = await stage.open(server);
  const run = await first.start({ directory: stage.place.project });
  const second = await stage.open(server, { at: `#/runs/${run}` });
  await first.say("The first thing.");
  await until("it waits", () => first.waiting(), (waiting) => waiting.length === 1);
  await second.say("The second thing.");
  for (const shown of [first, second]) {
    const waiting = await until("both wait", () => shown.waiting(), (waiting) => waiting.length === 2);
    assert.deepEqual(waiting, ["The first thing.", "The second thing."]);
    const remarks = (await shown.timeline()).flatMap(({ remarks }) => remarks);
    assert.deepEqual(remarks, Array(2).fill("a prompt is queued for the agent"), "the agent was given nothing yet");
  }

  // The step would take ten minutes. A server whose agent is quick takes up what the first one left.
  for (const shown of [first, second]) stage.mayBeAlone(shown);
  await server.kill();
  const back = await stage.serve({ script: "happy", listen: server.address });
  for (const shown of [first, second]) {
    await shown.ended();
    assert.deepEqual(await until("nothing waits", () => shown.waiting(), (waiting) => waiting.length === 0), []);
    const rows = await until("all is said", () => shown.conversation(), (rows) => rows.some(({ text }) => text === "The second thing."));
    const prompts = rows.filter(({ prompt }) => prompt).map(({ text }) => text);
    const [one, two] = [prompts.indexOf("The first thing."), prompts.indexOf("The second thing.")];
    assert.ok(one > 0 && two === one + 1, `in order: ${one}, ${two}`);
    const told = (await shown.timeline()).map(({ step, remarks }) => [step, remarks.filter((words) => /given/.test(words)).length]);
    assert.deepEqual(told, [["implement", 0], ["code-review", 2], ["commit", 0]], "between the steps");
  }
  const { events } = await back.ask(`/api/runs/${run}`);
  const moved = events.findIndex(({ event }) => event === "moved");
  const turns = events.slice(moved).filter(({ event }) => event === "turn_began").map(({ purpose }) => purpose.kind === "pass");
  assert.deepEqual(turns, [true, true, false, false], "before the next step's prompt");
});

test("after a run its agent can still be talked to", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  await shown.say("And what else?");
  const answered = (rows) => {
    const asked = rows.findIndex(({ prompt, text }) => prompt && text === "And what else?");
    return asked > 0 && rows[asked + 1]?.prompt === false;
  };
  await until("it is answered", () => shown.conversation(), answered);
  const field = await shown.find("textbox", FIELDS.say);
  assert.equal(await field.evaluate(({ value }) => value), "");
});

test("what still waited when a run was stopped waits no longer, and is not delivered", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ act: "silence" }], default: {} } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await until("the agent works", () => stage.place.calls().length > 0);
  await shown.say("And then?");
  await until("it waits", () => shown.waiting(), (waiting) => waiting.join() === "And then?");
  await shown.stop();
  await shown.ended();
  assert.deepEqual(await shown.waiting(), []);
  assert.deepEqual(await until("it is marked", () => shown.withdrawn(), (found) => found.length > 0), ["And then?"]);
  const [mark] = await until("that is noted", () => shown.undelivered(), (found) => found.length === 1);
  assert.match(mark, /^“And then\?” was still queued when this was stopped/);
  assert.equal(stage.place.calls().filter(({ phase }) => phase === "began").length, 1, "no agent starts");
});

test("what is said while a run is paused waits until it goes on, and is passed on first", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ act: "overloaded" }], default: {} } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  assert.equal((await shown.ended()).kind, "paused");
  assert.match(await shown.hint(), /paused: words wait until it goes on/);
  await shown.say("Mind the tests.");
  const said = (rows) => rows.some(({ text }) => text === "Mind the tests.");
  await until("it is said", () => shown.conversation(), said);
  await shown.press("Resume now");
  await until("it is over", () => shown.card(), (card) => card?.kind === "completed");
  const told = (await shown.timeline()).map(({ step, remarks }) => [step, remarks.filter((words) => /given/.test(words)).length]);
  assert.deepEqual(told, [["implement", 1], ["code-review", 0], ["commit", 0]]);
  assert.equal((await shown.conversation()).filter(({ text }) => text === "Mind the tests.").length, 1);
});

test("what was said after a run, and in another one, is not taken for its own", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ pick: "blocked" }], default: { act: "silence" } } });
  const shown = await stage.open(server);
  const first = await shown.start({ directory: stage.place.project });
  await shown.ended();
  assert.match(await shown.hint(), /answered at once/);
  assert.deepEqual(await shown.saidAfterwards(), []);
  await shown.press("Answer and start again");
  const second = await shown.submit({ about: "The way is free now." });
  await shown.goto(`#/runs/${first}`);
  const [afterwards] = await until("it stands below the line", () => shown.saidAfterwards(), (found) => found.length === 1);
  assert.match(afterwards, /The way is free now\./);
  await until("it says who holds it", () => shown.hint(), (words) => /^Another run goes on in this conversation/.test(words));
  await shown.say("Hello there.");
  await until("it is said", () => shown.saidAfterwards(), (found) => found.includes("Hello there."));
  await shown.goto(`#/runs/${second}`);
  await until("it waits there", () => shown.waiting(), (waiting) => waiting.join() === "Hello there.");
  assert.deepEqual(await shown.saidAfterwards(), []);
});

test("whoever writes when the run ends is not torn away from it", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server, { viewport: { width: 390, height: 664, isMobile: true, hasTouch: true } });
  const run = await shown.start({ directory: stage.place.project });
  await shown.fill(FIELDS.say, "What I wanted to s");
  const place = () => shown.page.evaluate(() => document.activeElement.getBoundingClientRect().y > 0
    && document.activeElement.getBoundingClientRect().bottom < innerHeight);
  assert.ok(await place(), "the field can be seen");
  const other = await stage.open(server, { at: `#/runs/${run}` });
  await other.stop();
  await shown.ended();
  await shown.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal(await shown.page.evaluate(() => document.activeElement.value), "What I wanted to s");
  assert.ok(await place(), "and still can");
});

test("nothing is sent where nothing was written", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  await shown.say("   ");
  await shown.say("Something.");
  assert.deepEqual(await until("it waits", () => shown.waiting(), (waiting) => waiting.length > 0), ["Something."]);
  const { events } = await server.ask(`/api/runs/${run}`);
  assert.deepEqual(events.filter(({ event }) => event === "prompt_queued").map(({ text }) => text), ["Something."]);
});

test("what is written while the connection is lost is not thrown away", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  stage.mayBeAlone(shown);
  await server.kill();
  await shown.lost();
  await shown.fill(FIELDS.say, "Is anybody there?");
  assert.ok(await (await shown.find("button", "Send")).evaluate(({ disabled }) => disabled), "nobody would hear it");
  await shown.page.keyboard.down("Control");
  await shown.page.keyboard.press("Enter");
  await shown.page.keyboard.up("Control");
  assert.match(await until("it says so", () => shown.alert()), /no connection/);
  const field = await shown.find("textbox", FIELDS.say);
  assert.equal(await field.evaluate(({ value }) => value), "Is anybody there?");
  await stage.serve({ script: "slow", listen: server.address });
  await shown.connected();
  assert.equal(await shown.alert(), "", "nothing is said that is no longer true");
});
