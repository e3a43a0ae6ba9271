// What a run changed, line by line.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { outOfReach, tooPale } from "./measure.mjs";
import { CHANGES } from "./page.mjs";
import { LINE, PAYLOADS } from "./payloads.mjs";
import { test } from "./stage.mjs";

const PRICES = "apple 1\npear 2\nplum 3\n";

// An agent that does these things turn by turn, and then reports each step's first outcome.
const plan = (...answers) => ({ answers });
const write = (path, content) => ({ write: { path, content } });
const edit = (path, old, fresh) => ({ edit: { path, old, new: fresh } });

// Changes a file, has to fix something, and commits everything.
const FIXED = plan(
  { tries: [edit("prices.txt", "pear 2", "pear 4")] },
  { pick: "issues-found" },
  { tries: [write("src/notes.md", "# Notes\n\nPears are dear.\n")] },
);

// Runs a plan to its end, in a window that shows the run.
async function ran(stage, { plan, ...options }) {
  writeFileSync(join(stage.place.project, "prices.txt"), PRICES);
  const server = await stage.serve({ plan });
  const shown = await stage.open(server, options);
  const run = await shown.start({ directory: stage.place.project });
  await shown.ended();
  return { server, shown, run };
}

test("the diff of a run is read when it is opened, and of each of its turns", async (stage) => {
  const { shown } = await ran(stage, { plan: FIXED });
  const asked = [];
  shown.page.on("request", (request) => request.url().includes("/diff") && asked.push(new URL(request.url()).search));
  assert.deepEqual((await shown.changes()).files, [], "it was not requested yet");
  const { files, choices, words, rest } = await shown.openChanges();
  assert.deepEqual(asked, [""]);
  assert.deepEqual([words, rest], ["", []]);
  assert.deepEqual(files.map(({ name, text }) => [name, text]), [
    ["prices.txt", "prices.txt modified +1 −1"], ["src/notes.md", "src/notes.md added +3 −0"],
  ]);
  const [prices, notes] = files;
  assert.ok(prices.open && notes.open);
  assert.deepEqual([prices.removed, prices.added, prices.same], [["-pear 2"], ["+pear 4"], [" apple 1", " plum 3"]]);
  assert.deepEqual(notes.added, ["+# Notes", "+", "+Pears are dear."]);
  assert.deepEqual(choices.map(({ text }) => text), [
    "The whole run", "Step 1: implement", "Step 2: code-review (nothing changed)", "Step 3: fix",
    "Step 4: code-review (nothing changed)", "Step 5: commit (nothing changed)",
  ]);
  await shown.choose("Show", "3");
  const fixed = await shown.changesRead(({ files }) => files.length === 1);
  assert.equal(fixed.files[0].name, "src/notes.md");
  assert.match(fixed.words, /^Compared with the last snapshot before this turn/);
  await shown.choose("Show", "2");
  const reviewed = await shown.changesRead(({ files }) => files.length === 0);
  assert.equal(reviewed.words, "Nothing has changed in this turn.");
  assert.deepEqual(asked, ["", "?turn=3", "?turn=2"]);
});

test("changes that are open follow the run, and what was folded stays folded", async (stage) => {
  writeFileSync(join(stage.place.project, "prices.txt"), PRICES);
  const answers = FIXED.answers.map((answer, index) => (index === 2 ? { ...answer, delay_ms: 1500 } : answer));
  const server = await stage.serve({ plan: plan(...answers) });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.openChanges();
  await shown.changesRead(({ files }) => files.length === 1);
  await shown.page.$eval(`${CHANGES} li summary`, (summary) => summary.click());
  await shown.ended();
  const { files, choices } = await shown.changesRead(({ files, choices }) => files.length === 2 && choices.length === 6);
  assert.deepEqual(files.map(({ name, open }) => [name, open]), [["prices.txt", false], ["src/notes.md", true]]);
  assert.equal(choices.at(-1).text, "Step 5: commit (nothing changed)");
});

