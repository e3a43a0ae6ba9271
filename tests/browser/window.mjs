// A window of the browser, and what people do in one: they go somewhere, press something, fill something in.

import { PATIENCE, until } from "./patience.mjs";

export class Window {
  // Complaints that a test expects.
  forgiven = [];

  constructor(page, complaints = []) {
    this.page = page;
    this.complaints = complaints;
    page.setDefaultTimeout(PATIENCE);
  }

  visit(address) {
    return this.page.goto(address, { waitUntil: "load" });
  }

  hash() {
    return this.page.evaluate(() => location.hash);
  }

  // The element with this role and name that can be seen.
  async find(role, name) {
    return until(`there is a ${role} \`${name}\``, () => this.page.$(`aria/${name}[role="${role}"]`));
  }

  // Presses an element if it is what is under the hand there, all in one go: a page may move between aiming and pressing.
  touch(element) {
    return element.evaluate((one) => {
      one.scrollIntoView({ block: "nearest", inline: "nearest" });
      const { x, y, width, height } = one.getBoundingClientRect();
      const under = document.elementFromPoint(x + width / 2, y + height / 2);
      if (one.disabled || !one.contains(under)) return false;
      one.focus();
      one.click();
      return true;
    });
  }

  async press(name, role = "button") {
    await until(`\`${name}\` can be pressed`, async () => this.touch(await this.find(role, name)));
  }

  // The same for a button whose name is not known to the letter.
  async pressWhat(name) {
    await until(`something like ${name} can be pressed`, async () => {
      for (const button of await this.page.$$("button")) {
        if (!name.test(await button.evaluate((one) => (one.checkVisibility() ? one.textContent : "")))) continue;
        return this.touch(button);
      }
      return false;
    });
  }

  async fill(name, text, role = "textbox") {
    const element = await this.find(role, name);
    await element.focus();
    await element.evaluate((field) => field.select());
    await this.page.keyboard.sendCharacter(text);
  }

  async choose(name, value) {
    const element = await this.find("combobox", name);
    await element.select(value);
  }
}
