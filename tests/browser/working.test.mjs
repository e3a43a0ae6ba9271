// What agents are working on, and stopping it from the first view.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { Phone } from "./phone.mjs";
import { test } from "./stage.mjs";

const SILENT = { plan: { default: { act: "silence" } } };

const began = (stage) => stage.place.calls().filter(({ phase }) => phase === "began");

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const listed = (shown, number) => until(`${number} at work`, () => shown.work(), (rows) => rows?.length === number);

// Long enough for an agent to start, if one were to start.
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 700));

test("an agent at work outside of a run is listed in every window, and Stop ends it for good", async (stage) => {
  const server = await stage.serve(SILENT);
  const windows = [await stage.open(server), await stage.open(server)];
  for (const shown of windows) assert.deepEqual(await listed(shown, 0), []);
  const phone = await Phone.connect(stage, server);
  const session = await phone.prompt("Is the build green?\nAnd since when?", { directory: stage.place.project });
  for (const shown of windows) {
    const [row] = await listed(shown, 1);
    assert.equal(row.title, "Is the build green?");
    assert.match(row.text, /chat · project · for \d+ s$/);
    assert.deepEqual([row.stop, row.can, row.at], ["Stop Is the build green?", true, `#/sessions/${session}`]);
  }
  const { pid } = await until("the agent works", () => began(stage)[0]);
  // The session is no longer new, and neither window is subscribed to its conversation.
  await phone.prompt("And the tests?", { session });
  for (const shown of windows) await until("it is counted", () => shown.work(), ([row]) => / · 1 queued$/.test(row.text));

  await windows[0].press("Stop Is the build green?");
  for (const shown of windows) assert.deepEqual(await listed(shown, 0), []);
  await until("the agent is gone", () => !isAlive(pid));
  await aMoment();
  assert.equal(began(stage).length, 1, "nothing starts again");
  assert.deepEqual(await server.ask("/api/work"), { work: [] });
  for (const shown of windows) {
    assert.deepEqual(await shown.work(), []);
    await shown.goto(`#/sessions/${session}`);
    const [mark] = await until("it is marked", () => shown.undelivered(), (found) => found.length === 1);
    assert.match(mark, /^“And the tests\?” was still queued when this was stopped/);
    const rows = await shown.conversation();
    assert.deepEqual(rows.filter(({ prompt }) => prompt).map(({ text }) => text), ["Is the build green?\nAnd since when?", "And the tests?"]);
  }
});

test("a run with a queued prompt is stopped from the list, and nothing starts again", async (stage) => {
  const server = await stage.serve(SILENT);
  const [shown, other] = [await stage.open(server), await stage.open(server)];
  const run = await shown.start({ directory: stage.place.project });
  const { pid } = await until("the agent works", () => began(stage)[0]);
  await shown.sendPrompt("Mind the tests.");
  await until("it is queued", () => shown.queued(), (queued) => queued.length === 1);
  const [row] = await listed(other, 1);
  assert.deepEqual([row.title, row.at], ["Implement & Review", `#/runs/${run}`]);
  await until("it is counted", () => other.work(), ([{ text }]) => /step 1 of at most 7: implement · project · for \d+ s · 1 queued/.test(text));
  await other.press("Stop Implement & Review");
  assert.deepEqual(await listed(other, 0), []);
  assert.equal((await shown.ended()).reason, "user-requested");
  await until("the agent is gone", () => !isAlive(pid));
  await aMoment();
  assert.equal(began(stage).length, 1, "nothing starts again");
  await other.goto(`#/runs/${run}`);
  for (const window of [shown, other]) {
    assert.deepEqual(await until("it is marked", () => window.withdrawn(), (found) => found.length > 0), ["Mind the tests."]);
    assert.deepEqual(await window.queued(), []);
    const [mark] = await until("that is noted", () => window.undelivered(), (found) => found.length === 1);
    assert.match(mark, /^“Mind the tests\.” was still queued/);
  }
});

