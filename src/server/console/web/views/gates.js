// What an agent may do in a recipe, and what the engine checks itself.

import { h } from "../dom.js";
import { dollars, took } from "../words.js";

const code = (text) => h("code", {}, text);

// The parts, separated by commas.
const listed = (parts) => parts.flatMap((part, index) => (index === 0 ? [part] : [", ", part]));

// A command as its author wrote it: a line for a shell, or a program and its arguments.
const written = (command) => (Array.isArray(command) ? command.join(" ") : command);

const times = (count) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

// Where a run goes that has reached a limit of a step.
const leads = (next) => next && [", and then ", next.step ? ["goes to ", code(next.step)] : ["ends with ", code(next.exit.code)], " instead"];

// What one visit may use up.
const ofVisit = ({ time_s: time, after_time, retries, after_retries, budget_usd: budget, after_budget }) => [
  time && h("li", {}, `A visit takes at most ${took(1000 * time)}`, leads(after_time), "."),
  retries !== undefined && h("li", {}, retries === 0 ? "The agent is never asked again" : `The agent is asked again at most ${times(retries)} in a visit`, leads(after_retries), "."),
  budget && h("li", {}, `A visit costs at most ${dollars(budget)}, as the agent reports it`, leads(after_budget), "."),
];

// What a step has besides its prompt. A step that is a command has no agent.
export function gates({ tools, run, verify, limits, outcomes }) {
  const described = outcomes.filter(({ description }) => description);
  const proved = outcomes.filter(({ evidence }) => evidence);
  const carrying = outcomes.filter(({ findings }) => findings);
  return h("ul", { class: "gates" },
    run
      ? h("li", {}, "The engine runs ", code(written(run.command)), run.time_s && ` for at most ${run.time_s} s`, leads(limits?.after_time), ". No agent is involved.")
      : h("li", {}, "The agent may ", may(tools)),
    limits?.max_visits && h("li", {}, `A run visits it at most ${times(limits.max_visits)}`, leads(limits.when_full), "."),
    limits && ofVisit(limits),
    described.map(({ name, description }) => h("li", {}, code(name), ": ", description)),
    verify && h("li", {}, "Before the next step, the engine runs ", listed(verify.map((command) => code(written(command)))), "."),
    proved.map(({ name, evidence }) => h("li", {}, code(name), " counts only if the engine finds ", listed(evidence.map(code)), ".")),
    carrying.map(({ name }) => h("li", {}, code(name), " lists what was found: ", code("findings"), ".")));
}

// Which files runs may change, and what they need of the working directory.
export function files({ scope: { allow = [], deny = [] } = {}, allow_lockfiles: lockfiles, needs, isolate }) {
  return h("ul", { class: "files" },
    allow.length > 0 && h("li", {}, "Runs may change ", listed(allow.map(code)), ", and nothing else."),
    deny.length > 0 && h("li", {}, "Runs may not change ", listed(deny.map(code)), "."),
    allow.length + deny.length === 0 && h("li", {}, "Runs may change every file that their steps may edit."),
    h("li", {}, lockfiles ? "Lockfiles may be changed." : "Lockfiles may not be changed."),
    needs.clean_tree && h("li", {}, "A run begins only where no tracked file has uncommitted changes."),
    needs.task && h("li", {}, "A new session needs a task: a text that the run is started with, or one that ", code("bd"), " offers."),
    isolate && h("li", {}, "Each run works in its own git worktree."));
}

// The tools of all steps; steps with the same tools share a row.
export function allowed({ steps }) {
  const alike = new Map();
  for (const { name, tools, run } of steps) {
    const key = run ? "run" : JSON.stringify(tools ?? null);
    alike.set(key, [...(alike.get(key) ?? []), { name, tools, run }]);
  }
  const row = (group) => h("li", {}, "At ", listed(group.map(({ name }) => code(name))), ": ",
    group[0].run ? "no agent; the engine runs a command." : ["the agent may ", may(group[0].tools)]);
  return h("ul", { class: "gates" }, [...alike.values()].map(row));
}

// Reading is always allowed.
function may(tools) {
  if (!tools) return "do what the operator's settings allow.";
  const more = tools.filter((tool) => tool !== "read");
  const edits = more.includes("edit") ? "read and edit files" : "read";
  const others = more.filter((tool) => tool !== "edit").map((tool) => (tool === "web" ? "the web" : code(tool)));
  return others.length > 0 ? [edits, ", and use ", listed(others), "."] : `${edits}, and nothing else.`;
}
