// Pairing: the key, once.

import { fill, h } from "../dom.js";

const SHAPE = "untethered-[0-9a-f]{32}";

const TRYING = "The server cannot be reached; this page goes on trying.";

// Asks for the key, and says if the last one was wrong.
export function pair(state) {
  const field = h("input", {
    id: "key", type: "password", required: true, pattern: `\\s*${SHAPE}\\s*`, autocomplete: "off", spellcheck: "false",
    placeholder: "untethered-…", title: "untethered- and 32 hexadecimal digits", "aria-describedby": "key-help",
  });
  const problem = h("p", { class: "problem", role: "alert" }, state.connectionState === "refused" && "The server does not take this key.");
  const submit = (event) => {
    event.preventDefault();
    fill(problem);
    state.pair(field.value.trim());
  };
  const hear = () => {
    if (state.connectionState === "waiting" && problem.textContent !== TRYING) fill(problem, TRYING);
  };
  state.addEventListener("change", hear);
  const element = h("section", { class: "narrow card" },
    h("h1", {}, "Pair this browser"),
    problem,
    h("form", { onsubmit: submit },
      h("label", { class: "field" }, h("span", {}, "Key"), field),
      h("p", { id: "key-help", class: "hint" },
        "When the server starts in a terminal it prints a link that pairs by itself. ",
        h("code", {}, "surefire key"), " shows the key again."),
      h("p", { class: "hint" }, "It is kept in this tab only, until you close it."),
      h("button", { class: "primary" }, "Pair")));
  return { element, title: "Pair", begin: () => field.focus(), leave: () => state.removeEventListener("change", hear) };
}
