// Goes into a page of `lab trace`, at its end, and uses it as a reader does: by keys and buttons. Tells the page
// around it, or without one the page's own root, what was not as it should be.
(() => {
  const wrong = [];
  const check = (holds, words) => { if (!holds) wrong.push(words); };
  const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));

  /// All that can be seen: text, marks, and what is painted.
  const picture = () => document.querySelector("main").innerHTML.replaceAll(' class=""', "") +
    [...document.querySelectorAll("canvas")].map((canvas) => canvas.width ? canvas.toDataURL() : "").join() +
    document.querySelector("input[type=range]").value;

  /// Stops forward, then back: each picture must come again.
  const steps_back = ({conductor}, from, count) => {
    conductor.go(from);
    key("ArrowRight");
    const pictures = [];
    for (let i = 0; i < count && conductor.position < conductor.length; ++i) {
      pictures.push([conductor.position, picture()]);
      key("ArrowRight");
    }
    check(new Set(pictures.map(([, one]) => one)).size === new Set(pictures.map(([at]) => at)).size,
      "two steps look the same");
    for (const [position, before] of pictures.reverse()) {
      key("ArrowLeft");
      check(conductor.position === position, `one back from the stop behind ${position} is ${conductor.position}`);
      const now = picture(), same = [...before].findIndex((letter, i) => letter !== now[i]);
      check(now === before, `the picture at ${position} is another one on the way back, ` +
        `from ${before.slice(same - 60, same + 60)} to ${now.slice(same - 60, same + 60)}`);
    }
  };

  const plays_to_the_end = async ({conductor, controls}) => {
    key("Home");
    check(conductor.position === 0, "Home is not the beginning");
    controls.set_speed(99);
    key(" ");
    check(controls.plays, "it does not play");
    for (let i = 0; i < 2000 && controls.plays; ++i) await later(16);
    check(conductor.position === conductor.length, `it stops at ${conductor.position} of ${conductor.length}`);
    check(!controls.plays, "it plays on at the end");
  };

  /// The page's own search for who wrote the wrong element, in the order of json.cpp's.
  const chain_of = (player) => {
    const {data} = player.recording;
    const [array, index] = data.wrong_element, chain = [];
    const open = [[array, index, player.recording.count]];
    for (let i = 0; i < open.length && i < 200; ++i) {
      const source = player.origins.of(...open[i]);
      if (!source) continue;
      chain.push([source.step, source.lane]);
      for (const load of source.from) open.push([load.array, load.index, load.step, load.turn]);
    }
    return chain;
  };

  const shows_what_was_found = ({conductor, controls}, player) => {
    const {data} = player.recording, panel = player.findings.element;
    const found = data.findings.filter((finding) => finding.step >= 0);
    if (controls.jumps.length > 0) {
      key("Home");
      key("f");
      check(controls.jumps.includes(conductor.position), "f leads to no finding");
      check(panel.closest("section").hidden === false, "the findings are hidden");
    }
    check(panel.querySelectorAll("article").length === data.findings.length + (data.wrong ? 1 : 0),
      "not every finding has its card");
    check(found.length === 0 || controls.jumps.length > 0, "f would lead nowhere");
    for (const finding of found) {
      player.go_to_step(finding.step);
      for (const name of ["Shared", "Global"]) {
        const tab = player.panels.find((one) => one.name === name)?.tab;
        if (tab?.getAttribute("aria-pressed") === "false") tab.click();
        if (document.querySelector("td.accused")) break;
      }
      const marked = document.querySelectorAll("td.accused").length;
      const named = player.recording.accesses(finding.step).some(({array}) => array);
      check(!named || marked > 0, `no cell is marked for ${finding.kind}`);
    }
    const races = found.filter((finding) => finding.other >= 0);
    check(panel.querySelectorAll(".between").length === races.length, "a race lacks what is between its accesses");
    check([...panel.querySelectorAll(".missing")].filter((one) => one.textContent !== "").length === races.length,
      "a race lacks what is missing");
    if (data.wrong_element) {
      check(panel.querySelector(".origin") !== null, "nothing is said of who wrote the wrong element");
      check(JSON.stringify(chain_of(player).slice(0, 40)) === JSON.stringify(data.chain.slice(0, 40)),
        "the page follows the wrong element another way than the text does");
    }
  };

  /// What the page draws is what the simulated GPU counted; but of accesses that a compiler joins with another at
  /// the same register, which it counts as one.
  const passes_as_counted = ({passes_of}, {recording}) => {
    let compared = 0;
    const base = (op) => op.kind + " " + op.text.match(/\[([^\]+?)([+-]\d+)?\]/)?.[1];
    const count = new Map();
    for (const op of recording.ops) count.set(base(op), (count.get(base(op)) ?? 0) + 1);
    for (let i = 0; i < recording.count && compared < 500; ++i) {
      const step = recording.step(i), [access] = recording.accesses(i);
      if (!access?.array || access.space !== "shared" || step.op.kind === "atomic" || count.get(base(step.op)) > 1)
        continue;
      if (access.touches.some(({value, index}) => value === undefined || index >= access.array.elements)) continue;
      ++compared;
      const drawn = passes_of(access.array, access.touches, false).length;
      if (drawn === (step.passes ?? 1)) continue;
      wrong.push(`step ${i} is drawn with ${drawn} passes, counted ${step.passes ?? 1}`);
      return;
    }
  };

  const is_operable = () => {
    for (const control of document.querySelectorAll("button, select, input, canvas, [role=region]")) {
      check(control.getAttribute("aria-label") || control.closest("label")?.textContent.trim(),
        `${control.outerHTML.slice(0, 80)} has no name`);
    }
    check(document.documentElement.scrollWidth <= innerWidth, `it is ${document.documentElement.scrollWidth} wide`);
    const rooms = [...document.querySelectorAll(".player, .panel, .source-view, .timeline")];
    check(rooms.every((room) => room.hidden || room.scrollWidth <= room.clientWidth + 2), "a panel is cut off");
    key("?");
    check(document.querySelector("dialog").open, "? shows no help");
    document.querySelector("dialog").close();
  };

  /// By name, as somebody without a mouse does.
  const shows_a_named_element = ({players: [player]}) => {
    const array = player.recording.arrays.find((one) => player.recording.history(one.number).touched.length > 0);
    if (!array) return;
    const tab = player.panels.find((one) => one.name === "Element").tab;
    if (tab.getAttribute("aria-pressed") === "false") tab.click();
    const panel = player.element_view.element, index = player.recording.history(array.number).touched[0];
    const ask = (text) => {
      panel.querySelector("input").value = text;
      panel.querySelector("form").requestSubmit();
    };
    ask("nobody[3]");
    check(panel.querySelector("[role=status]").textContent.includes(array.name), "it does not say which arrays there are");
    ask(`${array.name}[${array.elements}]`);
    check(panel.querySelector("[role=status]").textContent.includes(" has "), "an element behind the end is taken");
    ask(`${array.name}[${index}]`);
    check(panel.querySelector("h3")?.textContent.startsWith(player.words.element(array, index)), "the element is not shown");
    check(panel.querySelectorAll("ul.accesses li").length > 0, "nobody is said to have touched it");
  };

  const use = async () => {
    const page = window.gridstride;
    check(page !== undefined, "the page's script did not come to its end");
    if (!page) return;
    is_operable();
    for (const player of page.players) {
      shows_what_was_found(page, player);
      passes_as_counted(page, player);
    }
    shows_a_named_element(page);
    steps_back(page, Math.floor(0.6 * page.conductor.length), 4);
    await plays_to_the_end(page);
  };

  addEventListener("load", async () => {
    try {
      await use();
    } catch (error) {
      wrong.push(error.stack);
    }
    const complaints = document.documentElement.dataset.complaints;
    if (complaints) wrong.push("complained: " + complaints);
    parent.postMessage(wrong, "*");
  });
})();