test("no file content and no file name becomes markup", async (stage) => {
  // Lines that look like diff syntax, and one that looks different from what it contains.
  const odd = ["diff --git a/other b/other", "--- a/other", "+++ b/other", "@@ -1,9 +1,9 @@", "\\ No newline at end of file", "admin\u202e nimda"];
  const content = [...PAYLOADS, ...odd].join("\n").replaceAll("\u0000", "");
  const tries = [write(LINE, content), edit("prices.txt", "-- a/other", "++ b/other")];
  const server = await stage.serve({ plan: plan({ tries }) });
  writeFileSync(join(stage.place.project, "prices.txt"), "-- a/other\nlast\n");
  const shown = await stage.window();
  const noticed = [];
  await shown.page.exposeFunction("pwned", (number) => noticed.push(number));
  shown.page.on("request", (request) => new URL(request.url()).host === server.address || noticed.push(request.url()));
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const { files } = await shown.openChanges();
  assert.deepEqual(files.map(({ name }) => name), [JSON.stringify(LINE), "prices.txt"], "git puts an odd name into quotes");
  const [hostile, prices] = files;
  assert.deepEqual([prices.removed, prices.added, prices.same], [["--- a/other"], ["+++ b/other"], [" last"]]);
  const named = (text) => text.replaceAll("\u0001", "⟨U+0001⟩").replaceAll("\u202e", "⟨U+202E⟩").replaceAll("\u202c", "⟨U+202C⟩")
    .replaceAll("\u2066", "⟨U+2066⟩").replaceAll("\u2069", "⟨U+2069⟩");
  assert.deepEqual(hostile.added, named(content).split("\n").map((line) => `+${line}`));
  const made = await shown.page.$eval(CHANGES, (section) => [...section.querySelectorAll("*")].map(({ localName }) => localName));
  const expected = ["details", "summary", "h2", "label", "span", "select", "option", "p", "div", "ul", "li", "code", "pre", "ins", "del"];
  assert.deepEqual(made.filter((name) => !expected.includes(name)), []);
  await shown.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.deepEqual(noticed, []);
});

test("a diff that is too long says so, and a long file is folded", async (stage) => {
  const long = Array.from({ length: 40_000 }, (_, index) => `line ${index} of a file`).join("\n");
  const { shown } = await ran(stage, { plan: plan({ tries: [write("a.txt", "short\n"), write("long.txt", long), write("z.txt", "last\n")] }) });
  const { words, rest, files } = await shown.openChanges();
  assert.equal(words, "Only the beginning is shown: the diff is too long.");
  assert.deepEqual(rest, ["The rest is not shown."]);
  assert.deepEqual(files.map(({ name, open, lines }) => [name, open, lines !== ""]), [["a.txt", true, true], ["long.txt", false, false]]);
  await shown.page.$eval(`${CHANGES} li:last-of-type summary`, (summary) => summary.click());
  const [, { added }] = (await shown.changesRead(({ files }) => files[1].added.length > 0)).files;
  assert.ok(added.length > 20_000);
  assert.equal(added[1234], "+line 1234 of a file");
});

test("a rehearsal says why there is no diff", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const { words, files } = await shown.openChanges();
  assert.deepEqual([words, files], ["This run is a rehearsal, which changes nothing.", []]);
});

for (const scheme of ["light", "dark"]) {
  test(`a diff can be read and reached with the keyboard on a phone (${scheme})`, async (stage) => {
    const long = `${"a-very-long-name-without-a-space-".repeat(5)}.txt`;
    const tries = [edit("prices.txt", "pear 2", "pear 4"), write(long, `${"x".repeat(500)}\n`)];
    const { shown } = await ran(stage, { plan: plan({ tries }), viewport: { width: 360, height: 740 } });
    const { page } = shown;
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.focus(`${CHANGES} summary`);
    await page.keyboard.press("Enter");
    await shown.changesRead(({ files }) => files.length === 2);
    const order = [];
    for (let index = 0; index < 5; index += 1) {
      await page.keyboard.press("Tab");
      order.push(await page.evaluate(() => document.activeElement.localName));
    }
    assert.deepEqual(order, ["select", "summary", "pre", "summary", "pre"]);
    assert.deepEqual(await outOfReach(page), []);
    assert.deepEqual(await tooPale(page), []);
  });
}
