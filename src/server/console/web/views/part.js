// A card with a heading and a list, hidden while the list is empty.

import { h } from "../dom.js";
import { Rows } from "./rows.js";

export class Part {
  // `note` says what all rows have in common.
  constructor(title, draw, note = null) {
    this.rows = new Rows(draw);
    this.element = h("section", { class: "card proof", "aria-label": title, hidden: true },
      h("h2", {}, title),
      note && h("p", { class: "note" }, note),
      this.rows.element);
  }

  show(items, more = 0, which = "more") {
    this.element.hidden = items.length === 0;
    this.rows.show(items, more, which);
  }
}
