// The console as a user sees it. Only this file knows how the page is built: where things are, and
// what they are called.

import { until } from "./until.mjs";
import { Window } from "./window.mjs";

// The page's texts for the kinds of ends.
const KINDS = {
  Completed: "completed", "Completed, but waiting for you": "waiting", "Stopped by a limit": "limited", Failed: "failed",
  "Paused; resumes automatically": "paused", Stopped: "stopped",
};

export class ConsolePage extends Window {
  // Goes to another address in the console, and waits until its view is shown.
  async goto(hash) {
    await this.page.evaluate((hash) => { location.hash = hash; }, hash);
    await this.settled(hash);
  }

  async settled(hash) {
    // The previous view is shown until the next one is loaded.
    await until("the view belongs to the address", () => this.page.$eval("main", (main) => main.dataset.address), (address) => address === hash);
    const [, page, id] = hash.split("/");
    if (page === "sessions") await until("the conversation is there", () => this.page.$(CONVERSATION));
    else if (id && page === "runs") await until("the run is there", () => this.progress());
    else if (id) await until("the graph is there", () => this.page.$(GRAPH));
    else if (page === "runs") await until("the runs are there", () => this.runs(), Boolean);
    else await until("the recipes are there", () => this.recipes(), (found) => found.length > 0);
  }

  async reload() {
    await this.page.reload({ waitUntil: "load" });
    await this.connected();
  }

  heading = () => this.page.evaluate(() => document.querySelector("h1")?.textContent ?? null);

  async pair(key) {
    await this.fill(FIELDS.key, key);
    await this.press("Pair");
  }

  asksForKey() {
    return this.page.evaluate(() => Boolean(document.querySelector("main input[type=password]")));
  }

  // The error messages that are shown.
  alert() {
    return this.page.$$eval("[role=alert]", (alerts) => alerts.filter((one) => one.checkVisibility()).map((one) => one.textContent).join(" "));
  }

  connection() {
    return this.page.evaluate(() => document.querySelector("header output, header [role=status]")?.textContent ?? "");
  }

  connected = () => until("it is connected", () => this.connection(), (words) => /^connected$/i.test(words.trim()));

  lost() {
    return until("the connection is lost", () => this.connection(), (words) => /reconnecting|connecting|lost|offline/i.test(words));
  }

  recipes() {
    return this.page.$$eval(RECIPES, (links) => links.map((link) => ({
      id: decodeURIComponent(link.hash.slice("#/recipes/".length)),
      label: link.querySelector("h2, h3")?.textContent ?? link.textContent,
      text: link.textContent,
    })));
  }

  async openRecipe(label) {
    await until(`${label} can be opened`, async () => {
      const index = (await this.recipes()).findIndex((recipe) => recipe.label === label);
      const link = (await this.page.$$(RECIPES))[index];
      return link && this.touch(link);
    });
    await until("the graph is there", () => this.page.$(GRAPH));
  }

  // Every box of the graph with its label, and the labels of the arrows.
  picture() {
    return this.page.$eval(GRAPH, (picture) => {
      const plain = ({ x, y, width, height }) => ({ x, y, width, height });
      const nodes = [...picture.querySelectorAll("g.node")].map((node) => ({
        label: node.querySelector("text").textContent,
        kinds: [...node.classList],
        category: node.dataset.category ?? null,
        count: node.querySelectorAll("text")[1]?.textContent ?? "",
        box: plain(node.querySelector("rect").getBoundingClientRect()),
        words: [...node.querySelectorAll("text")].slice(0, 1).map((text) => plain(text.getBoundingClientRect())),
      }));
      const arrows = [...picture.querySelectorAll("g.edge")].map((edge) => ({
        label: edge.querySelector("text")?.textContent ?? "",
        kinds: [...edge.classList],
        box: plain(edge.querySelector("rect").getBoundingClientRect()),
        words: [plain(edge.querySelector("text").getBoundingClientRect())],
      }));
      return { nodes, arrows, name: picture.getAttribute("aria-label"), box: plain(picture.getBoundingClientRect()) };
    });
  }

  // Starts a recipe as a user would, and returns the run.
  async start({ recipe = "Implement & Review", directory, about, isolate } = {}) {
    await this.goto("#/");
    await this.openRecipe(recipe);
    await this.press("Start…");
    return this.submit({ directory, about, isolate });
  }

  // Fills in the dialog and sends it.
  async submit({ directory, about, isolate }) {
    if (directory) await this.fill(FIELDS.directory, directory, "combobox");
    if (isolate) await this.press(FIELDS.isolate, "checkbox");
    if (about) await this.fill(FIELDS.about, about);
    const before = await this.hash();
    await this.press("Start");
    const hash = await until("the run is shown", () => this.hash(), (hash) => hash !== before && hash.startsWith("#/runs/"));
    await this.settled(hash);
    return hash.slice("#/runs/".length);
  }

  // Unfolds the optional fields of the start dialog.
  openMore = () => this.page.$eval("dialog[open] details.more > summary", (summary) => summary.click());

