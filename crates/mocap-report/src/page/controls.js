// Buttons, choices and keys.
const VIEWS = { free: [-0.7, 0.2], front: [0, 0], side: [-Math.PI / 2, 0], top: [0, Math.PI / 2] };
function press(id, on) { $(id).setAttribute("aria-pressed", on); redraw(); }
function setView(name) {
  camera.yaw = data.heading + VIEWS[name][0]; camera.pitch = VIEWS[name][1]; camera.parallel = name !== "free";
  $("view").value = name; redraw();
}
function reset() { camera = { ...home }; if (!state.follow) aim(); setView("free"); }
function aim() { const p = place(clips[0], clips[0].centre, sample(clips[0])); camera.x = p[0]; camera.z = p[2]; }
function follow(on) {
  if (!clips.length) return;
  state.follow = on;
  if (on) camera.x = camera.z = 0; else aim();
  press("follow", on);
}
function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  readTheme(); legend(); redraw();
}
function toggle(name) { state[name] = !state[name]; press(name, state[name]); }
function measure(on) {
  state.measuring = on; state.pair = []; press("measure", on);
  if (on) note("Select two joints to measure the distance between them.");
}
const step = (n, e) => { play(false); toFrame(frame(clips[0]) + n * clips[0].step * (e.shiftKey ? 10 : 1)); };
function choose(id) {
  const list = $(id), all = [...list.options].map(o => o.value);
  list.value = all[(all.indexOf(list.value) + 1) % all.length]; list.onchange({ target: list });
}
$("play").onclick = () => play(!state.playing);
$("frame").onchange = e => { play(false); toFrame(+e.target.value || 0); };
$("speed").onchange = e => { state.speed = +e.target.value; };
$("loop").onclick = () => toggle("loop");
$("in").onclick = () => setRange(state.t, state.to > state.t ? state.to : seconds);
$("out").onclick = () => setRange(state.from < state.t ? state.from : 0, state.t);
$("follow").onclick = () => follow(!state.follow);
$("path").onclick = () => toggle("path");
$("ghosts").onclick = () => toggle("ghosts");
$("balance").onclick = () => toggle("balance");
$("joints").onclick = () => showPanel($("panel").hidden);
$("measure").onclick = () => measure(!state.measuring);
$("reset").onclick = reset;
$("worst").onclick = worst;
$("link").onclick = copyLink;
$("png").onclick = savePicture;
$("record").onclick = record;
$("jump").onchange = e => { const it = places()[e.target.value]; e.target.value = ""; if (it) jump(it); };
$("event").onchange = e => { state.event = e.target.value; offer(); redraw(); };
$("view").onchange = e => setView(e.target.value);
$("layout").onchange = e => { state.layout = e.target.value; camera.distance = home.distance = reach() * size; redraw(); };
$("skinning").onchange = e => { state.skinning = e.target.value; redraw(); };
$("style").onchange = e => { state.style = e.target.value; redraw(); };
$("colour").onchange = e => { state.colour = e.target.value; legend(); redraw(); };
$("quantity").onchange = $("number").onchange = () => { state.numbers = true; redraw(); };
$("unselect").onclick = closeCurves;
$("theme").onclick = () => theme(!isDark());
$("keys").onclick = () => { $("help").hidden = !$("help").hidden; };
// The next joint that is selected has its curves; numbers come back by their choice.
function closeCurves() {
  state.numbers = false;
  if ($("quantity").value === "numbers") $("quantity").value = "position";
  select(null);
}
// The choices that depend on the clips.
function offer() {
  offerCurves();
  const colours = [["side", "left and right"], ["speed", "speed"]];
  if (clips.some(clip => clip.skin)) colours.unshift(["file", "mesh"]);
  if (compared) colours.push(["difference", compared.differences.label]);
  $("colour").replaceChildren(...colours.map(([value, words]) => new Option(words, value)));
  $("colour").value = state.colour; $("layout").value = state.layout;
  $("balance").hidden = !clips.some(clip => clip.balance);
  $("layout").hidden = clips.length < 2;
  $("skinning").hidden = !renderer || !clips.some(clip => clip.skin);
  const names = [...new Set(clips.flatMap(clip => clip.happens.map(it => it.name)))].sort();
  $("event").hidden = !names.length;
  $("event").replaceChildren(new Option("all events", ""), ...names.map(name => new Option(name)));
  $("event").value = state.event = names.includes(state.event) ? state.event : "";
  const list = places();
  $("worst").hidden = !compared || !compared.differences.worst;
  $("jump").hidden = !list.length;
  $("jump").replaceChildren(new Option("Jump to …", ""), ...list.map((it, i) => new Option(it.words, i)));
  $("frame").max = clips.length ? clips[0].frames - 1 : 0;
}
const KEYS = [
  [" ", "Space", "play or pause", () => play(!state.playing)],
  ["ArrowLeft", "←", "one frame back (Shift: ten)", e => step(-1, e)],
  ["ArrowRight", "→", "one frame forward (Shift: ten)", e => step(1, e)],
  ["Home", "Home", "first frame", () => seek(state.from)],
  ["End", "End", "last frame", () => seek(state.to)],
  ["[", "[", "the range starts here", () => $("in").click()],
  ["]", "]", "the range ends here", () => $("out").click()],
  ["\\", "\\", "the whole range", () => setRange(0, seconds)],
  ["l", "L", "loop", () => $("loop").click()],
  ["s", "S", "next speed", () => choose("speed")],
  ["f", "F", "follow the body", () => $("follow").click()],
  ["r", "R", "reset the view", reset],
  ["v", "V", "next view", () => choose("view")],
  ["1", "1 2 3 4", "perspective, front, side, top", () => setView("free")],
  ["2", "", "", () => setView("front")],
  ["3", "", "", () => setView("side")],
  ["4", "", "", () => setView("top")],
  ["c", "C", "next colouring", () => choose("colour")],
  ["b", "B", "bodies, bones or joints", () => choose("style")],
  ["d", "D", "linear skin or dual quaternions", () => !$("skinning").hidden && choose("skinning")],
  ["o", "O", "overlaid or side by side", () => clips.length > 1 && choose("layout")],
  ["g", "G", "ghosts before and after", () => $("ghosts").click()],
  ["h", "H", "path of the hips", () => $("path").click()],
  ["x", "X", "centre of mass and soles", () => !$("balance").hidden && toggle("balance")],
  ["j", "J", "tree of joints, with search", () => $("joints").click()],
  ["n", "N", "joint names", () => { state.names = !state.names; redraw(); }],
  ["m", "M", "measure between two joints", () => $("measure").click()],
  ["e", "E", "jump to the worst frame", worst],
  ["k", "K", "link to this frame and view", copyLink],
  ["p", "P", "picture (PNG)", savePicture],
  ["w", "W", "record a video (WebM)", record],
  ["t", "T", "light or dark", () => $("theme").click()],
  ["Escape", "Esc", "drop the selection", () => { closeCurves(); measure(false); $("help").hidden = true; }],
  ["?", "?", "these keys", () => $("keys").click()],
];
for (const [, key, does] of KEYS) if (key) $("help").append(Object.assign(document.createElement("kbd"), { textContent: key }), does, document.createElement("br"));
$("help").append("Drag: turn · right drag, two fingers: move · wheel, pinch: zoom · click: select");
addEventListener("keydown", e => {
  const typing = /^(SELECT|INPUT|TEXTAREA)$/.test(e.target.tagName) && e.key !== "Escape";
  if (e.ctrlKey || e.metaKey || e.altKey || typing || (e.key === " " && e.target.tagName === "BUTTON")) return;
  const key = KEYS.find(k => k[0] === e.key || k[0] === e.key.toLowerCase());
  if (key && clips.length) { e.preventDefault(); key[3](e); }
});
if (!state.loop) press("loop", false);
