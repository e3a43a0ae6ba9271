// Records a page's HTTP requests and the messages that it receives over the WebSocket, and can drop
// or inject messages.

export class Tap {
  // The page's requests to the API, in order.
  asked = [];

  // Taps a window that has not opened a page yet.
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

  // The events whose changes were pushed to the page, even those that were dropped.
  pushed = () => this.page.evaluate(() => globalThis.tap.pushed);

  // The types of the messages that were dropped.
  lost = () => this.page.evaluate(() => globalThis.tap.lost);

  // Drops the next message of this type.
  loseNext = (type) => this.page.evaluate((type) => { globalThis.tap.losing = type; }, type);

  // Drops all further messages of this connection.
  dropMessages = () => this.page.evaluate(() => { globalThis.tap.socket.dropping = true; });

  // Closes the connection.
  cut = () => this.page.evaluate(() => globalThis.tap.socket.close());

  // Injects a message that the server did not send.
  inject = (message) => this.page.evaluate((data) => {
    globalThis.tap.socket.dispatchEvent(new MessageEvent("message", { data }));
  }, JSON.stringify(message));

  // Delays the answers to requests below this path until they are released.
  async holdBack(path) {
    await this.page.evaluate((path) => {
      const { fetch } = globalThis;
      const free = Promise.withResolvers();
      globalThis.tap.held = 0;
      globalThis.tap.release = free.resolve;
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
      release: () => this.page.evaluate(() => globalThis.tap.release()),
    };
  }
}

// Runs in the page, before its own scripts.
function tapped() {
  const tap = { pushed: [], lost: [], losing: null, socket: null };
  globalThis.tap = tap;
  const loses = (socket, { type }) => {
    if (socket.dropping) return true;
    if (type !== tap.losing) return false;
    tap.losing = null;
    return true;
  };
  globalThis.WebSocket = class extends WebSocket {
    constructor(...address) {
      super(...address);
      tap.socket = this;
      // The page's own listener comes after this one, so it does not get what is stopped here.
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
