// Runs in worktrees, repositories that are not trusted, and what reviews and rules found.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { outOfReach } from "./measure.mjs";
import { FIELDS } from "./page.mjs";
import { until } from "./until.mjs";
import { proxied } from "./proxy.mjs";
import { gitIn } from "./server.mjs";
import { test } from "./stage.mjs";

// An agent that does these things turn by turn, and then reports each step's first outcome.
const plan = (...answers) => ({ answers });
const write = (path, content) => ({ write: { path, content } });
const reported = (report) => ({ text: `Here it is.\n\n\`\`\`json\n${JSON.stringify(report)}\n\`\`\`` });

const NOTES = plan({ tries: [write("notes.md", "Pears are dear.\n")] });
const HOSTILE = "<img src=x onerror=pwned(1)> **bold**";

// Writes and commits a file of the project.
function committed(stage, name, content) {
  writeFileSync(join(stage.place.project, name), content);
  gitIn(stage.place.project, "add", name);
  gitIn(stage.place.project, "commit", "--quiet", "--message", `Change ${name}`);
}

// Starts a run in a worktree, and waits for its end.
async function ranInWorktree(stage, shown) {
  const run = await shown.start({ directory: stage.place.project, isolate: true });
  await shown.ended();
  return run;
}

test("a run in a worktree is merged by a button, and its card says so", async (stage) => {
  const server = await stage.serve({ plan: NOTES });
  const shown = await stage.open(server);
  const { project } = stage.place;
  const run = await ranInWorktree(stage, shown);
  const { view: { workplace: { worktree } } } = await server.ask(`/api/runs/${run}`);
  assert.deepEqual((await shown.card()).actions.slice(0, 2), ["Merge its branch", "Discard its worktree"]);
  assert.deepEqual(await shown.worktree(), {
    Branch: worktree.branch, Directory: worktree.path, "Created from": worktree.repository, Now: "neither merged nor discarded",
  });
  assert.ok(existsSync(join(worktree.path, "notes.md")) && !existsSync(join(project, "notes.md")));
  const other = await stage.open(server, { at: `#/runs/${run}` });
  await shown.press("Merge its branch");
  for (const window of [shown, other]) {
    const { text, actions } = await until("its card says so", () => window.card(), ({ text }) => /was merged into/.test(text));
    assert.match(text, new RegExp(`worktree: branch ${worktree.branch} was merged into main at [0-9a-f]{7}`));
    assert.ok(!actions.some((label) => /Merge|Discard/.test(label)), actions.join());
    assert.match((await window.worktree()).Now, /^merged into main at [0-9a-f]{7}$/);
  }
  assert.ok(await shown.page.evaluate(() => document.activeElement.matches(".end")), "the focus moves to the result");
  assert.ok(existsSync(join(project, "notes.md")) && !existsSync(worktree.path));
  assert.match(gitIn(project, "log", "--format=%s", "main", "--", "notes.md"), /\S/);
  assert.equal(gitIn(project, "branch", "--list", worktree.branch), "");
});

test("a worktree is discarded only after a confirmation", async (stage) => {
  const server = await stage.serve({ plan: NOTES });
  const shown = await stage.open(server);
  const run = await ranInWorktree(stage, shown);
  const { view: { workplace: { worktree } } } = await server.ask(`/api/runs/${run}`);
  const before = gitIn(stage.place.project, "rev-parse", "main");
  await shown.press("Discard its worktree");
  assert.equal(await until("it asks", () => shown.dialog()), "Discard its worktree?");
  await shown.press("Cancel");
  assert.equal(await shown.dialog(), null);
  assert.ok(existsSync(worktree.path), "nothing was discarded");
  await shown.press("Discard its worktree");
  await shown.press("Discard");
  const { text, actions } = await until("its card says so", () => shown.card(), ({ text }) => /was discarded/.test(text));
  assert.match(text, /was discarded at [0-9a-f]{7}/);
  assert.ok(!actions.some((label) => /Merge|Discard/.test(label)), actions.join());
  assert.ok(!existsSync(worktree.path));
  assert.equal(gitIn(stage.place.project, "rev-parse", "main"), before);
  await shown.press("Start again");
  const directory = await shown.find("combobox", FIELDS.directory);
  assert.equal(await directory.evaluate(({ value }) => value), stage.place.project, "not the worktree, which is gone");
  const isolate = await shown.find("checkbox", FIELDS.isolate);
  assert.equal(await isolate.evaluate(({ checked }) => checked), true);
});

