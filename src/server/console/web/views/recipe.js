// One recipe: its graph, its limits, its steps, and a button that starts it.

import { fill, h } from "../dom.js";
import { Picture, implied } from "../graph.js";
import { icon } from "../icons.js";
import { count } from "../words.js";
import { files, gates } from "./gates.js";
import { start } from "./start.js";

const LIMITS = {
  max_step_visits: (most) => `No step is visited more than ${most === 1 ? "once" : `${most} times`}.`,
  max_total_steps: (most) => `No run takes more than ${count(most, "step")}.`,
  max_review_rounds: (most) => `No review takes more than ${count(most, "round")} without fewer findings.`,
  max_restarts: (most) => `No chain is restarted more than ${most === 1 ? "once" : `${most} times`}.`,
};

// How many rounds a review may take without fewer findings, if the recipe does not say.
const DEFAULT_REVIEW_ROUNDS = 3;

// Shows a recipe. `setTitle` sets the title of the page.
export async function recipe(state, id, setTitle) {
  let outline = await state.outline(id, { fresh: true });
  let left = false;
  const button = h("button", { class: "primary", onclick: () => start(state, outline) }, "Start…");
  const element = h("article", { class: "recipe-page" });
  const allow = () => {
    button.disabled = !state.enabled;
    button.title = state.enabled ? "" : "Recipes are switched off";
  };
  // A restarted server may offer another recipe with this id, or none.
  const refresh = async () => {
    const there = state.recipes.some((recipe) => recipe.id === id);
    const offered = there ? await state.outline(id, { fresh: true }).catch(() => outline) : null;
    if (left || JSON.stringify(offered) === JSON.stringify(outline)) return;
    outline = offered;
    fill(element, outline ? content(outline, button) : gone());
    setTitle(outline?.label ?? "Not offered");
  };
  const onChange = ({ detail: { what } }) => {
    if (what !== "recipes") return;
    allow();
    refresh();
  };
  allow();
  fill(element, content(outline, button));
  state.addEventListener("change", onChange);
  const leave = () => {
    left = true;
    state.removeEventListener("change", onChange);
  };
  return { element, title: outline.label, leave };
}

function content(outline, button) {
  return [
    h("div", { class: "title" },
      h("div", {}, back(), h("h1", {}, outline.label), h("p", {}, outline.description)),
      button),
    problems(outline),
    h("div", { class: "columns" },
      h("div", { class: "card" }, new Picture(outline).element, legend(outline)),
      h("div", {}, limits(outline), claims(outline), tree(outline), steps(outline))),
  ];
}

// What is wrong with the operator's prompts: a run would be refused.
const problems = ({ prompt_problems: all = [] }) =>
  all.map((words) => h("p", { class: "problem card", role: "status" }, "No run can begin: ", words, "."));

const gone = () => [back(), h("p", { class: "card", role: "status" }, "The server no longer offers this recipe.")];

const back = () => h("a", { class: "back", href: "#/" }, "← Recipes");

function limits({ guardrails, steps, max_steps: most, max_steps_is_exact: exact, never_trips: never }) {
  // Rounds are counted only where a review lists what it found.
  const reviews = steps.some(({ outcomes }) => outcomes.some(({ findings }) => findings));
  const max_review_rounds = reviews ? guardrails.max_review_rounds ?? DEFAULT_REVIEW_ROUNDS : null;
  const proven = h("span", { class: "hint" }, " Proven unreachable.");
  const line = ([name, value]) => LIMITS[name] && value && h("li", {}, LIMITS[name](value), never.includes(name) && proven.cloneNode(true));
  return h("section", { class: "card" },
    h("h2", {}, "Limits"),
    h("p", { class: "most" }, h("strong", {}, most), ` ${most === 1 ? "step" : "steps"} at most, whatever happens${exact ? "" : "; perhaps fewer"}`),
    h("ul", {}, Object.entries({ ...guardrails, max_review_rounds }).map(line)));
}

// How much an outcome that a claim needs can be relied on.
const BASIS = {
  report: "as the agent reports it",
  verified: "as the agent reports it, and the engine verifies it with commands",
  evidence: "as the engine finds it",
  command: "as the engine's command finds it",
};

const claims = ({ claims }) => claims.length > 0 && h("section", { class: "card" },
  h("h2", {}, "Proven for every path"),
  h("ul", {}, claims.map(({ claim, basis }) => h("li", {}, h("code", {}, claim), " ", h("span", { class: "hint" }, BASIS[basis])))));

const tree = (outline) => h("section", { class: "card", "aria-label": "Files" }, h("h2", {}, "Files"), files(outline));

function steps({ steps, initial, changed_prompts: changed = {} }) {
  const one = (step) => h("details", {},
    h("summary", {},
      h("code", {}, step.name), " ",
      step.name === initial && [h("span", { class: "tag" }, "first"), " "],
      changed[step.name] && [h("span", { class: "tag" }, "prompt changed"), " "],
      h("span", { class: "hint" }, step.description)),
    gates(step),
    step.prompt && h("pre", { tabindex: "0" }, changed[step.name] ?? step.prompt),
    changed[step.name] && h("p", { class: "hint" }, "The operator changed this prompt. As it was compiled:"),
    changed[step.name] && h("pre", { tabindex: "0" }, step.prompt));
  return h("section", { class: "card" }, h("h2", {}, "Steps, their tools and prompts"), steps.map(one));
}

function legend(outline) {
  const outcomes = outline.steps.flatMap(({ outcomes }) => outcomes);
  const drawn = outcomes.filter((outcome) => !implied(outline, outcome));
  const looks = new Map();
  for (const { next } of drawn) {
    if (next.exit) looks.set(next.exit.status.name, next.exit.status);
    if (next.restart) looks.set("restart", { name: "restart", words: "Continues in a new session" });
  }
  return [
    h("ul", { class: "legend" }, [...looks.values()].map(({ name, words }) => h("li", { class: name }, icon(name), words))),
    drawn.length < outcomes.length
      && h("p", { class: "hint" }, "Each step can also report ", h("code", {}, "other"), ", which ends the run and says why."),
  ];
}
