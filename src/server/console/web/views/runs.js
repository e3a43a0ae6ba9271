// Past and present runs, to be searched by recipe and reason.

import { fill, h, refill } from "../dom.js";
import { icon } from "../icons.js";
import { ago, count, moment } from "../words.js";

// How many runs are shown at first, and how many more each time that is asked for.
const SHOWN = 100;
const MORE = 1000;

// How often it is told anew how long ago a run began, in milliseconds.
const TICK = 30_000;

// The list of what the address searches for.
export async function runs(state, query) {
  const list = new RunList(state, query, await state.api.reasons());
  const hear = ({ detail: { what } }) => list.hear(what);
  state.addEventListener("change", hear);
  const ticking = setInterval(() => list.tick(), TICK);
  const leave = () => {
    clearInterval(ticking);
    state.removeEventListener("change", hear);
  };
  await list.look();
  return { element: list.element, title: "Runs", leave };
}

class RunList {
  // One look at a time: whoever connects is told of every run of the last day, one by one.
  #looking = false;
  #again = false;
  // What recipes are called: those on offer, which may not be known yet, and others that there are runs of.
  #labels = new Map();

  constructor(state, query, reasons) {
    this.state = state;
    this.search = { recipe: query.get("recipe") ?? "", reason: query.get("reason") ?? "" };
    // How many runs are wanted: an address can name anything.
    const more = Number(query.get("more"));
    this.wanted = Number.isSafeInteger(more) && more > 0 ? SHOWN + more * MORE : SHOWN;
    this.recipe = new Filter("Recipe", "Any recipe", (value) => this.#pick("recipe", value));
    this.reason = new Filter("Ended with", "Any end", (value) => this.#pick("reason", value));
    this.number = h("p", { class: "hint", role: "status" });
    this.list = h("div", {});
    this.more = h("button", { hidden: true, onclick: () => this.#showMore() }, "Show more");
    this.element = h("div", {},
      h("h1", {}, "Runs"),
      h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
        this.recipe.element,
        this.reason.element,
        this.number),
      this.list,
      this.more);
    this.reason.offer(byStatus(reasons), this.search.reason);
    this.#learnOffered();
  }

  hear(what) {
    if (what === "recipes") this.#learnOffered();
    if (what === "runs" || (what === "connection" && this.state.connectionState === "on")) this.look();
  }

  // Time passes.
  tick() {
    for (const time of this.list.querySelectorAll("time")) time.textContent = ago(time.dateTime);
  }

  async look() {
    this.#again = this.#looking;
    if (this.#looking) return;
    this.#looking = true;
    const wanted = this.wanted;
    const found = await this.state.api.manyRuns(this.search, wanted).catch((error) => error);
    this.#looking = false;
    if (found instanceof Error) fill(this.list, h("p", { class: "problem", role: "alert" }, found.message));
    else this.#draw(found, wanted);
    if (this.#again) this.look();
  }

  #pick(name, value) {
    this.search[name] = value;
    this.wanted = SHOWN;
    this.#searchAnew();
  }

  #showMore() {
    this.wanted += MORE;
    this.#searchAnew();
  }

  // The address says what is searched for, so that coming back finds the same.
  #searchAnew() {
    const { recipe, reason } = this.search;
    const asked = { recipe, reason, more: (this.wanted - SHOWN) / MORE };
    const kept = new URLSearchParams(Object.entries(asked).filter(([, value]) => value)).toString();
    history.replaceState(history.state, "", kept ? `#/runs?${kept}` : "#/runs");
    this.look();
  }

  #draw(found, wanted) {
    refill(this.list, found.length > 0 ? table(found) : this.#nothing());
    const full = found.length >= wanted;
    const words = full ? `The latest ${count(found.length, "run")}` : count(found.length, "run");
    if (this.number.textContent !== words) this.number.textContent = words;
    this.more.hidden = !full;
    this.#learn(found.map((run) => [run.recipe_id, run.recipe_label]));
  }

  #nothing() {
    if (this.search.recipe || this.search.reason) return h("p", {}, "No runs match.");
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

// One of several to choose, or any.
class Filter {
  #offered = null;

  constructor(label, any, picked) {
    this.any = any;
    this.select = h("select", { onchange: ({ target }) => picked(target.value) });
    this.element = h("label", {}, h("span", {}, label), this.select);
  }

  // Offers these, and the chosen one also where it is none of them: an address can name anything.
  offer(options, chosen) {
    const all = h("select", {}, option("", this.any), options);
    all.value = chosen;
    if (all.value !== chosen) all.append(option(chosen, chosen));
    // Filled anew, it would close under the hand of whoever has opened it.
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

function table(found) {
  return h("table", { class: "runs" },
    h("thead", {}, h("tr", {}, ["Recipe", "End", "Steps", "Began", "Where"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, found.map(row)));
}

function row(run) {
  const { name, words } = run.status;
  return h("tr", { "data-run": run.run_id },
    h("td", {},
      h("a", { href: `#/runs/${run.run_id}` }, run.recipe_label), " ",
      run.rehearsal && h("span", { class: "rehearsal" }, "rehearsal")),
    h("td", { class: name },
      h("span", { class: "ending" }, icon(name), h("span", { class: "unseen" }, `${words}: `), run.ending?.title ?? `at ${run.step}`)),
    h("td", {}, count(run.step_count, "step")),
    h("td", {}, h("time", { datetime: run.started_at, title: moment(run.started_at) }, ago(run.started_at))),
    h("td", { class: "path" }, run.working_directory));
}
