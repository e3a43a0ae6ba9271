// The recipes on offer, and what is running now.

import { fill, h, refill } from "../dom.js";
import { count } from "../words.js";
import { WorkList } from "./work.js";

// How many steps of a recipe are named before the rest is only counted.
const NAMED = 4;

export function recipes(state) {
  const work = new WorkList(state);
  const hint = h("div", {});
  const list = h("ul", { class: "cards" });
  const offer = () => {
    fill(hint, rehearsing(state));
    refill(list, state.recipes.map(offered));
  };
  // The list of recipes is not redrawn at every step of a run: that would disturb its reader.
  const onChange = ({ detail: { what } }) => {
    if (what === "recipes") offer();
    work.stateChanged(what);
  };
  state.addEventListener("change", onChange);
  offer();
  const leave = () => {
    work.leave();
    state.removeEventListener("change", onChange);
  };
  return { element: h("div", {}, h("h1", {}, "Recipes"), hint, work.element, list), title: "Recipes", leave };
}

function offered(recipe) {
  const named = recipe.steps.slice(0, NAMED).map((step) => h("li", {}, step));
  const more = recipe.steps.length - named.length;
  return h("li", {},
    h("a", { class: "card recipe", href: `#/recipes/${encodeURIComponent(recipe.id)}` },
      h("h2", {}, recipe.label),
      h("p", {}, recipe.description),
      h("ol", { class: "steps" }, named, more > 0 && h("li", {}, `${more} more`)),
      h("p", { class: "hint" }, `${count(recipe.steps.length, "step")}, at most ${recipe.max_steps} in a run`),
      recipe.changed_prompts && h("p", { class: "hint" }, `Prompts changed: ${recipe.changed_prompts.join(", ")}`)));
}

// Users must not mistake a rehearsal for work, least of all before it begins.
function rehearsing({ agents }) {
  if (!agents[0]?.rehearsal) return null;
  return h("p", { class: "rehearses card" },
    h("strong", {}, "This server rehearses. "),
    "Its agent is simulated and changes nothing, so you can try everything without risk.");
}
