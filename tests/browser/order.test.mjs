// Messages are shown completely and in order, in whatever order they arrive.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

// Delays the page's subscriptions to conversations until they are released, and records the
// messages that it receives meanwhile.
const delaySubscriptions = (page) => page.evaluateOnNewDocument(() => {
  const send = WebSocket.prototype.send;
  const held = [];
  globalThis.received = [];
  WebSocket.prototype.send = function hold(words) {
    this.listened ??= (this.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "session_history") globalThis.received.push(...message.messages.map(({ text }) => text));
    }), true);
    if (held.open || !words.includes('"type":"subscribe"')) return send.call(this, words);
    held.push(() => send.call(this, words));
  };
  globalThis.release = () => {
    held.open = true;
    for (const one of held) one();
  };
});

test("messages that arrive before earlier ones are put in order", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.window();
  await delaySubscriptions(shown.page);
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  await shown.start({ directory: stage.place.project });
  for (const words of ["One.", "Two."]) {
    await shown.sendPrompt(words);
    await until("it is received", () => shown.page.evaluate(() => globalThis.received), (received) => received.includes(words));
  }
  await shown.page.evaluate(() => globalThis.release());
  const rows = await until("all is there", () => shown.conversation(), (rows) => rows.length === 4);
  assert.match(rows[0].text, /task/, "the step's prompt is first");
  assert.match(rows[1].text, /only pretend/);
  assert.deepEqual(rows.slice(2).map(({ text }) => text), ["One.", "Two."]);
});

test("however fast a run is, its conversation is complete", async (stage) => {
  const server = await stage.serve({ script: "one-fix" });
  const context = await stage.context();
  for (let run = 0; run < 5; run += 1) {
    const shown = await stage.open(server, { context });
    const id = await shown.start({ directory: stage.place.project });
    await shown.ended();
    const { run: { step_count: steps } } = await server.ask(`/api/runs/${id}`);
    const whole = (rows) => rows.filter(({ prompt }) => prompt).length === steps && !rows.at(-1).prompt;
    const rows = await until("the conversation is complete", () => shown.conversation(), whole);
    assert.ok(rows[0].prompt, "it begins with a prompt");
    await shown.page.close();
  }
});