  dialog() {
    return this.page.evaluate(() => document.querySelector("dialog[open]")?.querySelector("h2")?.textContent ?? null);
  }

  // The text in the open dialog: the preview of the first prompt, or a command.
  preview() {
    return this.page.evaluate(() => document.querySelector("dialog[open] pre")?.textContent ?? "");
  }

  async sendPrompt(words) {
    await this.fill(FIELDS.say, words);
    await this.press("Send");
  }

  stop = () => this.press("Stop");

  // The visits of steps, in order.
  timeline() {
    return this.page.evaluate((timeline) => [...document.querySelectorAll(`${timeline} > li`)].map((row) => {
      const parts = [...row.children].filter((part) => !part.matches("ul")).map((part) => part.textContent.trim());
      return {
        step: parts.find((part) => /^[a-z][a-z-]*$/.test(part)),
        outcome: parts.find((part) => part.startsWith("→"))?.slice(1).trim() ?? null,
        current: row.getAttribute("aria-current") === "step",
        remarks: [...row.querySelectorAll("ul li")].map((one) => one.textContent),
      };
    }), TIMELINE);
  }

  // The progress, as text and as a bar, or `null` where no run is shown.
  progress() {
    return this.page.evaluate(() => {
      const bar = document.querySelector("main progress");
      return bar && { text: bar.parentElement.textContent.trim(), value: bar.value, max: bar.max, drawn: !bar.hidden };
    });
  }

  // The messages of the conversation: prompts folded, replies open.
  conversation() {
    return this.page.$eval(CONVERSATION, (log) => [...log.children].filter((row) => !row.hidden && !row.matches(".after")).map((row) => {
      const folded = row.querySelector(":scope > details");
      const body = folded ? folded.querySelector("pre") : row.lastElementChild;
      return { prompt: Boolean(folded), folded: Boolean(folded && !folded.open), text: body.textContent, html: body.innerHTML };
    }));
  }

  // The prompts below the line that marks the end of the run.
  promptsAfterRun() {
    return this.page.$$eval(`${CONVERSATION} > .after ~ li pre`, (found) => found.map((one) => one.textContent));
  }

  // The hint below the field for messages.
  hint() {
    return this.page.$eval("#say-hint", ({ textContent }) => textContent);
  }

  // Prompts whose tag says that they are queued.
  queued() {
    return this.page.$$eval(`${CONVERSATION} > li`, (rows) => rows
      .filter((row) => [...row.querySelectorAll(":scope > .who .tag")].some(({ hidden, textContent }) => !hidden && /queued/.test(textContent)))
      .map((row) => row.querySelector("pre").textContent));
  }

  // Prompts whose tag says that they are not delivered.
  withdrawn() {
    return this.page.$$eval(`${CONVERSATION} > li`, (rows) => rows
      .filter((row) => [...row.querySelectorAll(":scope > .who .tag")].some(({ hidden, textContent }) => !hidden && /not delivered/.test(textContent)))
      .map((row) => row.querySelector("pre").textContent));
  }

  // The server's notes in the conversation about prompts that were not delivered.
  undelivered(mark = "Not delivered") {
    return this.page.$$eval(`${CONVERSATION} > li`, (rows, mark) => rows
      .filter((row) => row.querySelector(":scope > .who strong")?.textContent === mark)
      .map((row) => row.lastElementChild.textContent), mark);
  }

  // The sessions in which an agent is at work, each with its button; `null` until the list is
  // loaded.
  work() {
    return this.page.$eval('section[aria-label="Running now"]', (section) => {
      const rows = [...section.querySelectorAll("li")];
      return rows.length === 0 ? null : rows.filter((row) => row.querySelector("a")).map((row) => {
        const [button] = row.querySelectorAll("button");
        return {
          title: row.querySelector("strong").textContent, text: row.querySelector("a").innerText, at: row.querySelector("a").hash,
          stop: button.ariaLabel, can: !button.disabled,
        };
      });
    });
  }

  // The card about the end, or `null` before the run has ended.
  card() {
    return this.page.evaluate((kinds) => {
      const card = document.querySelector("main [data-reason]");
      if (!card) return null;
      const { category, reason } = card.dataset;
      const kind = [...card.querySelectorAll("p")].map((one) => kinds[one.firstChild?.textContent.trim()]).find(Boolean) ?? null;
      return {
        kind, category, reason,
        kinds: [...card.classList],
        title: card.querySelector("h2").textContent,
        text: card.innerText,
        actions: [...card.querySelectorAll("button")].map((one) => one.textContent),
      };
    }, KINDS);
  }

  ended = () => until("the run has ended", () => this.card());

  // The whole text of the view, except for the running time of the current step.
  words() {
    return this.page.$eval("main", (main) => {
      const copy = main.cloneNode(true);
      for (const passing of copy.querySelectorAll("[aria-current=step] .took, .progress .now .hint")) passing.remove();
      return copy.textContent;
    });
  }

