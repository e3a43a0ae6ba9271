// What to do next: every end proposes something, and limits that were hit can be raised.

import assert from "node:assert/strict";

import { until } from "./until.mjs";
import { test } from "./stage.mjs";
import { everyEnd } from "./views.mjs";

// What a terminal shows of the end of a run, by the parts of `surefire why`.
function inTerminal(text) {
  const lines = text.split("\n");
  const [, title, status] = /^\S+ (.*) · (.*)$/.exec(lines[0]);
  const top = lines.slice(1, lines.findIndex((line) => line.startsWith("  run "))).map((line) => line.trim());
  const [description, [message, why, hint]] = [top.filter((line) => line.startsWith("│")), top.filter((line) => !line.startsWith("│"))];
  const next = lines.includes("What to do next") ? lines.slice(lines.indexOf("What to do next") + 1).filter(Boolean) : [];
  const rest = lines.slice(lines.findIndex((line) => line.startsWith("  run ")) + 1);
  const details = rest.slice(0, rest.indexOf("")).map((line) => line.trim());
  return {
    title, status, message, why, hint, details, description: description.map((line) => line.slice(2)).join("\n"),
    next: next.map((line) => line.trim().split(/ {2,}/)[0]),
  };
}

// The same parts on the page.
function onPage() {
  const card = document.querySelector("main [data-reason]");
  const text = (selector) => card.querySelector(selector)?.textContent ?? "";
  // What is in backticks in a terminal is a `code` element here.
  const marked = (element) => {
    const copy = element.cloneNode(true);
    for (const name of copy.querySelectorAll("code")) name.replaceWith(`\`${name.textContent}\``);
    return copy.textContent;
  };
  return {
    title: text("h2"), status: text(".kind"), message: text(".message"), why: marked(card.querySelector(".why")),
    hint: marked(card.querySelector(".helps")), details: [...card.querySelectorAll(".details li")].map(marked),
    description: text("blockquote"),
    next: [...card.querySelectorAll("button")].map((button) => button.textContent),
  };
}

test("the terminal and the page say the same about every end", async (stage) => {
  const data = stage.place.path("data");
  const { lines } = await everyEnd(stage.place);
  const server = await stage.serve();
  const reasons = (await server.ask("/api/exit-reasons")).map(({ code }) => code);
  assert.deepEqual(lines.map(([, reason]) => reason), [...reasons, "rate_limited"], "there is a run for every reason, and one that is paused");
  assert.ok(reasons.length >= 49);
  const shown = await stage.open(server);
  const [seen, labels] = [new Set(), new Set()];
  for (const [run, reason] of lines) {
    const terminal = inTerminal(await stage.place.output(["why", run, "--data", data]));
    await shown.goto(`#/runs/${run}`);
    const page = await until("its card is there", async () => (await shown.card())?.reason === reason && shown.page.evaluate(onPage));
    assert.deepEqual(page, terminal, reason);
    assert.ok(page.next.length <= 3 && new Set(page.next).size === page.next.length, `${reason}: ${page.next}`);
    assert.equal(page.next.length === 0, reason === "orchestration-disabled", reason);
    seen.add(page.status);
    for (const line of page.details) labels.add(line.split(":")[0]);
  }
  assert.equal(seen.size, 6, [...seen].join());
  assert.deepEqual([...labels].sort(), ["changed", "checked", "committed", "refused", "rests on", "waiting for"]);
});

test("a limit that was set in a terminal can be raised here, as often as it is hit", async (stage) => {
  const server = await stage.serve();
  const words = ["run", "implement-and-review", "--dir", stage.place.project, "--max-ticks", "1", "--agent", "rehearsal"];
  assert.equal(await stage.place.command(words), 125);
  const [{ run_id: run }] = (await server.ask("/api/runs")).runs;
  const shown = await stage.open(server, { at: `#/runs/${run}` });
  assert.equal((await shown.ended()).reason, "max_ticks");
  await shown.press("Allow 2 turns in all and resume");
  await until("it has resumed", () => shown.timeline(), (visits) => visits.length === 3);
  await shown.press("Allow 4 turns in all and resume");
  const card = await until("it has reached its goal", () => shown.card(), (card) => card?.reason === "task-committed");
  assert.equal(card.kind, "completed");
});