test("a prompt that was being delivered when its run was stopped is marked as not answered", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ delay_ms: 1500 }], default: { act: "silence" } } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.sendPrompt("Mind the tests.");
  await until("the prompt is delivered", () => began(stage).length === 2);
  await shown.sendPrompt("And the docs.");
  await until("it is queued", () => shown.queued(), (queued) => queued.join() === "And the docs.");
  await shown.stop();
  await shown.ended();
  const [answer] = await until("it is marked", () => shown.undelivered("Not answered"), (found) => found.length === 1);
  assert.match(answer, /^“Mind the tests\.” was being delivered/);
  const [mark] = await until("so is the other", () => shown.undelivered(), (found) => found.length === 1);
  assert.match(mark, /^“And the docs\.” was still queued/);
  assert.deepEqual(await shown.withdrawn(), ["And the docs."]);
});

test("stopping one of several agents leaves the others alone", async (stage) => {
  const server = await stage.serve(SILENT);
  const shown = await stage.open(server);
  const phone = await Phone.connect(stage, server);
  for (const text of ["One.", "Two.", "Three."]) {
    await phone.prompt(text, { directory: stage.place.project });
    await until("it is there", () => shown.work(), (rows) => rows?.at(-1)?.title === text);
  }
  await shown.press("Stop Two.");
  assert.deepEqual((await listed(shown, 2)).map(({ title }) => title), ["One.", "Three."]);
  assert.deepEqual((await server.ask("/api/work")).work.map(({ name }) => name), ["One.", "Three."]);
});

test("a Stop button that moves to where another one was cannot be clicked for a moment", async (stage) => {
  const server = await stage.serve(SILENT);
  const [shown, other] = [await stage.open(server), await stage.open(server)];
  const phone = await Phone.connect(stage, server);
  for (const text of ["One.", "Two."]) {
    await phone.prompt(text, { directory: stage.place.project });
    await until("it is there", () => shown.work(), (rows) => rows?.at(-1)?.title === text);
  }
  const pointer = await shown.page.$eval('section[aria-label="Running now"] ul', (list) => {
    const { x, y, width, height } = list.querySelector("button").getBoundingClientRect();
    const pointer = { x: x + width / 2, y: y + height / 2 };
    window.clickable = () => document.elementFromPoint(pointer.x, pointer.y)?.closest("button") ?? null;
    // The fastest possible click: as soon as the list has changed.
    new MutationObserver(() => {
      window.clicked ??= window.clickable()?.ariaLabel ?? "nothing";
      window.clickable()?.click();
    }).observe(list, { childList: true });
    return pointer;
  });
  const clickable = () => shown.page.evaluate(() => window.clickable()?.ariaLabel);
  assert.equal(await clickable(), "Stop One.");
  await other.press("Stop One.");
  assert.equal(await until("One has gone", () => shown.page.evaluate(() => window.clicked)), "nothing");
  assert.deepEqual((await shown.work()).map(({ stop, can }) => [stop, can]), [["Stop Two.", true]]);
  await until("it can be clicked again", clickable, (label) => label === "Stop Two.");
  await shown.page.mouse.click(pointer.x, pointer.y);
  assert.deepEqual(await listed(shown, 0), []);
});

test("work that has ended is no longer listed, and work that follows it is", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ delay_ms: 1500 }], default: { act: "silence" } } });
  const shown = await stage.open(server);
  const phone = await Phone.connect(stage, server);
  const session = await phone.prompt("One.", { directory: stage.place.project });
  await until("it works", () => shown.work(), (rows) => rows?.[0]?.title === "One.");
  await phone.prompt("Two.", { session });
  await until("the next one is worked on", () => shown.work(), (rows) => rows?.[0]?.title === "Two.");
  assert.doesNotMatch((await shown.work())[0].text, /queued/);
});

