// No text from an agent, a user or a repository is ever executed.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";

import { CONVERSATION, FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { LINE, PAYLOADS } from "./payloads.mjs";
import { makeWorkTree } from "./server.mjs";
import { test } from "./stage.mjs";

const FORBIDDEN = "script, iframe, frame, img, image, style, link, form, object, embed, base, meta, video, audio, source, template, svg, math, "
  + "button, textarea, select, input:not([type=checkbox][disabled])";

// A window that detects executed payloads, and requests to other hosts.
async function guarded(stage, server) {
  const shown = await stage.window();
  const noticed = { run: [], asked: [], opened: [] };
  await shown.page.exposeFunction("pwned", (number) => noticed.run.push(number));
  shown.page.on("request", (request) => {
    if (new URL(request.url()).host !== server.address) noticed.asked.push(request.url());
  });
  shown.page.on("dialog", (dialog) => { noticed.run.push(dialog.message()); dialog.dismiss(); });
  shown.page.browserContext().on("targetcreated", (target) => noticed.opened.push(target.url()));
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  return { shown, noticed };
}

// The letters and digits of a text: Markdown removes some of the other characters.
const bare = (text) => text.replace(/[^\p{L}\p{N}]/gu, "");

test("no reply becomes anything but text and links to pages", async (stage) => {
  assert.ok(PAYLOADS.length >= 30);
  const server = await stage.serve({ plan: { default: { passages: PAYLOADS } } });
  const { shown, noticed } = await guarded(stage, server);
  await shown.start({ directory: stage.place.project, recipe: "Retrospective" });
  await shown.ended();
  // The replies were shown live; now they are read from the beginning.
  await shown.reload();
  const rows = await until("the conversation is complete", () => shown.conversation(), (rows) => rows.length > PAYLOADS.length);
  const inside = await shown.page.$eval(CONVERSATION, (log, forbidden) => ({
    forbidden: [...log.querySelectorAll(forbidden)].map((one) => one.outerHTML),
    attributes: [...log.querySelectorAll("*")].flatMap((one) => [...one.attributes].map(({ name, value }) => `${name}=${value}`)),
    links: [...log.querySelectorAll("a, area, [href]")].map((one) => {
      const { localName: name, protocol, rel, target, host } = one;
      return { name, href: one.getAttribute("href"), protocol, rel, target, host };
    }),
  }), FORBIDDEN);
  assert.deepEqual(inside.forbidden, []);
  assert.deepEqual(inside.attributes.filter((one) => /^(on|style|srcdoc|formaction|ping|xlink)/i.test(one)), []);
  assert.ok(inside.links.length >= 2, "valid links are links");
  for (const link of inside.links) {
    assert.equal(link.name, "a");
    assert.match(link.protocol, /^https?:$/, link.href);
    assert.match(link.rel, /\bnoopener\b/);
    assert.equal(link.target, "_blank");
    assert.notEqual(link.host, server.address, "no reply leads into the console");
  }
  // Link definitions and destinations are not shown as text; everything else is. A `[x]` becomes a
  // checked box.
  const shownText = rows.map(({ text }) => bare(text)).join("\n");
  const plain = PAYLOADS.filter((text) => !/^\[|^!\[|\]\(|&|^`{3}|^__proto__|https?:/m.test(text));
  assert.ok(plain.length >= 30);
  const unread = plain.filter((text) => !shownText.includes(bare(text.replaceAll("- [x]", "-"))));
  assert.deepEqual(unread, []);
  await touchEverything(shown, noticed);
  assert.deepEqual(noticed.run, []);
  assert.deepEqual(noticed.asked, []);
});

// Clicks every link, focuses and hovers over every row, and looks at what that opened.
async function touchEverything(shown, noticed) {
  const page = shown.page;
  const before = page.url();
  for (const link of await page.$$(`${CONVERSATION} a`)) {
    const count = noticed.opened.length;
    await link.click();
    // The new tab covers the console, which is not drawn until it is in front again.
    await until("it opens", () => noticed.opened.length > count);
    for (const other of await page.browserContext().pages()) if (other !== page) await other.close();
    await page.bringToFront();
  }
  for (const row of await page.$$(`${CONVERSATION} > li`)) await row.hover();
  await page.evaluate((log) => {
    for (const details of document.querySelectorAll(`${log} details`)) details.open = true;
    const rest = document.querySelectorAll(`${log} :not(a, a *)`);
    for (const one of rest) one.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }, CONVERSATION);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal(page.url(), before, "the console stays where it is");
  for (const url of noticed.opened) assert.match(url, /^(https?:|about:blank|$|chrome-error:)/, "nothing is opened but pages");
}

test("a run's task, its directory and its session's name are only text", async (stage) => {
  const folder = stage.place.path(LINE);
  mkdirSync(folder);
  makeWorkTree(folder);
  const server = await stage.serve({ plan: { default: {} } });
  const { shown, noticed } = await guarded(stage, server);
  const about = PAYLOADS.join("\n\n").replaceAll("\u0000", "");
  const run = await shown.start({ directory: folder, about });
  await shown.ended();
  await shown.reload();
  const rows = await until("the conversation is complete", () => shown.conversation(), (rows) => rows.filter(({ prompt }) => prompt).length === 3);
  assert.ok(rows[0].text.includes(about.split("\n")[0]) && rows[0].text.includes("__proto__"), "it can still be read");
  const text = () => shown.page.evaluate(() => document.body.innerText);
  assert.ok((await text()).includes(LINE), "the folder can be read");
  await shown.goto("#/runs");
  assert.equal((await shown.runs())[0].id, run);
  assert.ok((await text()).includes(LINE));
  // The dialog offers sessions by their names, and folders.
  await shown.goto("#/");
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.about, about);
  const offered = await shown.page.$$eval("dialog option", (options) => options.map((one) => one.textContent + one.value).join("\n"));
  assert.ok(offered.includes(LINE));
  const inside = await shown.page.$$eval("dialog :is(script, iframe, img, style, svg, object, embed, base, meta)", (found) => found.length);
  assert.equal(inside, 0);
  assert.deepEqual(noticed, { run: [], asked: [], opened: [] });
});

test("the agent's own words on the card are only text", async (stage) => {
  const description = `${LINE} [x](javascript:pwned(903)) ${PAYLOADS[0]}`;
  const server = await stage.serve({ plan: { default: { text: JSON.stringify({ outcome: "other", otherDescription: description }) } } });
  const { shown, noticed } = await guarded(stage, server);
  await shown.start({ directory: stage.place.project });
  const card = await shown.ended();
  assert.ok(card.text.includes(description));
  const inside = await shown.page.$$eval("main script, main iframe, main img, main style, main form img", (found) => found.length);
  assert.equal(inside, 0);
  assert.deepEqual(noticed, { run: [], asked: [], opened: [] });
});

test("what is in the address is only text", async (stage) => {
  const server = await stage.serve();
  const { shown, noticed } = await guarded(stage, server);
  shown.expectedErrors.push(/^Failed to load resource: the server responded with a status of 40[04]/);
  for (const odd of [LINE, "..", "../../health", "__proto__", "constructor", "%", "%00", "a/b/c", "x".repeat(3000)]) {
    for (const view of ["recipes", "runs"]) {
      for (const written of new Set([odd, encodeURIComponent(odd)])) {
        await shown.page.evaluate((hash) => { location.hash = hash; }, `#/${view}/${written}`);
        const content = () => shown.page.evaluate(() => document.querySelector("main").innerText.trim());
        await until(`something is shown for ${view}/${odd.slice(0, 60)}`, content);
      }
    }
    await shown.goto("#/");
  }
  assert.deepEqual(noticed, { run: [], asked: [], opened: [] });
});

test("the page has a content security policy, and nothing inline", async (stage) => {
  const server = await stage.serve();
  const answer = await fetch(server.url);
  const policy = Object.fromEntries(answer.headers.get("content-security-policy").split(";").map((part) => {
    const [name, ...values] = part.trim().split(/\s+/);
    return [name, values.join(" ")];
  }));
  assert.equal(policy["default-src"], "'none'");
  for (const name of ["script-src", "style-src", "connect-src"]) assert.equal(policy[name], "'self'", name);
  for (const name of ["frame-ancestors", "base-uri", "form-action"]) assert.equal(policy[name], "'none'", name);
  assert.doesNotMatch(Object.values(policy).join(" "), /unsafe|data:|blob:|\*|https?:/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  const html = await answer.text();
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son[a-z]+=|javascript:/i);
  assert.doesNotMatch(html, /https?:\/\//, "everything comes from the server itself");
});
