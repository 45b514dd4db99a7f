// Plays what stands in the page's elements of class "recording".

const recordings = [...document.querySelectorAll("script.recording")].map((script) =>
  new Recording(JSON.parse(script.textContent)));
const conductor = new Conductor(recordings);
const cycles = Math.max(...recordings.map((recording) => recording.cycles));
const players = recordings.map((recording, number) => new Player(conductor, number, cycles));
conductor.players = players;
const controls = new Controls(conductor, players);
document.body.classList.toggle("two", recordings.length > 1);
document.querySelector("main").replaceChildren(controls.element,
  make("div", {class: "players"}, players.map((player) => player.element)));
const fit = () => players.forEach((player) => { player.fit_panels(); player.draw(); });
matchMedia("(min-width: 1000px)").addEventListener("change", fit);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", fit);
fit();
// page.html#step=120 opens there.
const wanted = location.hash.match(/^#step=(\d+)$/);
if (wanted) conductor.go(Number(wanted[1]) + 1);
else controls.open_at_finding();
// For whoever looks at the page with the browser's tools, as the course's tests do.
window.gridstride = {conductor, controls, players, passes_of, sectors_of};
