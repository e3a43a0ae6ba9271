// A window of the browser, and what a user does in it: open pages, press buttons, fill in fields.

import { TIMEOUT_MS, until } from "./until.mjs";

export class Window {
  // Patterns of the errors that a test expects.
  expectedErrors = [];

  constructor(page, errors = []) {
    this.page = page;
    this.errors = errors;
    page.setDefaultTimeout(TIMEOUT_MS);
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

  // Presses an element unless something covers it, in one step: the page may move between finding
  // and pressing it.
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

  // The same for a button whose name matches a pattern.
  async pressMatching(name) {
    await until(`a button that matches ${name} can be pressed`, async () => {
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
