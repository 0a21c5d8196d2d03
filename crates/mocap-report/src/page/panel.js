// The tree of joints: search, select.
function levelOf(clip, joint) { let n = 0; for (let j = clip.parents[joint]; j >= 0; j = clip.parents[j]) n++; return n; }
function select(it) {
  if (it && $("quantity").value === "numbers") $("quantity").value = "position";
  state.selected = it; state.pinned = false; markTree(); redraw();
}
function fillTree() {
  const tree = $("tree"), wanted = $("search").value.trim().toLowerCase(), items = [];
  clips.forEach((clip, c) => {
    if (clips.length > 1) items.push(Object.assign(document.createElement("li"), { className: "clip", textContent: clip.name, role: "presentation" }));
    clip.joints.forEach((name, j) => {
      if (clip.ends[j] || wanted && !name.toLowerCase().includes(wanted)) return;
      const item = Object.assign(document.createElement("li"), { textContent: name, role: "option", tabIndex: -1 });
      item.style.paddingLeft = `${10 + 9 * min(12, wanted ? 0 : levelOf(clip, j))}px`;
      item.dataset.at = `${c}.${j}`;
      items.push(item);
    });
  });
  tree.replaceChildren(...items);
  const first = tree.querySelector("[data-at]");
  if (first) first.tabIndex = 0;
  markTree();
}
function markTree() {
  const at = state.selected && `${state.selected.clip}.${state.selected.joint}`;
  for (const item of $("tree").querySelectorAll("[data-at]")) {
    item.setAttribute("aria-selected", item.dataset.at === at);
    if (item.dataset.at === at) item.scrollIntoView({ block: "nearest" });
  }
}
function showPanel(on) {
  $("panel").hidden = !on; $("joints").setAttribute("aria-pressed", on);
  if (on) { fillTree(); $("search").focus(); }
  resize();
}
const chosenIn = e => { const at = e.target.closest("[data-at]"); return at && (([clip, joint]) => ({ clip, joint }))(at.dataset.at.split(".").map(Number)); };
$("tree").onclick = e => { const it = chosenIn(e); if (it) select(it); };
$("tree").onkeydown = e => {
  const item = e.target.closest("[data-at]"), way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[e.key];
  if (e.key === "Enter" && item) select(chosenIn(e));
  if (!way || !item) return;
  e.preventDefault(); e.stopPropagation();
  let next = item[way];
  while (next && !next.dataset.at) next = next[way];
  if (next) { item.tabIndex = -1; next.tabIndex = 0; next.focus(); select(chosenIn({ target: next })); }
};
$("search").oninput = fillTree;