test("Stop is reached and pressed with the keyboard, and the focus stays where it is expected", async (stage) => {
  const server = await stage.serve(SILENT);
  const shown = await stage.open(server);
  const phone = await Phone.connect(stage, server);
  await phone.prompt("Is the build green?", { directory: stage.place.project });
  await listed(shown, 1);
  const focused = () => shown.page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.textContent);
  await shown.page.evaluate(() => document.querySelector("main").focus());
  await shown.page.keyboard.press("Tab");
  assert.match(await focused(), /^Is the build green\?/, "what it is comes first");
  await shown.page.keyboard.press("Tab");
  assert.equal(await focused(), "Stop Is the build green?");
  const before = await shown.work();
  await until("time has passed", () => shown.work(), ([row]) => row.text !== before[0].text);
  assert.equal(await focused(), "Stop Is the build green?", "an update does not move the focus");
  await shown.page.keyboard.press("Enter");
  await listed(shown, 0);
  assert.equal(await focused(), "Running now");
  assert.equal(await shown.page.$eval('section[aria-label="Running now"] [role=status]', ({ textContent }) => textContent), "Stopped: Is the build green?");
});

test("without a connection nothing can be stopped; after a reconnect the list is read again", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  const phone = await Phone.connect(stage, server);
  await phone.prompt("Is the build green?", { directory: stage.place.project });
  await listed(shown, 1);
  stage.allowConnectionErrors(shown);
  await phone.page.close();
  await server.kill();
  await shown.lost();
  assert.deepEqual((await shown.work()).map(({ can }) => can), [false]);
  await stage.serve({ script: "happy", listen: server.address });
  await shown.connected();
  assert.deepEqual(await listed(shown, 0), []);
});

test("a conversation without a run has its own view, which follows, continues and stops it", async (stage) => {
  const server = await stage.serve({ plan: { answers: [{ text: "It is **green**." }], default: { act: "silence" } } });
  const shown = await stage.open(server);
  const phone = await Phone.connect(stage, server);
  const session = await phone.prompt("Is the build green?", { directory: stage.place.project });
  await shown.goto(`#/sessions/${session}`);
  const rows = await until("it is answered", () => shown.conversation(), (rows) => rows.length === 2);
  assert.match(rows[1].html, /<strong>green<\/strong>/);
  await until("it is named", () => shown.heading(), (words) => words === "Is the build green?");
  // The page reads what is running again after each message, so it is up to date a moment later.
  await until("it is idle", () => shown.hint(), (words) => words === "The agent answers at once.");
  assert.equal(await shown.page.$('aria/Stop the agent[role="button"]'), null, "there is nothing to stop");
  await shown.sendPrompt("And the tests?");
  await until("it is at work", () => shown.hint(), (words) => /at work: messages are queued/.test(words));
  await shown.reload();
  await shown.sendPrompt("And the docs?");
  await until("it is in the conversation", () => shown.conversation(), (rows) => rows.length === 4);
  await shown.press("Stop the agent");
  await until("it is over", () => shown.hint(), (words) => words === "The agent answers at once.");
  const [mark] = await until("it is marked", () => shown.undelivered(), (found) => found.length === 1);
  assert.match(mark, /“And the docs\?”/);
});

test("a prompt is shown as text, wherever it is listed", async (stage) => {
  const server = await stage.serve(SILENT);
  const shown = await stage.open(server);
  const phone = await Phone.connect(stage, server);
  const evil = "<img src=x onerror=alert(1)> “quoted” & more";
  const session = await phone.prompt(evil, { directory: stage.place.project });
  const [row] = await listed(shown, 1);
  assert.equal(row.title, evil);
  await phone.prompt(evil, { session });
  await until("it is counted", () => shown.work(), ([{ text }]) => /1 queued/.test(text));
  await shown.press(`Stop ${evil}`);
  await listed(shown, 0);
  await shown.goto(`#/sessions/${session}`);
  const [mark] = await until("it is marked", () => shown.undelivered(), (found) => found.length === 1);
  assert.ok(mark.startsWith(`“${evil}”`), mark);
  assert.equal(await shown.page.$("main img"), null);
});
