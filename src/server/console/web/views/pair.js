// The form that asks for the key.

import { fill, h } from "../dom.js";

const SHAPE = "untethered-[0-9a-f]{32}";

const REFUSED = "The server rejected this key.";
const SIGNED_OUT = "This browser is no longer signed in: the server's key has changed, or the browser was closed.";
const TRYING = "The server cannot be reached; this page keeps trying.";

// Asks for the key, and says so if the last one was wrong.
export function pair(state) {
  const field = h("input", {
    id: "key", type: "password", required: true, pattern: `\\s*${SHAPE}\\s*`, autocomplete: "off", spellcheck: "false",
    placeholder: "untethered-…", title: "untethered- and 32 hexadecimal digits", "aria-describedby": "key-help",
  });
  const problem = h("p", { class: "problem", role: "alert" },
    state.connectionState === "refused" && (state.signedOut ? SIGNED_OUT : REFUSED));
  const submit = (event) => {
    event.preventDefault();
    fill(problem);
    state.pair(field.value.trim());
  };
  const onChange = () => {
    if (state.connectionState === "waiting" && problem.textContent !== TRYING) fill(problem, TRYING);
  };
  state.addEventListener("change", onChange);
  const element = h("section", { class: "narrow card" },
    h("h1", {}, "Pair this browser"),
    problem,
    h("form", { onsubmit: submit },
      h("label", { class: "field" }, h("span", {}, "Key"), field),
      h("p", { id: "key-help", class: "hint" },
        "When the server starts in a terminal it prints a link that pairs this browser. ",
        h("code", {}, "surefire key"), " shows the key again."),
      h("p", { class: "hint" }, "The page does not store the key. This browser stays signed in until you close it or sign out, or the key changes."),
      h("button", { class: "primary" }, "Pair")));
  return { element, title: "Pair", begin: () => field.focus(), leave: () => state.removeEventListener("change", onChange) };
}
