// A run, while it is running.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { test } from "./stage.mjs";

test("a run is shown step by step, with its retry, its visits and its end", async (stage) => {
  const server = await stage.serve({ script: "one-fix", pace: 150 });
  const shown = await stage.open(server);
  const run = await shown.start({ directory: stage.place.project });
  const seen = [];
  const card = await until("it ends", async () => {
    const steps = (await shown.timeline()).map(({ step }) => step);
    if (steps.join() !== seen.at(-1)?.join()) seen.push(steps);
    return shown.card();
  });
  const path = ["implement", "code-review", "fix", "code-review", "commit"];
  const last = await shown.timeline();
  assert.deepEqual(last.map(({ step }) => step), path);
  assert.deepEqual(last.map(({ outcome }) => outcome), ["complete", "issues-found", "complete", "no-issues", "committed"]);
  assert.ok(seen.length > 1, "it grew while it was watched");
  for (const steps of seen) assert.deepEqual(steps, path.slice(0, steps.length), "it only ever grew");

  const { nodes, arrows } = await shown.picture();
  assert.match(nodes.find(({ label }) => label === "code-review").count, /2/, "the visits are counted");
  assert.equal(nodes.find(({ label }) => label === "implement").count, "");
  const taken = arrows.filter(({ kinds }) => kinds.includes("taken")).map(({ label }) => label);
  assert.deepEqual(taken.sort(), ["committed", "complete", "complete", "issues-found", "no-issues"]);

  assert.equal(card.kind, "completed");
  assert.match(card.title, /Task committed/);
  assert.match(card.text, /rehearsal/i, "it cannot be mistaken for work");
  const { events } = await server.ask(`/api/runs/${run}`);
  assert.equal(events.at(-1).event, "ended");
});

test("a reply that could not be read is shown as asked again", async (stage) => {
  const server = await stage.serve({ script: "garbage-once" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const visits = await shown.timeline();
  assert.deepEqual(visits.map(({ step }) => step), ["implement", "code-review", "commit"]);
  assert.match(visits[0].remarks.join(" "), /again.*1 of 3/);
  assert.deepEqual(visits.slice(1).flatMap(({ remarks }) => remarks), ["rehearsed: looked up `commit`: found"]);
});

test("the conversation has prompts folded and replies open", async (stage) => {
  const rule = "-".repeat(60);
  const words = `# Heading\n\nSome **bold** words, \`code\`, and\n\n- one\n- two\n\n${rule}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`\n${rule}\n\`\`\``;
  const server = await stage.serve({ plan: { default: { passages: [words] } } });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project, about: "Only the cart." });
  await shown.ended();
  const rows = await until("the conversation is complete", () => shown.conversation(), (rows) => rows.filter(({ prompt }) => prompt).length === 3);
  assert.ok(rows[0].prompt && rows[0].folded && rows[0].text.includes("Only the cart."));
  assert.ok(rows.filter(({ prompt }) => prompt).every(({ folded }) => folded));
  const reply = rows.find(({ text }) => text.includes("Heading"));
  assert.equal(reply.prompt, false);
  for (const element of [/<h\d[^>]*>Heading/, /<strong>bold/, /<code[^>]*>code/, /<li>one/, /<hr>/, /<td[^>]*>2/, /<code>-{60}/]) assert.match(reply.html, element);
  assert.ok(!reply.text.includes("**"));
});

test("progress is shown relative to the worst case", async (stage) => {
  const server = await stage.serve({ script: "one-fix" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const { max_steps: most } = await server.ask("/api/recipes/implement-and-review");
  const { text, value, max } = await shown.progress();
  assert.match(text, new RegExp(`^step 5 of at most ${most}\\b`, "i"));
  assert.deepEqual({ value, max }, { value: 5, max: most });
});

test("the current step is marked while the run is running", async (stage) => {
  const server = await stage.serve({ script: "slow" });
  const shown = await stage.open(server);
  await shown.start({ directory: stage.place.project });
  const visits = await until("there is a visit", () => shown.timeline(), (visits) => visits.length > 0);
  assert.deepEqual(visits.map(({ step, current, outcome }) => ({ step, current, outcome })), [{ step: "implement", current: true, outcome: null }]);
  const { nodes } = await shown.picture();
  assert.deepEqual(nodes.filter(({ kinds }) => kinds.includes("current")).map(({ label }) => label), ["implement"]);
  assert.equal(await shown.card(), null);
  await shown.stop();
  await shown.ended();
  const after = await shown.picture();
  assert.deepEqual(after.nodes.filter(({ kinds }) => kinds.includes("current")), [], "no step is current any more");
  assert.ok((await shown.timeline()).every(({ current }) => !current));
});

test("a directory that is not allowed is reported in the dialog, which keeps its values", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, "/nowhere/at/all", "combobox");
  await shown.fill(FIELDS.about, "Something long that nobody wants to write twice.");
  await shown.press("Start");
  assert.ok(await until("it says why", () => shown.alert()));
  assert.match(await shown.dialog(), /Implement & Review/);
  const about = await shown.find("textbox", FIELDS.about);
  assert.match(await about.evaluate((field) => field.value), /nobody wants to write twice/);
});

test("the output of an engine's command is shown while it runs", async (stage) => {
  const tries = [{ write: { path: "polished.txt", content: "polished" } }];
  const server = await stage.serve({ command: "examples/proof_of_work", plan: { default: { tries } } });
  const [check, go] = [join(stage.place.project, "check"), stage.place.path("go")];
  // The command waits until the test has looked at the page.
  writeFileSync(check, `#!/bin/sh\necho '<b>halfway there</b>'\nwhile ! [ -e '${go}' ]; do sleep 0.05; done\n`, { mode: 0o755 });
  const shown = await stage.open(server);
  await shown.start({ recipe: "Polish A File", directory: stage.place.project });
  const output = () => shown.page.$eval(".progress .output", ({ textContent, childElementCount }) => ({ textContent, childElementCount }));
  const line = await until("it is shown", output, ({ textContent }) => textContent !== "");
  assert.deepEqual(line, { textContent: "<b>halfway there</b>", childElementCount: 0 });
  writeFileSync(go, "");
  assert.equal((await shown.ended()).kind, "completed");
  assert.equal((await output()).textContent, "");
});
