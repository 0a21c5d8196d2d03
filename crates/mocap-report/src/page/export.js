// Links to a frame and a view, pictures, recordings.
function note(words) {
  $("note").textContent = words; $("note").hidden = false;
  clearTimeout(note.timer); note.timer = setTimeout(() => { $("note").hidden = true; }, 6000);
}
const short = v => +v.toFixed(3);
function link() {
  const c = camera, parts = [...data.clip ? [`clip=${encodeURIComponent(data.clip)}`] : [], `f=${clips.length ? frame(clips[0]) : 0}`, `cam=${[c.yaw, c.pitch, c.distance, c.x, c.y, c.z].map(short).join()}`];
  if (!state.follow) parts.push("follow=0");
  if (c.parallel) parts.push(`view=${$("view").value}`);
  if (state.selected) parts.push(`joint=${state.selected.clip}.${encodeURIComponent(clips[state.selected.clip].joints[state.selected.joint])}`);
  return `#${parts.join("&")}`;
}
function openLink() {
  const parts = new URLSearchParams(location.hash.slice(1)), numbers = (parts.get("cam") || "").split(",").map(Number);
  if (parts.get("view") in VIEWS) setView(parts.get("view"));
  if (numbers.length === 6 && numbers.every(Number.isFinite)) {
    [camera.yaw, camera.pitch, camera.distance, camera.x, camera.y, camera.z] = numbers;
    camera.distance = max(0.05 * size, camera.distance);
  }
  if (parts.get("follow") === "0") { state.follow = false; press("follow", false); }
  const f = parseInt(parts.get("f"), 10), t = parseFloat(parts.get("t"));
  if (f >= 0) toFrame(f);
  // Motions of other rates share the time, not the frame.
  if (t >= 0) seek(t);
  const [, clip, name] = /^(\d+)\.(.*)$/s.exec(parts.get("joint") || "") || [], joint = clips[clip] ? clips[clip].joints.indexOf(name) : -1;
  if (joint >= 0) select({ clip: +clip, joint });
}
async function copyLink() {
  location.hash = link();
  const done = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  note(done ? "The link to this frame is in the clipboard." : "The address bar now links to this frame and view.");
}
function save(blob, name) {
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}
const plainName = () => (clips[0] ? clips[0].name : "motion").replace(/^.*[\\/]/, "").replace(/[^\p{L}\p{N}._-]+/gu, "_");
// Bodies and what is drawn on them, in one canvas.
const picture = document.createElement("canvas");
function compose() {
  if (picture.width !== stage.width || picture.height !== stage.height) { picture.width = stage.width; picture.height = stage.height; }
  const to = picture.getContext("2d");
  to.fillStyle = css.bg; to.fillRect(0, 0, picture.width, picture.height);
  if (renderer) to.drawImage($("bodies"), 0, 0, picture.width, picture.height);
  to.drawImage(stage, 0, 0);
  return picture;
}
function savePicture() {
  draw();
  compose().toBlob(blob => save(blob, `${plainName()}-${clips.length ? frame(clips[0]) : 0}.png`), "image/png");
}
let recorder = null;
function record() {
  if (recorder) { recorder.stop(); return; }
  if (!window.MediaRecorder || !picture.captureStream) { note("This browser cannot record video."); return; }
  draw(); compose();
  const type = ["video/webm;codecs=vp9", "video/webm"].find(t => MediaRecorder.isTypeSupported(t));
  if (!type) { note("This browser cannot record WebM."); return; }
  const parts = [], loop = state.loop;
  recorder = new MediaRecorder(picture.captureStream(), { mimeType: type, videoBitsPerSecond: 8e6 });
  recorder.ondataavailable = e => parts.push(e.data);
  recorder.onstop = () => {
    recorder = null; state.loop = loop; play(false); press("record", false);
    save(new Blob(parts, { type: "video/webm" }), `${plainName()}.webm`);
  };
  const watch = () => {
    compose();
    if (!recorder) return;
    // The last frame has its time too.
    if (state.playing) waiting.push(watch); else setTimeout(() => recorder && recorder.stop(), 200);
  };
  // The range once, from its first frame. A recorder takes a while to start: what plays before is not in the film.
  state.loop = false; seek(state.from); press("record", true);
  recorder.onstart = () => { play(true); waiting.push(watch); };
  recorder.start();
}
