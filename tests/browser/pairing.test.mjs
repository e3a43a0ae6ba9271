// Pairing: the key comes in once, and goes nowhere else.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import { until } from "./patience.mjs";
import { test } from "./stage.mjs";

const WRONG = `untethered-${"0".repeat(32)}`;

// All that a page could keep a key in.
const kept = (shown) => shown.page.evaluate(async () => ({
  session: Object.values(sessionStorage),
  local: localStorage.length,
  cookies: document.cookie,
  databases: (await indexedDB.databases()).length,
}));

// Counts the WebSockets that a window opens, and what it says over them.
async function watched(shown) {
  const seen = { opened: 0, said: [] };
  const client = await shown.page.createCDPSession();
  await client.send("Network.enable");
  client.on("Network.webSocketCreated", () => { seen.opened += 1; });
  client.on("Network.webSocketFrameSent", ({ response }) => seen.said.push(response.payloadData));
  return seen;
}

test("a link with the key pairs, and the key leaves the address and the history", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  assert.equal(await shown.heading(), "Recipes");
  assert.equal(await shown.hash(), "#/");
  const client = await shown.page.createCDPSession();
  const { entries } = await client.send("Page.getNavigationHistory");
  assert.ok(entries.every(({ url }) => !url.includes(server.key)), "the key is in no entry of the history");
});

test("a key that is pasted pairs", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  await shown.visit(server.url);
  assert.equal(await shown.asksForKey(), true);
  await shown.pair(server.key);
  await shown.connected();
  await until("the recipes are shown", () => shown.recipes(), (found) => found.length === 8);
  assert.equal(await shown.heading(), "Recipes");
});

test("the key is kept for a reload, in this tab alone", async (stage) => {
  const server = await stage.serve();
  const context = await stage.context();
  const shown = await stage.open(server, { context });
  await shown.reload();
  assert.equal(await shown.asksForKey(), false);
  assert.deepEqual(await kept(shown), { session: [server.key], local: 0, cookies: "", databases: 0 });
  const cookies = await context.cookies();
  assert.deepEqual(cookies, []);

  for (const other of [await stage.window({ context }), await stage.window()]) {
    await other.visit(server.url);
    assert.equal(await until("it asks for the key", () => other.asksForKey()), true);
    assert.deepEqual(await kept(other), { session: [], local: 0, cookies: "", databases: 0 });
  }
});

test("a wrong key is told and not tried again, and the right one still pairs", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  const seen = await watched(shown);
  await shown.visit(server.url);
  await shown.pair(WRONG);
  const words = await until("it says so", () => shown.alert());
  assert.match(words, /key/i);
  assert.equal(await shown.asksForKey(), true);
  assert.deepEqual((await kept(shown)).session, []);
  // It would come back when it is online again, or looked at again; not after a refusal.
  await shown.page.evaluate(() => {
    dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await shown.pair(server.key);
  await shown.connected();
  assert.equal(seen.opened, 2, "one connection for each key");
  assert.equal(seen.said.filter((words) => words.includes(WRONG)).length, 1);
});

test("a server that has been shown many wrong keys still takes the right one", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  await shown.visit(server.url);
  for (let attempt = 0; attempt < 12; attempt += 1) {
    await shown.pair(WRONG);
    // The last ones are answered late, and in the same words.
    assert.match(await until("it says so", () => shown.alert()), /does not take this key/);
  }
  await shown.pair(server.key);
  await shown.connected();
});

test("a malformed key is not sent at all", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  const seen = await watched(shown);
  const asked = [];
  // What stands behind `#` stays in the browser.
  shown.page.on("request", (request) => asked.push(request.url().split("#")[0] + (request.headers().authorization ?? "")));
  for (const bad of ["hunter2", WRONG.slice(0, -1), `${WRONG}0`, WRONG.toUpperCase(), `${WRONG} x`, `<b>${WRONG}`]) {
    await shown.visit(`${server.url}#key=${encodeURIComponent(bad)}`);
    await until("it asks for the key", () => shown.asksForKey());
    await shown.pair(bad);
    assert.equal(await shown.asksForKey(), true, bad);
    await shown.visit("about:blank");
  }
  assert.equal(seen.opened, 0);
  assert.ok(asked.length > 0 && asked.every((one) => !/hunter2|untethered/i.test(one)));
});

test("a malformed key in the address does not stay there", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  await shown.visit(`${server.url}#key=${server.key.slice(0, -1)}`);
  await until("it asks for the key", () => shown.asksForKey());
  await until("it is gone", () => shown.hash(), (hash) => !hash.includes("untethered"));
});

test("a key that is changed meanwhile is asked for, and the old one forgotten", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  stage.mayBeAlone(shown);
  shown.forgiven.push(/^Failed to load resource: the server responded with a status of 401/);
  await server.kill();
  const key = `untethered-${"5eed".repeat(8)}`;
  writeFileSync(server.keyFile, `${key}\n`);
  await stage.serve({ listen: server.address });
  await until("it asks for the key", () => shown.asksForKey());
  assert.match(await shown.alert(), /key/i);
  assert.deepEqual((await kept(shown)).session, []);
  await shown.pair(key);
  await shown.connected();
  assert.deepEqual((await kept(shown)).session, [key]);
});
