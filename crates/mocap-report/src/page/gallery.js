// The index of a gallery: search, sort, filter, select; only the rows in view are in the page.
const $ = id => document.getElementById(id);
const strips = [], asked = [], chosen = new Set(), filters = new Set();
// The rows in the page, by clip.
const rows = new Map();
let index = null, shown = [];

async function unpack(text) {
  if (!window.DecompressionStream) throw new Error("this browser cannot unpack the index: it has no DecompressionStream");
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}
const count = (n, of) => `${n.toLocaleString("en")} ${of}${n === 1 ? "" : "s"}`;
function time(seconds) {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
  return h ? `${h} h ${m} min` : `${m} min ${whole % 60} s`;
}

window.mocapIndex = async text => {
  try { index = await unpack(text); } catch (error) { $("totals").textContent = error.message; return; }
  index.all = index.path.map((_, i) => i);
  // What all paths start with is not repeated in every row.
  let folder = index.path[0] ?? "";
  for (const path of index.path) while (!path.startsWith(folder) || !/(^|\/)$/.test(folder)) folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  index.shown = index.path.map(path => path.slice(folder.length));
  index.words = index.path.map((path, i) => `${path} ${index.styles[i]} ${index.worst[i] ?? ""}`.toLowerCase());
  const twins = new Map();
  index.same.forEach(hash => twins.set(hash, (twins.get(hash) || 0) + 1));
  index.twins = index.same.map(hash => twins.get(hash) - 1);
  const words = [...new Set(index.styles.flatMap(it => it.split(" · ")))].sort();
  const has = word => i => index.styles[i].split(" · ").includes(word);
  index.filters = new Map([...words.map(word => [word, has(word)]), ["findings", i => index.findings[i] > 0], ["duplicates", i => index.twins[i] > 0]]);
  for (const [name, holds] of index.filters) {
    const n = index.all.filter(holds).length;
    if (!n) continue;
    const button = Object.assign(document.createElement("button"), { textContent: `${name} ${n}` });
    button.setAttribute("aria-pressed", false);
    button.onclick = () => {
      filters.has(name) ? filters.delete(name) : filters.add(name);
      button.setAttribute("aria-pressed", filters.has(name)); choose();
    };
    $("filters").append(button);
  }
  if (index.failed.length) {
    $("failures").hidden = false;
    $("failures").firstChild.textContent = `${count(index.failed.length, "input")} failed`;
    $("failures").lastChild.append(...index.failed.map(it => Object.assign(document.createElement("li"), { textContent: `${it.path}: ${it.message}` })));
  }
  choose();
};
window.mocapStrips = async (number, text) => {
  strips[number] = await unpack(text);
  for (const [i, item] of rows) if (Math.floor(i / index.chunk) === number) item.querySelector("svg").replaceWith(strip(i));
};

// The clips that are shown, in order.
const SORTS = {
  path: null, shortest: (a, b) => index.seconds[a] - index.seconds[b],
};
const largest = name => (a, b) => (index[name][b] ?? -1) - (index[name][a] ?? -1);
function choose() {
  if (!index) return;
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean), by = $("sort").value;
  const least = parseFloat($("least").value), most = parseFloat($("most").value);
  const wanted = [...filters].map(name => index.filters.get(name));
  shown = index.all.filter(i => words.every(word => index.words[i].includes(word)) && wanted.every(holds => holds(i))
    && !(index.seconds[i] < least) && !(index.seconds[i] > most));
  const order = by in SORTS ? SORTS[by] : largest(by);
  if (order) shown.sort((a, b) => order(a, b) || a - b);
  const total = list => time(list.reduce((sum, i) => sum + index.seconds[i], 0));
  $("totals").textContent = shown.length === index.all.length
    ? `${count(shown.length, "clip")}, ${total(shown)}`
    : `${count(shown.length, "clip")} of ${index.all.length.toLocaleString("en")}, ${total(shown)}`;
  $("list").scrollTop = 0;
  paint();
}

