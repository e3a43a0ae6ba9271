// The recipes on offer, and what goes on right now.

import { fill, h, refill } from "../dom.js";
import { icon } from "../icons.js";
import { count } from "../words.js";

// How many steps of a recipe are named before the rest is only counted.
const NAMED = 4;

export function recipes(state) {
  const going = h("ul", {});
  const hint = h("div", {});
  const list = h("ul", { class: "cards" });
  const offer = () => {
    fill(hint, rehearsing(state));
    refill(list, state.recipes.map(offered));
  };
  const follow = () => {
    const runs = state.going.map((one) => present(state, one));
    refill(going, runs.length > 0 ? runs : h("li", { class: "hint none" }, "Nothing at the moment."));
  };
  // The offer is left alone while runs go on: whoever looks through it is not to be disturbed at every step of theirs.
  const hear = ({ detail: { what } }) => {
    if (what === "recipes") offer();
    if (["recipes", "runs", "sessions"].includes(what)) follow();
  };
  state.addEventListener("change", hear);
  offer();
  follow();
  // Always there and always as high: what is below must not move away under anybody's finger when a run begins or ends.
  const strip = h("section", { class: "strip" }, h("h2", {}, "Going on now"), going);
  const element = h("div", {}, h("h1", {}, "Recipes"), hint, strip, list);
  return { element, title: "Recipes", leave: () => state.removeEventListener("change", hear) };
}

function offered(recipe) {
  const named = recipe.steps.slice(0, NAMED).map((step) => h("li", {}, step));
  const more = recipe.steps.length - named.length;
  return h("li", {},
    h("a", { class: "card recipe", href: `#/recipes/${encodeURIComponent(recipe.id)}` },
      h("h2", {}, recipe.label),
      h("p", {}, recipe.description),
      h("ol", { class: "steps" }, named, more > 0 && h("li", {}, `${more} more`)),
      h("p", { class: "hint" }, `${count(recipe.steps.length, "step")}, at most ${recipe.max_steps} in a run`)));
}

function present(state, { run_id: run, recipe_id: recipe, recipe_label: label, step, step_count: number, session_id: session, rehearsal }) {
  const most = state.recipes.find(({ id }) => id === recipe)?.max_steps ?? 0;
  const directory = state.sessions.get(session)?.working_directory ?? "";
  // A limit that was raised allows more than the recipe.
  const place = `step ${number}${number <= most ? ` of at most ${most}` : ""}: ${step}`;
  return h("li", {},
    h("a", { class: "going", href: `#/runs/${run}`, title: directory },
      icon("going"),
      h("span", {},
        h("strong", {}, label), rehearsal && [" ", h("span", { class: "rehearsal" }, "rehearsal")],
        h("span", { class: "hint" }, [place, directory.split("/").at(-1)].filter(Boolean).join(" · ")))));
}

// Nobody should take a rehearsal for work, least of all before it begins.
function rehearsing({ agents }) {
  if (!agents[0]?.rehearsal) return null;
  return h("p", { class: "rehearses card" },
    h("strong", {}, "This server rehearses. "),
    "Its agent only pretends and changes nothing, so everything here can be tried without risk.");
}
