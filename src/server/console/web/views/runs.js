// Past and current runs, which can be searched by text, recipe and reason.

import { fill, h, refill } from "../dom.js";
import { icon } from "../icons.js";
import { ago, count, dollars, moment, short, sofar, took } from "../words.js";

// How many runs are shown at first, and how many more each time the user asks for more.
const SHOWN = 100;
const MORE = 1000;

// How often times such as "2 min ago" are redrawn.
const TICK_INTERVAL_MS = 30_000;

// The list of runs that match the query in the address.
export async function runs(state, query) {
  const list = new RunList(state, query, await state.api.reasons());
  const onChange = ({ detail: { what } }) => list.stateChanged(what);
  state.addEventListener("change", onChange);
  const ticking = setInterval(() => list.tick(), TICK_INTERVAL_MS);
  const leave = () => {
    clearInterval(ticking);
    state.removeEventListener("change", onChange);
  };
  await list.read();
  return { element: list.element, title: "Runs", leave };
}

class RunList {
  // One request at a time: on connecting, the server reports every run of the last day, one by one.
  #reading = false;
  #again = false;
  // The labels of recipes, by id: of those on offer, which may not be known yet, and of others that
  // have runs.
  #labels = new Map();

  constructor(state, query, reasons) {
    this.state = state;
    this.search = { text: query.get("text") ?? "", recipe: query.get("recipe") ?? "", reason: query.get("reason") ?? "" };
    // The address can contain any text, so the number is checked.
    const more = Number(query.get("more"));
    this.wanted = Number.isSafeInteger(more) && more > 0 ? SHOWN + more * MORE : SHOWN;
    // With one request at a time, fast typing searches for the last text and few before it.
    this.text = h("input", {
      type: "search", value: this.search.text, placeholder: "Task, recipe, id, directory or end", autocomplete: "off", spellcheck: "false",
      oninput: ({ target }) => this.#pick("text", target.value.trim()),
    });
    this.recipe = new Filter("Recipe", "Any recipe", (value) => this.#pick("recipe", value));
    this.reason = new Filter("Ended with", "Any end", (value) => this.#pick("reason", value));
    this.number = h("p", { class: "hint", role: "status" });
    this.list = h("div", {});
    this.more = h("button", { hidden: true, onclick: () => this.#showMore() }, "Show more");
    this.element = h("div", {},
      h("h1", {}, "Runs"),
      h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
        h("label", { class: "text" }, h("span", {}, "Search"), this.text),
        this.recipe.element,
        this.reason.element,
        this.number),
      this.list,
      this.more);
    this.reason.offer(byStatus(reasons), this.search.reason);
    this.#learnOffered();
  }

  stateChanged(what) {
    if (what === "recipes") this.#learnOffered();
    if (what === "runs" || (what === "connection" && this.state.connectionState === "on")) this.read();
  }

  tick() {
    for (const time of this.list.querySelectorAll("time.ago")) time.textContent = ago(time.dateTime);
    for (const time of this.list.querySelectorAll("time.sofar")) time.textContent = soFar(time.dateTime);
  }

  async read() {
    this.#again = this.#reading;
    if (this.#reading) return;
    this.#reading = true;
    const wanted = this.wanted;
    const found = await this.state.api.manyRuns(this.search, wanted).catch((error) => error);
    this.#reading = false;
    if (found instanceof Error) fill(this.list, h("p", { class: "problem", role: "alert" }, found.message));
    else this.#draw(found, wanted);
    if (this.#again) this.read();
  }

  #pick(name, value) {
    this.search[name] = value;
    this.wanted = SHOWN;
    this.#searchAgain();
  }

  #showMore() {
    this.wanted += MORE;
    this.#searchAgain();
  }

  // The search is in the address, so that going back shows the same list.
  #searchAgain() {
    const asked = { ...this.search, more: (this.wanted - SHOWN) / MORE };
    const kept = new URLSearchParams(Object.entries(asked).filter(([, value]) => value)).toString();
    history.replaceState(history.state, "", kept ? `#/runs?${kept}` : "#/runs");
    this.read();
  }

  #draw(found, wanted) {
    refill(this.list, found.length > 0 ? runTable(found) : this.#nothing());
    const full = found.length >= wanted;
    const words = full ? `The latest ${count(found.length, "run")}` : count(found.length, "run");
    if (this.number.textContent !== words) this.number.textContent = words;
    this.more.hidden = !full;
    this.#learn(found.map((run) => [run.recipe_id, run.recipe_label]));
  }

  #nothing() {
    if (Object.values(this.search).some(Boolean)) return h("p", {}, "No runs match.");
    return h("p", {}, "No runs yet. ", h("a", { href: "#/" }, "Start a recipe."));
  }

  #learnOffered() {
    this.#learn(this.state.recipes.map(({ id, label }) => [id, label]));
  }

