// Pairing: the key is entered once, and stored nowhere.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";

const WRONG = `untethered-${"0".repeat(32)}`;

// Everything that a page could store a key in.
const kept = (shown) => shown.page.evaluate(async () => ({
  session: Object.values(sessionStorage),
  local: Object.entries(localStorage),
  cookies: document.cookie,
  databases: (await indexedDB.databases()).length,
}));

const NOTHING = { session: [], local: [], cookies: "", databases: 0 };

// The id of the browser's pass: the only thing that a signed-in page stores.
async function pass(shown) {
  const { local, ...others } = await kept(shown);
  assert.deepEqual({ local: [], ...others }, NOTHING);
  assert.equal(local.length, 1);
  const [[name, id]] = local;
  assert.equal(name, "surefire-browser");
  assert.match(id, /^browser-[0-9a-f]{32}$/);
  return id;
}

// Signing out reloads the page.
async function signOut(shown) {
  await shown.press("Sign out");
  await until("it asks for the key", () => shown.asksForKey().catch(() => false));
}

// Counts the WebSockets that a window opens, and records what it sends over them.
async function watched(shown) {
  const seen = { opened: 0, sent: [] };
  const client = await shown.page.createCDPSession();
  await client.send("Network.enable");
  client.on("Network.webSocketCreated", () => { seen.opened += 1; });
  client.on("Network.webSocketFrameSent", ({ response }) => seen.sent.push(response.payloadData));
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

test("a reload, a new tab and a link do not ask for the key again, and the key is stored nowhere", async (stage) => {
  const server = await stage.serve();
  const context = await stage.context();
  const shown = await stage.open(server, { context });
  const id = await pass(shown);
  await shown.reload();
  assert.equal(await shown.asksForKey(), false);
  assert.equal(await pass(shown), id);

  const cookies = await context.cookies();
  assert.deepEqual(cookies.map(({ name, httpOnly, sameSite, session }) => ({ name, httpOnly, sameSite, session })),
    [{ name: `surefire-${id.slice("browser-".length).slice(0, 8)}`, httpOnly: true, sameSite: "Strict", session: true }]);
  assert.ok(!JSON.stringify(cookies).includes(server.key.slice("untethered-".length)));

  const linked = await stage.window({ context });
  await linked.visit(`${server.url}#/runs`);
  await linked.connected();
  await linked.settled("#/runs");
  assert.equal(await linked.heading(), "Runs");

  const unpaired = await stage.window();
  await unpaired.visit(`${server.url}#/runs`);
  await until("it asks for the key", () => unpaired.asksForKey());
  assert.deepEqual(await kept(unpaired), NOTHING);
});

test("signing out signs out all tabs of the browser, and pairing one signs in all of them", async (stage) => {
  const server = await stage.serve();
  const context = await stage.context();
  const shown = await stage.open(server, { context });
  const other = await stage.window({ context });
  await other.visit(`${server.url}#/runs`);
  await other.connected();

  // A tab behind another one is not drawn, and what is not drawn cannot be pressed.
  await shown.page.bringToFront();
  await signOut(shown);
  await until("the other tab asks for the key", () => other.asksForKey().catch(() => false));
  const later = await stage.window({ context });
  await later.visit(`${server.url}#/runs`);
  await until("a new tab asks for the key", () => later.asksForKey());
  assert.deepEqual(await kept(later), NOTHING);
  assert.deepEqual(await context.cookies(), []);

  await later.pair(server.key);
  await later.connected();
  await later.settled("#/runs");
  await other.connected();
  await other.settled("#/runs");
});

test("a link with the key leaves one pass, and a link with a wrong one leaves the pass as it is", async (stage) => {
  const server = await stage.serve();
  const context = await stage.context();
  const first = await pass(await stage.open(server, { context }));
  const shown = await stage.open(server, { context });
  const second = await pass(shown);
  assert.notEqual(second, first);
  await until("the first cookie is gone", () => context.cookies(), (cookies) => cookies.length === 1);

  const wrong = await stage.window({ context });
  await wrong.visit(`${server.url}#key=${WRONG}`);
  await until("it says so", () => wrong.alert(), (words) => /rejected this key/.test(words));
  await wrong.reload();
  assert.equal(await pass(wrong), second);
});

test("a wrong key is reported and not retried, and the right one still pairs", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  const seen = await watched(shown);
  await shown.visit(server.url);
  await shown.pair(WRONG);
  const words = await until("it says so", () => shown.alert());
  assert.match(words, /key/i);
  assert.equal(await shown.asksForKey(), true);
  assert.deepEqual(await kept(shown), NOTHING);
  // These events make a page reconnect, but not after the server has rejected its key.
  await shown.page.evaluate(() => {
    dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await shown.pair(server.key);
  await shown.connected();
  assert.equal(seen.opened, 2, "one connection for each key");
  assert.equal(seen.sent.filter((words) => words.includes(WRONG)).length, 1);
});

test("a server that has received many wrong keys still accepts the right one", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  await shown.visit(server.url);
  for (let attempt = 0; attempt < 12; attempt += 1) {
    await shown.pair(WRONG);
    // The last attempts are throttled, and answered with the same text.
    assert.match(await until("it says so", () => shown.alert()), /rejected this key/);
  }
  await shown.pair(server.key);
  await shown.connected();
});

test("a malformed key is not sent at all", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.window();
  const seen = await watched(shown);
  const asked = [];
  // What follows the `#` stays in the browser.
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

test("after the key has changed, the page asks for the new one and forgets the old one", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  stage.allowConnectionErrors(shown);
  shown.expectedErrors.push(/^Failed to load resource: the server responded with a status of 401/);
  await server.kill();
  const key = `untethered-${"5eed".repeat(8)}`;
  writeFileSync(server.keyFile, `${key}\n`);
  await stage.serve({ listen: server.address });
  await until("it asks for the key", () => shown.asksForKey());
  assert.match(await shown.alert(), /key/i);
  await shown.pair(key);
  await shown.connected();
  await pass(shown);
});

test("a pass ends with the key that it was made with", async (stage) => {
  const server = await stage.serve();
  const context = await stage.context();
  const before = await pass(await stage.open(server, { context }));
  for (const { page } of stage.pages.splice(0)) await page.close();
  await server.kill();
  const key = `untethered-${"5eed".repeat(8)}`;
  writeFileSync(server.keyFile, `${key}\n`);
  const next = await stage.serve({ listen: server.address });
  const shown = await stage.window({ context });
  shown.expectedErrors.push(/^Failed to load resource: the server responded with a status of 401/);
  await shown.visit(`${next.url}#/runs`);
  await until("it asks for the key", () => shown.asksForKey());
  assert.match(await shown.alert(), /no longer signed in/);
  assert.deepEqual(await kept(shown), NOTHING);
  await until("its cookie is gone", () => context.cookies(), (cookies) => cookies.length === 0);
  await shown.pair(key);
  await shown.connected();
  assert.notEqual(await pass(shown), before);
  await shown.reload();
});