test("a branch in conflict stays as it is, and the page names the conflict", async (stage) => {
  const server = await stage.serve({ plan: NOTES });
  const shown = await stage.open(server);
  const run = await ranInWorktree(stage, shown);
  // A merge needs a commit, which needs an author.
  gitIn(stage.place.project, "config", "user.name", "A Person");
  gitIn(stage.place.project, "config", "user.email", "person@example.com");
  committed(stage, "notes.md", "Pears are cheap.\n");
  await shown.press("Merge its branch");
  assert.match(await until("it says why not", () => shown.alert()), /conflict.*notes\.md/);
  const { view: { workplace: { worktree } } } = await server.ask(`/api/runs/${run}`);
  assert.ok(existsSync(worktree.path) && worktree.end === undefined);
  await until("it can be pressed again", () => shown.page.$$eval("[data-act=merge]", ([button]) => !button.disabled));
});

test("findings are listed round by round, and none becomes markup", async (stage) => {
  const findings = [{ text: HOSTILE, file: "src/cart.rs", line: 12, severity: "high" }, "No test covers it"];
  const server = await stage.serve({ plan: plan({}, reported({ outcome: "issues-found", findings }), {}, reported({ outcome: "issues-found", findings: ["No test covers it"] })) });
  const shown = await stage.window();
  const noticed = [];
  await shown.page.exposeFunction("pwned", (number) => noticed.push(number));
  await shown.visit(`${server.url}#key=${server.key}`);
  await shown.connected();
  await shown.start({ directory: stage.place.project });
  await shown.ended();
  const rounds = await shown.findings();
  assert.deepEqual(rounds.map(({ text, stands }) => [text, stands]), [
    ["Round 1 of code-review: settled", "settled"], ["Round 2 of code-review: settled", "settled"],
  ]);
  assert.deepEqual(rounds.map(({ findings }) => findings), [[`src/cart.rs:12 high ${HOSTILE}`, "No test covers it"], ["No test covers it"]]);
  assert.equal(await shown.page.$('section[aria-label="Findings"] :is(img, b, strong strong)'), null);
  assert.deepEqual(noticed, []);
});

test("only the findings of the last round are open, on a phone too", async (stage) => {
  const found = reported({ outcome: "issues-found", findings: ["No test covers it"] });
  const server = await stage.serve({ plan: plan({}, found, {}, found, { act: "silence" }) });
  const shown = await stage.open(server, { viewport: { width: 390, height: 800 } });
  await shown.start({ directory: stage.place.project });
  const rounds = await until("there are two", () => shown.findings(), ({ length }) => length === 2);
  assert.deepEqual(rounds.map(({ text }) => text), ["Round 1 of code-review: reviewed again since", "Round 2 of code-review: 1 open"]);
  const wide = await shown.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, "nothing is wider than a phone");
});

test("files that are not allowed are listed with their rule, and can be permitted only on the server's machine", async (stage) => {
  const server = await stage.serve({ plan: plan({ tries: [write("Cargo.lock", "version = 4\n")] }) });
  const shown = await stage.open(server);
  const run = await shown.start({ recipe: "Document Design", directory: stage.place.project });
  const { reason, actions } = await shown.ended();
  assert.equal(reason, "lockfile_violation");
  assert.equal(actions[0], "Allow lockfile changes and resume");
  const { view } = await server.ask(`/api/runs/${run}`);
  const line = view.details.find(({ label }) => label === "not allowed").text.replaceAll("`", "");
  assert.deepEqual((await shown.violations()).map(([path, rule]) => `${path} (${rule})`), [line], "in the words of the card");
  const proxy = await proxied(server);
  const elsewhere = await stage.open(proxy, { at: `#/runs/${run}` });
  await elsewhere.press(actions[0]);
  assert.equal(await until("the command is shown", () => elsewhere.dialog()), actions[0]);
  assert.equal(await elsewhere.preview(), `surefire resume ${run.slice(0, 8)} --allow-deps`);
  await shown.press(actions[0]);
  await until("it ended with another reason", () => shown.card(), (card) => card && card.reason !== reason);
  assert.deepEqual((await server.ask(`/api/runs/${run}`)).view.workplace.permits, { allow_deps: true });
  stage.allowConnectionErrors(elsewhere);
  proxy.close();
});

