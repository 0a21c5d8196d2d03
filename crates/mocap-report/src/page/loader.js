"use strict";
// The page of one clip of a gallery: its script is named in the address.
(() => {
const wanted = new URLSearchParams(location.hash.slice(1)).get("clip") || "";
function viewer() {
/*viewer*/
}
window.mocapClip = parts => {
  window.mocapClip = null;
  document.title = parts.title;
  document.querySelector("header").innerHTML = parts.header;
  const back = Object.assign(document.createElement("a"), { href: "index.html", textContent: "← all clips" });
  document.querySelector("header").prepend(back);
  document.getElementById("data").textContent = JSON.stringify({ ...parts.data, clip: wanted });
  viewer();
};
const failed = words => { document.querySelector("header").textContent = words; };
// Only scripts of clips below this page.
if (!/^clips\/.+\.js$/.test(wanted) || wanted.split("/").includes("..")) { failed("The address names no clip of this gallery."); return; }
const script = document.createElement("script");
script.src = wanted.split("/").map(encodeURIComponent).join("/");
script.onerror = () => failed(`${wanted} is not there.`);
document.body.append(script);
addEventListener("hashchange", () => {
  const clip = new URLSearchParams(location.hash.slice(1)).get("clip");
  if (clip && clip !== wanted) location.reload();
});
})();
