// A run by the beginning of its id, as a person copies it from a list or a terminal.

import { NotFound } from "../api.js";
import { h } from "../dom.js";
import { runTable } from "./runs.js";

const WHOLE_ID_CHARS = 36;

// Shows the run whose id is this, or begins with this; if there are several, a list of them.
export async function found(state, id, show) {
  if (id.length >= WHOLE_ID_CHARS) return show(id);
  const matches = await state.api.runs({ id });
  if (matches.length === 0) throw new NotFound(`No run has an id that begins with ${id}.`);
  if (matches.length === 1) return show(matches[0].run_id);
  const element = h("div", {}, h("h1", {}, `Runs whose id begins with ${id}`), h("p", {}, "Choose one."), runTable(matches));
  return { element, title: "Runs" };
}