test("a repository is trusted by a button, and the start that was refused then works", async (stage) => {
  committed(stage, "surefire.toml", 'verify = ["true"]\n');
  const server = await stage.serve({ plan: NOTES });
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, stage.place.project, "combobox");
  const { text, commands } = await until("it says so", () => shown.trust());
  assert.match(text, /^This repository is not trusted\./);
  assert.deepEqual(commands, ["true"]);
  await shown.press("Start");
  assert.match(await until("it is refused", () => shown.alert()), /surefire\.toml.*has commands to run \(`true`\).*not trusted/);
  await shown.press("Trust this repository");
  await until("it is trusted", () => shown.trust(), ({ text }) => text === "This repository is trusted. The engine runs true.");
  const run = await shown.submit({});
  assert.equal((await shown.ended()).kind, "completed");
  assert.equal((await server.ask(`/api/runs/${run}`)).view.workplace.trust, "recorded");
  await shown.press("Start again");
  await until("there is a preview", () => shown.preview());
  assert.equal(await shown.trust(), null);
});

test("a run without a repository's commands says what was not verified", async (stage) => {
  committed(stage, "surefire.toml", 'verify = ["false"]\n');
  const server = await stage.serve({ plan: NOTES });
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, stage.place.project, "combobox");
  await until("it says so", () => shown.trust());
  await shown.page.click(".trust input[type=checkbox]");
  const run = await shown.submit({});
  assert.match((await shown.ended()).text, /not verified: false of the repository/);
  assert.deepEqual(await shown.skipped(), ["false"]);
  assert.deepEqual((await server.ask(`/api/runs/${run}`)).view.workplace.skipped, ["false"]);
});

test("a choice for one repository does not apply to the next", async (stage) => {
  committed(stage, "surefire.toml", 'verify = ["true"]\n');
  const server = await stage.serve({ plan: NOTES });
  const shown = await stage.open(server);
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, stage.place.project, "combobox");
  await until("it says so", () => shown.trust());
  await shown.page.click(".trust input[type=checkbox]");
  await shown.fill(FIELDS.directory, stage.place.folder, "combobox");
  assert.equal(await shown.trust(), null, "at once");
  await shown.fill(FIELDS.directory, stage.place.project, "combobox");
  await until("it says so again", () => shown.trust());
  assert.equal(await shown.page.$eval(".trust input[type=checkbox]", ({ checked }) => checked), false);
});

test("away from the server's machine nothing can be trusted, and the command is shown", async (stage) => {
  committed(stage, "surefire.toml", 'verify = ["true"]\n');
  committed(stage, ".mcp.json", "{}\n");
  const server = await stage.serve({ plan: NOTES });
  const proxy = await proxied(server);
  const shown = await stage.open(proxy, { viewport: { width: 390, height: 800 } });
  await shown.openRecipe("Implement & Review");
  await shown.press("Start…");
  await shown.fill(FIELDS.directory, stage.place.project, "combobox");
  const { text, buttons, boxes } = await until("it says so", () => shown.trust());
  assert.ok(text.includes(`surefire trust '${stage.place.project}'`), text);
  assert.match(text, /are left out: \.mcp\.json\./);
  assert.deepEqual([buttons, boxes], [[], 0]);
  assert.deepEqual(await outOfReach(shown.page), []);
  stage.allowConnectionErrors(shown);
  proxy.close();
});

test("a recipe's page lists the rules for files, and which outcomes list findings", async (stage) => {
  const server = await stage.serve();
  const shown = await stage.open(server);
  await shown.openRecipe("Rebase");
  const files = await shown.page.$$eval('section[aria-label="Files"] li', (rows) => rows.map(({ textContent }) => textContent));
  assert.ok(files.includes("A run begins only where no tracked file has uncommitted changes."), files.join());
  const words = await shown.words();
  assert.match(words, /No review takes more than 3 rounds without fewer findings\./);
  assert.match(words, /issues-found lists what was found: findings\./);
});
