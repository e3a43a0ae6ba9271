// Prompts during and after a run.

import assert from "node:assert/strict";

import { FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { test } from "./stage.mjs";

test("prompts sent during a run are queued, shown to every client, and delivered in order before the next step", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const first = await stage.open(server);
  const run = await first.start({ directory: stage.place.project });
  const second = await stage.open(server, { at: `#/runs/${run}` });
  await first.sendPrompt("The first thing.");
  await until("it is queued", () => first.queued(), (queued) => queued.length === 1);
  await second.sendPrompt("The second thing.");
  for (const shown of [first, second]) {
    const queued = await until("both are queued", () => shown.queued(), (queued) => queued.length === 2);
    assert.deepEqual(queued, ["The first thing.", "The second thing."]);
    const remarks = (await shown.timeline()).flatMap(({ remarks }) => remarks);
    assert.deepEqual(remarks, Array(2).fill("a prompt is queued for the agent"), "the agent was given nothing yet");
  }

  // The step would take ten minutes. A new server with a fast agent resumes the run.
  for (const shown of [first, second]) stage.allowConnectionErrors(shown);
  await server.kill();
  const back = await stage.serve({ script: "happy", listen: server.address });
  for (const shown of [first, second]) {
    await shown.ended();
    assert.deepEqual(await until("nothing is queued", () => shown.queued(), (queued) => queued.length === 0), []);
    const rows = await until("the conversation is complete", () => shown.conversation(), (rows) => rows.some(({ text }) => text === "The second thing."));
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

test("after a run its agent still answers prompts", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  await shown.sendPrompt("And what else?");
  const answered = (rows) => {
    const asked = rows.findIndex(({ prompt, text }) => prompt && text === "And what else?");
    return asked > 0 && rows[asked + 1]?.prompt === false;
  };
  await until("it is answered", () => shown.conversation(), answered);
  const field = await shown.find("textbox", FIELDS.say);
  assert.equal(await field.evaluate(({ value }) => value), "");
});

test("a prompt that is queued when a run is stopped is withdrawn, and not delivered", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ act: "silence" }], default: {} } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await until("the agent works", () => stage.place.calls().length > 0);
  await shown.sendPrompt("And then?");
  await until("it is queued", () => shown.queued(), (queued) => queued.join() === "And then?");
  await shown.stop();
  await shown.ended();
  assert.deepEqual(await shown.queued(), []);
  assert.deepEqual(await until("it is marked", () => shown.withdrawn(), (found) => found.length > 0), ["And then?"]);
  const [mark] = await until("that is noted", () => shown.undelivered(), (found) => found.length === 1);
  assert.match(mark, /^“And then\?” was still queued when this was stopped/);
  assert.equal(stage.place.calls().filter(({ phase }) => phase === "began").length, 1, "no agent starts");
});

test("a prompt sent while a run is paused is queued until it resumes, and delivered first", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ act: "overloaded" }], default: {} } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  assert.equal((await shown.ended()).kind, "paused");
  assert.match(await shown.hint(), /paused: messages are queued until it resumes/);
  await shown.sendPrompt("Mind the tests.");
  const shows = (rows) => rows.some(({ text }) => text === "Mind the tests.");
  await until("it is in the conversation", () => shown.conversation(), shows);
  await shown.press("Resume now");
  await until("it is over", () => shown.card(), (card) => card?.kind === "completed");
  const told = (await shown.timeline()).map(({ step, remarks }) => [step, remarks.filter((words) => /given/.test(words)).length]);
  assert.deepEqual(told, [["implement", 1], ["code-review", 0], ["commit", 0]]);
  assert.equal((await shown.conversation()).filter(({ text }) => text === "Mind the tests.").length, 1);
});

test("messages after a run, or of another run, are not shown as its own", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ pick: "blocked" }], default: { act: "silence" } } });
  const shown = await stage.open(server);
  const first = await shown.start({ directory: stage.place.project });
  await shown.ended();
  assert.match(await shown.hint(), /answers at once/);
  assert.deepEqual(await shown.promptsAfterRun(), []);
  await shown.press("Answer and start again");
  const second = await shown.submit({ about: "The way is free now." });
  await shown.goto(`#/runs/${first}`);
  const [afterwards] = await until("it is below the line", () => shown.promptsAfterRun(), (found) => found.length === 1);
  assert.match(afterwards, /The way is free now\./);
  await until("it names the other run", () => shown.hint(), (words) => /^Another run is running in this conversation/.test(words));
  await shown.sendPrompt("Hello there.");
  await until("it is in the conversation", () => shown.promptsAfterRun(), (found) => found.includes("Hello there."));
  await shown.goto(`#/runs/${second}`);
  await until("it is queued there", () => shown.queued(), (queued) => queued.join() === "Hello there.");
  assert.deepEqual(await shown.promptsAfterRun(), []);
});

test("a user who is typing when the run ends keeps their place", async (stage) => {
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

test("an empty message is not sent", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  await shown.sendPrompt("   ");
  await shown.sendPrompt("Something.");
  assert.deepEqual(await until("it is queued", () => shown.queued(), (queued) => queued.length > 0), ["Something."]);
  const { events } = await server.ask(`/api/runs/${run}`);
  assert.deepEqual(events.filter(({ event }) => event === "prompt_queued").map(({ text }) => text), ["Something."]);
});

test("text that is typed while the connection is lost is kept", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  stage.allowConnectionErrors(shown);
  await server.kill();
  await shown.lost();
  await shown.fill(FIELDS.say, "Is anybody there?");
  assert.ok(await (await shown.find("button", "Send")).evaluate(({ disabled }) => disabled), "it could not be sent");
  await shown.page.keyboard.down("Control");
  await shown.page.keyboard.press("Enter");
  await shown.page.keyboard.up("Control");
  assert.match(await until("it says so", () => shown.alert()), /no connection/);
  const field = await shown.find("textbox", FIELDS.say);
  assert.equal(await field.evaluate(({ value }) => value), "Is anybody there?");
  await stage.serve({ script: "slow", listen: server.address });
  await shown.connected();
  assert.equal(await shown.alert(), "", "no outdated message is shown");
});
