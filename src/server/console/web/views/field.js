// A labelled input, with a hint and an error message below it.

import { h } from "../dom.js";

let fields = 0;

// `read` turns the text into a value, or throws an `Error` that says what is wrong. An empty text
// is not read; its value is `undefined`.
export class Field {
  #read;

  constructor(label, input, { hint = "", read = (text) => text, required = null } = {}) {
    fields += 1;
    this.#read = read;
    this.input = input;
    this.required = required;
    this.hint = h("p", { class: "hint", id: `field-${fields}-hint` }, hint);
    this.problem = h("p", { class: "problem", id: `field-${fields}-problem`, role: "alert" });
    input.setAttribute("aria-describedby", `${this.hint.id} ${this.problem.id}`);
    input.addEventListener("input", () => this.#showProblem(""));
    // Outside of the label, so that neither becomes part of the input's name.
    this.element = h("div", { class: "field" }, h("label", {}, h("span", {}, label), input), this.hint, this.problem);
  }

  get text() {
    return this.input.value.trim();
  }

  // Whether the value is valid. If not, the error message says why.
  check() {
    try {
      this.value;
      this.#showProblem("");
      return true;
    } catch (error) {
      this.#showProblem(error.message);
      return false;
    }
  }

  get value() {
    if (this.text) return this.#read(this.text);
    if (this.required && !this.input.disabled) throw new Error(this.required);
    return undefined;
  }

  #showProblem(words) {
    if (words) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
    if (this.problem.textContent !== words) this.problem.textContent = words;
  }
}

// An amount of money, with or without a dollar sign.
export function amount(text) {
  const number = /^\$?\s*(\d+(?:\.\d+)?|\.\d+)$/.exec(text)?.[1];
  if (!(Number(number) > 0)) throw new Error("Enter an amount above 0, such as 2.50.");
  return Number(number);
}

const SECONDS = { s: 1, m: 60, min: 60, h: 3600, d: 86_400 };
const PART = /(\d+)\s*(s|min|m|h|d)(?![a-z])\s*/gy;

// A time as the command line takes it, in seconds.
export function seconds(text) {
  const parts = [...text.matchAll(PART)];
  const whole = parts.reduce((length, [part]) => length + part.length, 0) === text.length;
  const sum = parts.reduce((sum, [, number, unit]) => sum + number * SECONDS[unit], 0);
  if (!whole || sum <= 0) throw new Error("Enter a time with its unit, such as 45m, 2h or 1h 30m.");
  return sum;
}
