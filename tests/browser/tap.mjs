// A tap on what a page asks the server over HTTP and hears from it over the WebSocket. What it hears can be kept from it.

export class Tap {
  // What the page has asked for over HTTP, in order, without its own files.
  asked = [];

  // Taps a page that has not gone anywhere yet.
  static async on(page) {
    const tap = new Tap(page);
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith("/api/")) tap.asked.push(pathname + search);
    });
    await page.evaluateOnNewDocument(tapped);
    return tap;
  }

  constructor(page) {
    this.page = page;
  }

  // The events whose changes were pushed to the page, also where those were lost.
  pushed = () => this.page.evaluate(() => globalThis.tap.pushed);

  // The types of the messages that the page did not get.
  lost = () => this.page.evaluate(() => globalThis.tap.lost);

  // The page does not get the next message of this type.
  loseNext = (type) => this.page.evaluate((type) => { globalThis.tap.losing = type; }, type);

  // Over this connection the page gets nothing any more.
  deafen = () => this.page.evaluate(() => { globalThis.tap.socket.deaf = true; });

  // Ends the connection.
  cut = () => this.page.evaluate(() => globalThis.tap.socket.close());

  // Lets the page hear something that the server did not say.
  hear = (message) => this.page.evaluate((data) => {
    globalThis.tap.socket.dispatchEvent(new MessageEvent("message", { data }));
  }, JSON.stringify(message));

  // Holds back the answers to what is asked below this path, until they are let go.
  async holdBack(path) {
    await this.page.evaluate((path) => {
      const { fetch } = globalThis;
      const free = Promise.withResolvers();
      globalThis.tap.held = 0;
      globalThis.tap.letGo = free.resolve;
      globalThis.fetch = async (asked, options) => {
        const answer = await fetch(asked, options);
        if (!asked.startsWith(path)) return answer;
        globalThis.tap.held += 1;
        await free.promise;
        return answer;
      };
    }, path);
    return {
      held: () => this.page.evaluate(() => globalThis.tap.held > 0),
      letGo: () => this.page.evaluate(() => globalThis.tap.letGo()),
    };
  }
}

// Runs in the page, before anything of it does.
function tapped() {
  const tap = { pushed: [], lost: [], losing: null, socket: null };
  globalThis.tap = tap;
  const loses = (socket, { type }) => {
    if (socket.deaf) return true;
    if (type !== tap.losing) return false;
    tap.losing = null;
    return true;
  };
  globalThis.WebSocket = class extends WebSocket {
    constructor(...address) {
      super(...address);
      tap.socket = this;
      // The page listens after this, and does not hear what is stopped here.
      this.addEventListener("message", (event) => {
        const message = JSON.parse(event.data);
        if (message.type === "run_view") tap.pushed.push(message.seq);
        if (!loses(this, message)) return;
        tap.lost.push(message.type);
        event.stopImmediatePropagation();
      });
    }
  };
}
