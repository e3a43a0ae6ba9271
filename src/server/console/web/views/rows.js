// A list that draws only new rows. Existing rows keep their elements: the user may have unfolded or
// focused one.

import { h } from "../dom.js";

export class Rows {
  #drawn = new Map();

  constructor(draw) {
    this.draw = draw;
    this.list = h("ul", {});
    this.rest = h("p", { class: "hint", hidden: true });
    this.element = h("div", {}, this.list, this.rest);
  }

  show(items, more, which) {
    const [seen, rows] = [new Map(), new Map()];
    for (const item of items) {
      const text = JSON.stringify(item);
      const times = (seen.get(text) ?? 0) + 1;
      seen.set(text, times);
      // Two items can be equal.
      const key = `${times} ${text}`;
      rows.set(key, this.#drawn.get(key) ?? this.draw(item));
    }
    for (const [key, row] of this.#drawn) if (!rows.has(key)) row.remove();
    this.#drawn = rows;
    [...rows.values()].forEach((row, index) => {
      if (this.list.children[index] !== row) this.list.insertBefore(row, this.list.children[index] ?? null);
    });
    this.rest.hidden = more <= 0;
    this.rest.textContent = `and ${more} ${which}`;
  }
}