  #learn(labels) {
    for (const [id, label] of labels) this.#labels.set(id, label);
    const sorted = [...this.#labels].sort(([, a], [, b]) => a.localeCompare(b));
    this.recipe.offer(sorted.map(([id, label]) => option(id, label)), this.search.recipe);
  }
}

// A choice among several values, or any.
class Filter {
  #offered = null;

  constructor(label, any, picked) {
    this.any = any;
    this.select = h("select", { onchange: ({ target }) => picked(target.value) });
    this.element = h("label", {}, h("span", {}, label), this.select);
  }

  // Offers these options, and the chosen value even if it is not among them: the address can
  // contain any text.
  offer(options, chosen) {
    const all = h("select", {}, option("", this.any), options);
    all.value = chosen;
    if (all.value !== chosen) all.append(option(chosen, chosen));
    // Refilling the list would close it while the user has it open.
    if (all.textContent === this.#offered) return;
    this.#offered = all.textContent;
    fill(this.select, ...all.childNodes);
    this.select.value = chosen;
  }
}

const option = (value, label) => h("option", { value }, label);

function byStatus(reasons) {
  const groups = Map.groupBy(reasons, ({ status }) => status.words);
  return [...groups].map(([label, reasons]) => h("optgroup", { label }, reasons.map(({ code, title }) => option(code, title))));
}

const COLUMNS = ["Run", "End", "Steps", "Took", "Cost", "Began", "Where"];

export function runTable(found) {
  return h("table", { class: "runs" },
    h("thead", {}, h("tr", {}, COLUMNS.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, found.map(row)));
}

function row(run) {
  const { name, words } = run.status;
  return h("tr", { "data-run": run.run_id },
    h("td", {},
      h("a", { href: `#/runs/${run.run_id}` }, run.recipe_label), " ",
      h("code", { class: "id", title: run.run_id }, short(run.run_id)), " ",
      run.rehearsal && h("span", { class: "rehearsal" }, "rehearsal"),
      run.task && h("p", { class: "task", title: run.task }, firstLine(run.task))),
    h("td", { class: name },
      h("span", { class: "ending" }, icon(name), h("span", { class: "unseen" }, `${words}: `), run.ending?.title ?? `at ${run.step}`)),
    h("td", {}, count(run.step_count, "step")),
    h("td", { class: "took" }, time(run)),
    // An agent that reports no cost may still cost something.
    h("td", { class: "cost" }, run.cost_usd > 0 ? dollars(run.cost_usd) : "–"),
    h("td", {}, h("time", { class: "ago", datetime: run.started_at, title: moment(run.started_at) }, ago(run.started_at))),
    h("td", { class: "path" }, run.working_directory));
}

// How long a run took, or has taken so far.
function time({ ending, started_at: began, changed_at: changed }) {
  if (ending) return took(Date.parse(changed) - Date.parse(began));
  return h("time", { class: "sofar", datetime: began }, soFar(began));
}

const soFar = (began) => `${sofar(Date.now() - Date.parse(began))} so far`;

// The first line that is not blank; the style cuts off what is too long for the row.
const firstLine = (text) => text.trim().split("\n", 1)[0];
