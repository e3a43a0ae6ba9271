// The end of a run: what happened, why, and what to do next.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { count, dollars, look, moment, took } from "../words.js";

// The card, with what can be done.
export function card(story, actions) {
  const { ending, run } = story;
  const { name, words } = look(ending);
  const cost = story.cost > 0 ? `, ${dollars(story.cost)}` : "";
  const spent = `${count(story.visits.length, "step")} in ${took(story.last - Date.parse(run.started_at))}${cost}.`;
  const kind = { class: `end card ${name}`, "data-category": ending.category, "data-reason": ending.reason };
  return h("section", { ...kind, role: "status", tabindex: "-1" },
    h("div", { class: "sign" }, icon(name)),
    h("div", { class: "story" },
      h("p", { class: "kind" }, words, run.rehearsal && [" ", h("span", { class: "rehearsal" }, "rehearsal: nothing was really done")]),
      h("h2", {}, ending.title),
      h("p", {}, ending.message),
      ending.description && h("blockquote", {}, ending.description),
      ending.resume_at && h("p", {}, "It goes on by itself at ", h("strong", {}, moment(ending.resume_at)), "."),
      h("p", { class: "next" }, h("strong", {}, run.rehearsal ? "Next, if it had been real: " : "Next: "), ending.diagnosis),
      h("p", { class: "hint" }, why(ending), " ", spent),
      h("p", { class: "hint" }, h("code", {}, ending.reason), ` · ${ending.category} · exit status ${ending.exit_code}`)),
    h("div", { class: "actions" }, actions.map(({ label, kind, act }, index) =>
      h("button", { class: index === 0 ? "primary" : "", "data-act": kind, onclick: act }, label))));
}

function why({ outcome, step, category, continued_by: continued }) {
  const where = h("code", {}, step);
  if (!outcome) return ["It stopped in ", where, "."];
  const reported = [where, " reported ", h("code", {}, outcome)];
  if (continued) return [reported, ", which goes on in a new session."];
  return category === "guardrail" ? [reported, ", and the limit kept it from going on."] : [reported, ", which ends this recipe."];
}
