// Measures a page as it is drawn: what is too small, too wide, or too pale.

// The controls that cannot be reached: too small for a finger, or outside of the window.
export function outOfReach(page) {
  return page.evaluate(() => {
    const root = document.scrollingElement;
    const found = root.scrollWidth > innerWidth ? [`the page is ${root.scrollWidth} wide, and the window ${innerWidth}`] : [];
    const scope = document.querySelector("dialog[open]") ?? document;
    for (const one of scope.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button]")) {
      if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      // Pressing a label is the same as pressing its control.
      const boxes = [one, ...(one.labels ?? [])].map((part) => part.getBoundingClientRect());
      const left = Math.min(...boxes.map((box) => box.left));
      const right = Math.max(...boxes.map((box) => box.right));
      const height = Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
      const name = `${one.localName} \`${(one.ariaLabel ?? one.textContent).trim().slice(0, 40)}\``;
      // A link that is shown only when it has the focus is outside of the window until then.
      const offscreen = right < 0 && getComputedStyle(one).position === "absolute";
      if (offscreen) continue;
      // A link within a sentence is as high as its line.
      const block = one.localName === "a" && one.closest("p, li, td, blockquote");
      const inline = block && (block.textContent.trim() !== one.textContent.trim() || one.closest("[role=log]"));
      if (!inline && (right - left < 24 || height < 24)) found.push(`${name} is ${Math.round(right - left)}×${Math.round(height)}`);
      const wide = boxes[0];
      if (wide.left < -0.5 || wide.right > innerWidth + 0.5) {
        found.push(`${name} reaches from ${Math.round(wide.left)} to ${Math.round(wide.right)} of ${innerWidth}`);
      }
    }
    return found;
  });
}

// Every text with too little contrast to its background, at both ends of every animation.
export function tooPale(page) {
  return page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.canvas.width = canvas.canvas.height = 1;
    const known = new Map();
    // Red, green, blue and opacity of any CSS colour.
    const parsed = (colour) => {
      if (!known.has(colour)) {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = "#0000";
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        known.set(colour, [r, g, b, a / 255]);
      }
      return known.get(colour);
    };
    const over = ([r, g, b, a], under) => [r, g, b].map((part, index) => part * a + under[index] * (1 - a));
    const light = (rgb) => {
      const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (one, other) => {
      const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const layers = (element) => {
      const found = [];
      for (let one = element; one; one = one.parentElement) {
        const style = getComputedStyle(one);
        if (one instanceof SVGElement) {
          // The background of a text in the graph is the box that is drawn before it.
          const box = one.localName === "g" && one.querySelector(":scope > rect, :scope > circle");
          if (box && !found.some((layer) => layer.box)) {
            const { fill, fillOpacity, opacity } = getComputedStyle(box);
            const [r, g, b, a] = parsed(fill === "none" ? "transparent" : fill);
            found.push(Object.assign([r, g, b, a * fillOpacity * opacity], { box: true }));
          }
        } else {
          found.push(parsed(style.backgroundColor));
        }
      }
      const ground = parsed("Canvas").slice(0, 3);
      return found.reduceRight((under, layer) => over(layer, under), ground);
    };
    const found = new Set();
    const look = () => {
      const walk = document.createTreeWalker(document.querySelector("dialog[open]") ?? document.body, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const element = walk.currentNode.parentElement;
        const words = walk.currentNode.textContent.trim();
        if (!words || ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "title", "DATALIST"].includes(element.nodeName)) continue;
        if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest(":disabled, [hidden]")) continue;
        const box = element.getBoundingClientRect();
        if (box.right < 0 || box.width <= 1) continue;
        const style = getComputedStyle(element);
        const behind = layers(element);
        const [r, g, b, a] = parsed(element instanceof SVGElement ? style.fill : style.color);
        let opacity = a;
        for (let one = element; one; one = one.parentElement) opacity *= getComputedStyle(one).opacity;
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        const seen = ratio(over([r, g, b, opacity], behind), behind);
        if (seen < (large ? 3 : 4.5)) found.add(`\`${words.slice(0, 40)}\` has ${seen.toFixed(2)} (${style.color}, ${size}px)`);
      }
    };
    look();
    const moving = document.getAnimations();
    for (const end of [0, 0.999]) {
      for (const animation of moving) {
        animation.pause();
        animation.currentTime = end * (animation.effect.getComputedTiming().duration || 0);
      }
      if (moving.length > 0) look();
    }
    for (const animation of moving) animation.play();
    return [...found];
  });
}