// Rows in view.
function strip(i) {
  const chunk = Math.floor(i / index.chunk), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 576 144"); svg.setAttribute("aria-hidden", "true");
  if (strips[chunk]) ["l", "m", "r", "h"].forEach((name, k) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", name); path.setAttribute("d", strips[chunk][i % index.chunk][k]); svg.append(path);
  });
  else if (!asked[chunk]) {
    asked[chunk] = true;
    document.body.append(Object.assign(document.createElement("script"), { src: `data/strips-${chunk}.js` }));
  }
  return svg;
}
const metres = (v, unit, digits) => v === null ? [] : [`${v.toFixed(digits)} ${unit}`];
function row(i) {
  const item = document.createElement("li"), box = document.createElement("input"), words = document.createElement("div");
  Object.assign(box, { type: "checkbox", checked: chosen.has(i), ariaLabel: `select ${index.path[i]}` });
  box.onchange = () => { box.checked ? chosen.add(i) : chosen.delete(i); tell(); };
  const link = Object.assign(document.createElement("a"), { href: `view.html#clip=${encodeURIComponent(index.script[i])}`, textContent: index.shown[i], title: index.path[i] });
  const facts = Object.assign(document.createElement("div"), { className: "facts" });
  facts.textContent = [
    time(index.seconds[i]), `${index.frames[i]} frames at ${+index.fps[i].toFixed(3)} fps`, count(index.joints[i], index.markers[i] ? "marker" : "joint"),
    ...metres(index.height[i], "m tall", 2), ...metres(index.speed[i], "m/s", 2), ...index.unit[i] === "file" ? [] : [`unit ${index.unit[i]}`],
  ].join(" · ");
  const marks = Object.assign(document.createElement("div"), { className: "facts", textContent: index.styles[i] });
  if (index.findings[i]) marks.append(" · ", Object.assign(document.createElement("b"), { textContent: `${count(index.findings[i], "finding")}: ${index.worst[i]}` }));
  if (index.twins[i]) marks.append(" · ", Object.assign(document.createElement("b"), { textContent: `${count(index.twins[i], "duplicate")}` }));
  words.className = "words"; words.append(link, facts, marks);
  item.append(box, strip(i), words);
  return item;
}
let asking = false;
function paint() {
  if (asking) return;
  asking = true;
  requestAnimationFrame(() => {
    asking = false;
    if (!index) return;
    const list = $("list"), height = matchMedia("(max-width:640px)").matches ? 152 : 96;
    const from = Math.max(0, Math.floor(list.scrollTop / height) - 3), to = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 3);
    $("rows").style.height = `${shown.length * height}px`;
    // Rows that stay in view stay as they are: only what comes into view is made and drawn.
    const wanted = shown.slice(from, to), staying = new Set(wanted), box = $("rows");
    for (const [i, item] of rows) if (!staying.has(i)) { item.remove(); rows.delete(i); }
    wanted.forEach((i, k) => {
      if (!rows.has(i)) rows.set(i, Object.assign(row(i), { id: `clip-${i}` }));
      const item = rows.get(i);
      item.style.top = `${(from + k) * height}px`;
      if (box.children[k] !== item) box.insertBefore(item, box.children[k] || null);
    });
    tell();
  });
}
function tell() {
  $("copy").textContent = chosen.size ? `Copy ${count(chosen.size, "path")}` : "Copy paths";
  $("none").hidden = !chosen.size;
}
function note(words) {
  $("note").textContent = words; $("note").hidden = false;
  clearTimeout(note.timer); note.timer = setTimeout(() => { $("note").hidden = true; }, 4000);
}
async function copy() {
  if (!index) return;
  const list = chosen.size ? [...chosen].sort((a, b) => a - b) : shown, text = `${list.map(i => index.path[i]).join("\n")}\n`;
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (done) { note(`${count(list.length, "path")} copied`); return; }
  // A browser that keeps the clipboard from pages saves a file.
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: "paths.txt" });
  a.click(); note("The paths are in paths.txt.");
}
for (const id of ["search", "least", "most"]) $(id).oninput = choose;
$("sort").onchange = choose;
$("list").onscroll = paint;
addEventListener("resize", paint);
$("copy").onclick = copy;
$("none").onclick = () => { chosen.clear(); for (const item of rows.values()) item.querySelector("input").checked = false; tell(); };
const dark = on => document.documentElement.classList.toggle("dark", on), prefers = matchMedia("(prefers-color-scheme: dark)");
$("theme").onclick = () => dark();
prefers.onchange = () => dark(prefers.matches);
dark(prefers.matches);
addEventListener("keydown", e => { if (e.key === "/" && e.target.tagName !== "INPUT") { e.preventDefault(); $("search").focus(); } });
window.gallery = { get shown() { return shown.map(i => index.path[i]); }, chosen };
