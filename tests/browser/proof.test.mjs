// What was checked, refused and changed in a run.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";
import { everyEnd } from "./views.mjs";

// Opens a run of the store that has one for every reason, in a window that detects executed
// payloads.
async function opened(stage, which, options = {}) {
  const { lines, ...runs } = await everyEnd(stage.place);
  const run = runs[which] ?? lines[which][0];
  const server = await stage.serve();
  const shown = await stage.window(options);
  const noticed = [];
  await shown.page.exposeFunction("pwned", (number) => noticed.push(number));
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  await shown.goto(`#/runs/${run}`);
  await shown.ended();
  return { shown, noticed, view: (await server.ask(`/api/runs/${run}`)).view };
}

test("checks, refused tools and changes are listed, with their output folded", async (stage) => {
  const { shown, view } = await opened(stage, 3);
  const { checked, refused, commits, files, summary, rest } = await shown.proof();
  assert.deepEqual(checked.map(({ verdict }) => verdict), ["passed", "failed"]);
  assert.deepEqual(checked.map(({ text }) => text), view.proof.checks.map(({ words }) => words.replaceAll("`", "")));
  assert.deepEqual(checked.map(({ folded }) => folded), [null, true], "what has no output has nothing to unfold");
  assert.match(checked[1].found, /^<img .*\nlast line/);
  assert.deepEqual(refused.map(({ codes }) => codes.at(-1)), ["--allow-tool 'git add *' --allow-tool 'git commit *'", "note 0"]);
  assert.match(refused[1].text, /No known option allows it/);
  assert.equal(commits.length, 1);
  assert.match(commits[0], /^0000000 0 <img/);
  assert.equal(summary, "2 files, +120 −7 lines");
  assert.equal(files.length, 2);
  assert.match(files[0], /renamed from <img .*\+0 −1$/);
  assert.match(files[1], /modifiedbinary$/);
  assert.deepEqual(rest, { checked: [], refused: [], changed: [] });
  const card = await shown.card();
  // Names and commands are shown as code, without their backticks.
  for (const { label, text } of view.details) {
    assert.ok(card.text.includes(`${label}: ${text.replaceAll("`", "")}`), label);
  }
});

test("long lists are cut, and say how much is left out", async (stage) => {
  const { shown } = await opened(stage, "many");
  const { checked, refused, commits, files, rest } = await shown.proof();
  assert.deepEqual([checked.length, refused.length, commits.length, files.length], [30, 20, 20, 100]);
  assert.deepEqual(rest, { checked: ["and 10 earlier"], refused: ["and 11 more"], changed: ["and 10 more", "and 50 more"] });
});

test("no text of a command, an agent or a commit becomes markup", async (stage) => {
  const { shown, noticed } = await opened(stage, "many");
  await shown.page.evaluate(() => { for (const folded of document.querySelectorAll(".proof details")) folded.open = true; });
  const made = await shown.page.$$eval(".proof, .end .details", (parts) =>
    parts.flatMap((part) => [...part.querySelectorAll("img, script, a, b, em, iframe, style")].map((one) => one.outerHTML)));
  assert.deepEqual(made, []);
  assert.match((await shown.proof()).checked.at(-1).found, /^<img src=x onerror=pwned\(1\)>/);
  await shown.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.deepEqual(noticed, []);
});

test("the output of a check is unfolded and read with the keyboard alone", async (stage) => {
  const { shown } = await opened(stage, 3, { viewport: { width: 390, height: 800 } });
  await shown.page.focus('.proof[aria-label="Checked"] summary');
  await shown.page.keyboard.press("Enter");
  await until("it is open", async () => (await shown.proof()).checked[1].folded, (folded) => folded === false);
  await shown.page.keyboard.press("Tab");
  assert.equal(await shown.page.evaluate(() => document.activeElement.localName), "pre", "a long one can be scrolled");
  const wide = await shown.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, "nothing is wider than a phone");
});

test("after a run was stopped by refused tools, the page shows the command that allows them", async (stage) => {
  const { shown, view } = await opened(stage, "denied");
  const [next] = view.next;
  assert.deepEqual(next, { label: "Allow what was refused and resume", kind: "allow", tools: ["git add *", "git commit *"] });
  await shown.press(next.label);
  assert.equal(await until("the command is shown", () => shown.dialog()), next.label);
  assert.match(await shown.preview(), /^surefire resume [0-9a-f]{8} --allow-tool 'git add \*' --allow-tool 'git commit \*'$/);
});

test("a rehearsal says that nothing was checked", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  assert.match((await shown.ended()).text, /rests on: a rehearsal's script; nothing was checked/);
});