  // What was checked, refused and changed, by section, as far as it is shown.
  proof() {
    return this.page.evaluate(() => {
      const section = (name) => document.querySelector(`main section.proof[aria-label="${name}"]:not([hidden])`);
      const rows = (name, selector, read) => [...section(name)?.querySelectorAll(selector) ?? []].map(read);
      const rest = (name) => rows(name, "p.hint:not([hidden])", ({ textContent }) => textContent).filter((words) => words.startsWith("and "));
      return {
        checked: rows("Checked", "li", (row) => ({
          verdict: row.dataset.verdict, text: row.querySelector("p").textContent, found: row.querySelector("pre")?.textContent ?? null,
          folded: row.querySelector("details") ? !row.querySelector("details").open : null,
        })),
        refused: rows("Refused", "li", (row) => ({ text: row.innerText, codes: [...row.querySelectorAll("code")].map(({ textContent }) => textContent) })),
        commits: rows("Changed", "li.commit", ({ textContent }) => textContent),
        files: rows("Changed", "li.file", ({ textContent }) => textContent),
        summary: section("Changed")?.querySelector("summary")?.textContent ?? null,
        rest: { checked: rest("Checked"), refused: rest("Refused"), changed: rest("Changed") },
      };
    });
  }

  // The rounds of reviews, with their findings.
  findings() {
    return this.page.$$eval('main section[aria-label="Findings"]:not([hidden]) .review', (rows) => rows.map((row) => ({
      text: row.querySelector("p").textContent, stands: row.dataset.stands,
      findings: [...row.querySelectorAll(".finding")].map(({ textContent }) => textContent),
    })));
  }

  // The files that the run may not change, each with its rule.
  violations() {
    return this.page.$$eval('main section[aria-label="Not allowed"]:not([hidden]) li', (rows) =>
      rows.map((row) => [row.querySelector("code").textContent, row.querySelector(".hint").textContent]));
  }

  // The commands of the repository that were not run.
  skipped() {
    return this.page.$$eval('main section[aria-label="Not verified"]:not([hidden]) li', (rows) => rows.map(({ textContent }) => textContent));
  }

  // The facts about the run's worktree, by name; or `null` if it has none.
  worktree() {
    return this.page.evaluate(() => {
      const section = document.querySelector('main section[aria-label="Worktree"]:not([hidden])');
      return section && Object.fromEntries([...section.querySelectorAll("dt")].map((name) => [name.textContent, name.nextElementSibling.textContent]));
    });
  }

  // The start dialog's notice about trust in the repository, or `null`.
  trust() {
    return this.page.evaluate(() => {
      const notice = document.querySelector("dialog[open] .trust:not([hidden])");
      return notice && {
        text: notice.textContent, commands: [...notice.querySelectorAll("li")].map(({ textContent }) => textContent),
        buttons: [...notice.querySelectorAll("button")].map(({ textContent }) => textContent), boxes: notice.querySelectorAll("input").length,
      };
    });
  }

  // What the run changed, line by line: the text above, the choices, and the files, with the lines
  // of those that are unfolded.
  changes() {
    return this.page.$eval(CHANGES, (section) => {
      const lines = (file, kind) => [...file.querySelectorAll(`pre > .${kind}`)].flatMap(({ textContent }) => textContent.split("\n"));
      return {
        open: section.querySelector("details").open,
        busy: section.ariaBusy === "true",
        words: section.querySelector("[role=status]").textContent,
        rest: [...section.querySelectorAll("p.hint:not([role], [hidden])")].map(({ textContent }) => textContent),
        choices: [...section.querySelectorAll("option")].map(({ value, textContent }) => ({ value, text: textContent })),
        chosen: section.querySelector("select").value,
        files: [...section.querySelectorAll("li")].map((file) => ({
          name: file.querySelector("summary code").textContent, text: file.querySelector("summary").textContent,
          open: file.querySelector("details").open, lines: file.querySelector("pre").textContent,
          added: lines(file, "added"), removed: lines(file, "removed"), same: lines(file, "same"),
        })),
      };
    });
  }

  // Unfolds the changes, and waits until they are loaded.
  async openChanges() {
    await this.page.$eval(`${CHANGES} summary`, (summary) => summary.click());
    return this.changesRead();
  }

  changesRead = (wanted = () => true) => until("the changes are read", () => this.changes(),
    (changes) => changes.open && !changes.busy && changes.words !== "Reading…" && wanted(changes));

  // The list of runs, or `null` if it is not shown yet.
  runs() {
    return this.page.evaluate(() => {
      if (document.querySelector("h1")?.textContent !== "Runs") return null;
      return [...document.querySelectorAll('main a[href^="#/runs/"]')].map((link) => ({
        id: link.hash.slice("#/runs/".length), label: link.textContent, text: link.closest("tr, li")?.innerText ?? "",
      }));
    });
  }
}

const RECIPES = 'main a[href^="#/recipes/"]';
const GRAPH = "main svg.graph";
const TIMELINE = 'main ol[aria-label="What happened"]';
export const CHANGES = 'main section[aria-label="Changes"]';
export const CONVERSATION = "main [role=log]";
export const FIELDS = {
  key: "Key", directory: "Working directory", about: "Task", say: "Message to the agent", on: "Recipes may run",
  isolate: "Work in a new git worktree",
};
