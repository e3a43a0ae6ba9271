// What is said is shown whole and in order, however it arrives.

import assert from "node:assert/strict";

import { until } from "./patience.mjs";
import { test } from "./stage.mjs";

// Holds back what the page asks about conversations until it is let go, and counts what it hears meanwhile.
const heldBack = (page) => page.evaluateOnNewDocument(() => {
  const send = WebSocket.prototype.send;
  const held = [];
  globalThis.heard = [];
  WebSocket.prototype.send = function hold(words) {
    this.listened ??= (this.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "session_history") globalThis.heard.push(...message.messages.map(({ text }) => text));
    }), true);
    if (held.open || !words.includes('"type":"subscribe"')) return send.call(this, words);
    held.push(() => send.call(this, words));
  };
  globalThis.letGo = () => {
    held.open = true;
    for (const one of held) one();
  };
});

test("what is heard before the rest has come is put in its place", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.window();
  await heldBack(shown.page);
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  await shown.start({ directory: stage.place.project });
  for (const words of ["One.", "Two."]) {
    await shown.say(words);
    await until("it is heard", () => shown.page.evaluate(() => globalThis.heard), (heard) => heard.includes(words));
  }
  await shown.page.evaluate(() => globalThis.letGo());
  const rows = await until("all is there", () => shown.conversation(), (rows) => rows.length === 4);
  assert.match(rows[0].text, /task/, "the step's prompt is first");
  assert.match(rows[1].text, /only pretend/);
  assert.deepEqual(rows.slice(2).map(({ text }) => text), ["One.", "Two."]);
});

test("however quick a run is, what was said in it is whole", async (stage) => {
  const server = await stage.serve({ script: "one-fix" });
  const context = await stage.context();
  for (let run = 0; run < 5; run += 1) {
    const shown = await stage.open(server, { context });
    const id = await shown.start({ directory: stage.place.project });
    await shown.ended();
    const { run: { step_count: steps } } = await server.ask(`/api/runs/${id}`);
    const whole = (rows) => rows.filter(({ prompt }) => prompt).length === steps && !rows.at(-1).prompt;
    const rows = await until("all is said", () => shown.conversation(), whole);
    assert.ok(rows[0].prompt, "it begins with a prompt");
    await shown.page.close();
  }
});
