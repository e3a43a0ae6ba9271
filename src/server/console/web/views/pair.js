// Pairing: the key, once.

import { h } from "../dom.js";

const SHAPE = "untethered-[0-9a-f]{32}";

// Asks for the key, and says if the last one was wrong.
export function pair(state) {
  const field = h("input", {
    id: "key", type: "password", required: true, pattern: `\\s*${SHAPE}\\s*`, autocomplete: "off", spellcheck: "false",
    placeholder: "untethered-…", title: "untethered- and 32 hexadecimal digits", "aria-describedby": "key-help",
  });
  const submit = (event) => {
    event.preventDefault();
    state.pair(field.value.trim());
  };
  const element = h("section", { class: "narrow card" },
    h("h1", {}, "Pair this browser"),
    state.connectionState === "refused" && h("p", { class: "problem", role: "alert" }, "The server does not take this key."),
    h("form", { onsubmit: submit },
      h("label", { class: "field" }, h("span", {}, "Key"), field),
      h("p", { id: "key-help", class: "hint" },
        "When the server starts in a terminal it prints a link that pairs by itself. ",
        h("code", {}, "surefire key"), " shows the key again."),
      h("p", { class: "hint" }, "It is kept in this tab only, until you close it."),
      h("button", { class: "primary" }, "Pair")));
  return { element, title: "Pair", begin: () => field.focus() };
}
