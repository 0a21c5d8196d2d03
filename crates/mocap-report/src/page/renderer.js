// Draws solids with WebGL2: instanced shapes, one light with a soft shadow, a floor with a grid and an arrow forward.
const SHAPE_VERTEX = `#version 300 es
layout(location=0) in vec3 point;
layout(location=1) in vec4 normal;
layout(location=2) in vec4 first;
layout(location=3) in vec4 last;
layout(location=4) in vec4 wide;
layout(location=5) in vec4 wideLast;
layout(location=6) in vec4 colour;
uniform mat4 eye, light;
out vec3 n; out vec3 at; out vec4 tint; out vec4 lit; out vec3 local;
void main() {
  vec3 y = last.xyz - first.xyz;
  float len = length(y);
  y = len > 1e-7 ? y / len : vec3(0, 1, 0);
  float end = normal.w;
  vec3 w = mix(wide.xyz, wideLast.xyz, end), x = w - y * dot(w, y);
  if (dot(x, x) < 1e-12) { vec3 o = abs(y.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 0, 1); x = o - y * dot(o, y); }
  x = normalize(x);
  vec3 z = cross(x, y);
  float r = mix(first.w, last.w, end), cap = min(1.0, wide.w);
  local = vec3(point.xy, point.z * wideLast.w) + vec3(0, end, 0);
  at = mix(first.xyz, last.xyz, end) + r * (x * point.x + y * point.y * cap + z * point.z * wide.w);
  float slope = abs(point.y) < 0.99 && len > 1e-5 ? clamp((first.w - last.w) / len, -1.0, 1.0) : 0.0;
  n = normalize(x * normal.x + y * (normal.y / cap + slope * length(normal.xz)) + z * normal.z / wide.w);
  tint = colour;
  lit = light * vec4(at, 1);
  gl_Position = eye * vec4(at, 1);
}`;
const SKIN_VERTEX = `#version 300 es
layout(location=0) in vec3 point;
layout(location=1) in vec3 normal;
layout(location=2) in vec4 slots;
layout(location=3) in vec4 weights;
layout(location=4) in vec4 own;
uniform highp sampler2D bones, rigid;
uniform mat4 eye, light;
uniform int dual;
out vec3 n; out vec3 at; out vec4 tint; out vec4 lit; out vec3 local;
// The stretch of the bones, and after it the normalised sum of their dual quaternions.
void blend() {
  vec4 r = vec4(0), d = vec4(0), first = vec4(0), p = vec4(point, 1);
  vec3 v = vec3(0), m = vec3(0);
  float most = -1.0;
  for (int i = 0; i < 4; i++) if (weights[i] > most) { most = weights[i]; first = texelFetch(rigid, ivec2(0, int(slots[i] + 0.5)), 0); }
  for (int i = 0; i < 4; i++) {
    int b = int(slots[i] + 0.5);
    vec4 x = texelFetch(rigid, ivec2(2, b), 0), y = texelFetch(rigid, ivec2(3, b), 0), z = texelFetch(rigid, ivec2(4, b), 0), q = texelFetch(rigid, ivec2(0, b), 0);
    v += weights[i] * vec3(dot(x, p), dot(y, p), dot(z, p));
    m += weights[i] * vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    float w = dot(q, first) < 0.0 ? -weights[i] : weights[i];
    r += w * q;
    d += w * texelFetch(rigid, ivec2(1, b), 0);
  }
  float len = length(r);
  r /= len; d /= len;
  at = v + 2.0 * cross(r.xyz, cross(r.xyz, v) + r.w * v) + 2.0 * (r.w * d.xyz - d.w * r.xyz + cross(r.xyz, d.xyz));
  n = m + 2.0 * cross(r.xyz, cross(r.xyz, m) + r.w * m);
}
void main() {
  at = vec3(0); n = vec3(0); tint = vec4(0, 0, 0, 1);
  for (int i = 0; i < 4; i++) {
    int b = int(slots[i] + 0.5);
    vec4 x = texelFetch(bones, ivec2(0, b), 0), y = texelFetch(bones, ivec2(1, b), 0), z = texelFetch(bones, ivec2(2, b), 0), p = vec4(point, 1);
    at += weights[i] * vec3(dot(x, p), dot(y, p), dot(z, p));
    n += weights[i] * vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    vec4 c = texelFetch(bones, ivec2(3, b), 0);
    tint.rgb += weights[i] * mix(c.rgb, own.rgb, own.a * c.a);
  }
  if (dual == 1) blend();
  local = vec3(-9);
  lit = light * vec4(at, 1);
  gl_Position = eye * vec4(at, 1);
}`;
const SHADOW = `
uniform highp sampler2DShadow shade;
uniform float texel;
float sunlit(vec4 lit, float bias) {
  vec3 p = lit.xyz * 0.5 + 0.5;
  if (p.x < 0.0 || p.y < 0.0 || p.x > 1.0 || p.y > 1.0 || p.z > 1.0) return 1.0;
  float sum = 0.0;
  for (int i = 0; i < 16; i++) {
    float a = float(i) * 2.39996, d = sqrt(float(i) + 0.5) * texel;
    sum += texture(shade, vec3(p.xy + d * vec2(cos(a), sin(a)), p.z - bias));
  }
  return sum / 16.0;
}`;
const SHAPE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 n; in vec3 at; in vec4 tint; in vec4 lit; in vec3 local;
uniform vec3 sun, from;
uniform float ambient;
${SHADOW}
out vec4 pixel;
void main() {
  vec3 m = normalize(n);
  float d = max(0.0, dot(m, sun)), s = d > 0.0 ? sunlit(lit, 0.004) : 0.0;
  vec3 v = normalize(from - at);
  float rim = pow(1.0 - max(0.0, dot(m, v)), 3.0);
  float shine = pow(max(0.0, dot(m, normalize(sun + v))), 28.0) * s;
  // Where eyes are.
  float eyes = smoothstep(0.62, 0.66, local.z) * smoothstep(0.55, 0.62, local.y) * (1.0 - smoothstep(1.28, 1.36, local.y));
  vec3 base = tint.rgb * (1.0 - 0.72 * eyes);
  vec3 c = base * (ambient + 0.16 * m.y + 0.62 * d * mix(0.25, 1.0, s)) + 0.12 * shine + 0.10 * rim * ambient;
  pixel = vec4(c * tint.a, tint.a);
}`;
const FLOOR_VERTEX = `#version 300 es
layout(location=0) in vec2 corner;
uniform mat4 eye, light;
uniform vec4 middle;
out vec3 at; out vec4 lit;
void main() {
  at = vec3(middle.x + corner.x * middle.w, middle.y, middle.z + corner.y * middle.w);
  lit = light * vec4(at, 1);
  gl_Position = eye * vec4(at, 1);
}`;
const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; in vec4 lit;
uniform vec3 thin, strong, dark, arrowInk;
uniform vec4 middle, arrow;
uniform float unit, shadow;
${SHADOW}
out vec4 pixel;
float lines(vec2 p) {
  vec2 w = fwidth(p), d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-6);
  vec2 line = (1.0 - smoothstep(0.6, 1.5, d)) * clamp(0.7 / max(w * 3.0, 1e-6) - 0.4, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.3, 1.0, length(at.xz - middle.xz) / middle.w);
  float a = lines(at.xz / unit), b = lines(at.xz / unit / 5.0);
  vec4 c = vec4(mix(thin, strong, b), max(a, b) * fade);
  vec2 q = (at.xz - arrow.xy) * mat2(arrow.w, -arrow.z, arrow.z, arrow.w) / unit;
  float shaft = max(abs(q.x) - 0.045, abs(q.y - 0.35) - 0.35), tip = max(abs(q.x) * 1.5 + q.y - 1.0, 0.66 - q.y);
  float inside = min(shaft, tip), w = fwidth(inside);
  c = mix(c, vec4(arrowInk, 0.9), 1.0 - smoothstep(-w, w, inside));
  float s = (1.0 - sunlit(lit, 0.001)) * shadow * fade;
  float o = s + c.a * (1.0 - s);
  vec3 mixed = o > 0.0 ? (dark * s + c.rgb * c.a * (1.0 - s)) / o : dark;
  pixel = vec4(mixed * o, o);
}`;
const DEPTH_FRAGMENT = "#version 300 es\nprecision highp float;\nvoid main() {}";

// Points and outward normals of the shapes; the fourth number of a normal says which end a point belongs to.
function capsuleMesh(around = 18, rings = 5) {
  const out = [], row = i => {
    const end = i > rings ? 1 : 0, a = (i - end - rings) / rings * Math.PI / 2;
    return [Math.cos(a), Math.sin(a), end];
  };
  const vertex = (i, k) => {
    const [r, y, end] = row(i), a = k / around * 2 * Math.PI, p = [r * Math.cos(a), y, r * Math.sin(a)];
    return [...p, ...p, end];
  };
  for (let i = 0; i < 2 * rings + 1; i++) for (let k = 0; k < around; k++) {
    const [a, b, c, d] = [vertex(i, k), vertex(i, k + 1), vertex(i + 1, k), vertex(i + 1, k + 1)];
    out.push(...a, ...c, ...b, ...b, ...c, ...d);
  }
  return out;
}
function cylinderMesh(around = 24) {
  const out = [];
  for (let k = 0; k < around; k++) {
    const p = i => { const a = i / around * 2 * Math.PI; return [Math.cos(a), Math.sin(a)]; };
    const [c, s] = p(k), [d, t] = p(k + 1);
    const side = (x, z, end) => [x, 0, z, x, 0, z, end], lid = (x, z, end) => [x, 0, z, 0, end ? 1 : -1, 0, end];
    out.push(...side(c, s, 0), ...side(c, s, 1), ...side(d, t, 0), ...side(d, t, 0), ...side(c, s, 1), ...side(d, t, 1));
    for (const end of [0, 1]) out.push(...lid(0, 0, end), ...lid(c, s, end), ...lid(d, t, end));
  }
  return out;
}
function boxMesh() {
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]];
  const face = vertex => corners.flatMap(([u, v]) => vertex(u, v));
  return [-1, 1].flatMap(s => [
    ...face((u, v) => [s, 0, u, s, 0, 0, (v + 1) / 2]),
    ...face((u, v) => [u, 0, s, 0, 0, s, (v + 1) / 2]),
    ...face((u, v) => [u, 0, v, 0, s, 0, (s + 1) / 2]),
  ]);
}

// A matrix times a point gives clip space; columns follow each other.
function eyeMatrix() {
  const far = camera.distance + 60 * size, near = camera.parallel ? -60 * size : 0.02 * size;
  const { right, up, back, target, zoom } = view, D = camera.distance;
  const sx = 2 * zoom / width, sy = 2 * zoom / height, m = new Float32Array(16);
  const row = (i, axis, scale, more) => { for (let k = 0; k < 3; k++) m[4 * k + i] = axis[k] * scale; m[12 + i] = more - scale * (axis[0] * target[0] + axis[1] * target[1] + axis[2] * target[2]); };
  row(0, right, sx, 0); row(1, up, sy, 0);
  const z = camera.parallel ? 2 * D / (far - near) : (far + near) / (far - near);
  const w = camera.parallel ? -D * (far + near) / (far - near) : -2 * far * near / (far - near);
  row(2, back, -z, z * D + w);
  if (camera.parallel) m[15] = D; else row(3, back, -1, D);
  return m;
}
const SUN = (() => { const v = [0.38, 0.86, 0.34], n = hypot(...v); return v.map(x => x / n); })();
function lightMatrix(middle, reach) {
  const x = [SUN[2], 0, -SUN[0]], n = hypot(...x), right = x.map(v => v / n), up = cross(SUN, right), m = new Float32Array(16);
  [right, up, SUN.map(v => -v)].forEach((axis, i) => {
    for (let k = 0; k < 3; k++) m[4 * k + i] = axis[k] / reach;
    m[12 + i] = -(axis[0] * middle[0] + axis[1] * middle[1] + axis[2] * middle[2]) / reach;
  });
  m[15] = 1;
  return m;
}

function createRenderer(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const MAP = 2048;
  const program = (vertex, fragment) => {
    const p = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source); gl.compileShader(shader); gl.attachShader(p, shader);
    }
    gl.linkProgram(p);
    if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p) || "the shader does not link");
    const at = {};
    return { p, set(name, kind, ...values) { at[name] ??= gl.getUniformLocation(p, name); gl[`uniform${kind}`](at[name], ...values); } };
  };
  const shape = program(SHAPE_VERTEX, SHAPE_FRAGMENT), depth = program(SHAPE_VERTEX, DEPTH_FRAGMENT), ground = program(FLOOR_VERTEX, FLOOR_FRAGMENT);
  let skinShape = null, skinDepth = null;
  const instances = gl.createBuffer();
  const meshes = [capsuleMesh(), cylinderMesh(), boxMesh()].map(points => {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
    [[0, 3, 0], [1, 4, 12]].forEach(([i, n, from]) => { gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, n, gl.FLOAT, false, 28, from); });
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    for (let i = 2; i < 7; i++) { gl.enableVertexAttribArray(i); gl.vertexAttribDivisor(i, 1); }
    return { array, count: points.length / 7 };
  });
  const plane = gl.createVertexArray();
  gl.bindVertexArray(plane);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 8, 0);
  const map = gl.createTexture(), target = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, map);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, MAP, MAP);
  for (const [name, value] of [["MIN_FILTER", gl.LINEAR], ["MAG_FILTER", gl.LINEAR], ["WRAP_S", gl.CLAMP_TO_EDGE], ["WRAP_T", gl.CLAMP_TO_EDGE], ["COMPARE_MODE", gl.COMPARE_REF_TO_TEXTURE], ["COMPARE_FUNC", gl.LEQUAL]])
    gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], value);
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);

  function upload(lists) {
    const all = new Float32Array(lists.reduce((n, list) => n + list.length, 0));
    let at = 0;
    const parts = lists.map((list, form) => { const from = at; all.set(list, at); at += list.length; return { form, from: from * 4, count: list.length / NUMBERS }; });
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    gl.bufferData(gl.ARRAY_BUFFER, all, gl.DYNAMIC_DRAW);
    return parts;
  }
  function draw(parts) {
    for (const { form, from, count } of parts) {
      if (!count) continue;
      gl.bindVertexArray(meshes[form].array);
      gl.bindBuffer(gl.ARRAY_BUFFER, instances);
      for (let i = 0; i < 5; i++) gl.vertexAttribPointer(2 + i, 4, gl.FLOAT, false, 4 * NUMBERS, from + 16 * i);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, meshes[form].count, count);
    }
  }
  // What a mesh is on the graphics card: its vertices, and a row of four numbers four times for each bone.
  function onCard(mesh) {
    if (mesh.array) return mesh;
    // Meshes may be open: their backs are lit as their fronts.
    skinShape ??= program(SKIN_VERTEX, SHAPE_FRAGMENT.replace("normalize(n)", "normalize(gl_FrontFacing ? n : -n)")); skinDepth ??= program(SKIN_VERTEX, DEPTH_FRAGMENT);
    mesh.array = gl.createVertexArray();
    gl.bindVertexArray(mesh.array);
    mesh.buffers = [];
    [[mesh.points, 3], [mesh.normals, 3], [mesh.slots, 4], [mesh.weights, 4], [mesh.colours, 4]].forEach(([values, wide], i) => {
      if (!values) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffers[i] = gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, wide, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles, gl.STATIC_DRAW);
    const texture = () => {
      const made = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, made);
      for (const name of ["MIN_FILTER", "MAG_FILTER"]) gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], gl.NEAREST);
      return made;
    };
    mesh.texture = texture(); mesh.rigid = texture();
    return mesh;
  }
  function drawSkins(skins, ofDepth, prepare) {
    for (const { clip, bones, rigid } of skins) {
      const mesh = onCard(clip.skin.mesh), used = ofDepth ? skinDepth : skinShape;
      if (mesh.shapes?.fresh) {
        [mesh.shapes.points, mesh.shapes.normals].forEach((values, i) => {
          gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffers[i]);
          gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
        });
        mesh.shapes.fresh = false;
      }
      gl.useProgram(used.p);
      prepare(used);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, mesh.texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4, bones.length / 16, 0, gl.RGBA, gl.FLOAT, bones);
      used.set("bones", "1i", 1); used.set("rigid", "1i", 2); used.set("dual", "1i", rigid ? 1 : 0);
      gl.activeTexture(gl.TEXTURE2);
      gl.bindTexture(gl.TEXTURE_2D, mesh.rigid);
      const values = rigid ?? new Float32Array(20);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 5, values.length / 20, 0, gl.RGBA, gl.FLOAT, values);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindVertexArray(mesh.array);
      if (!mesh.colours) gl.vertexAttrib4f(4, 0, 0, 0, 0);
      gl.drawElements(gl.TRIANGLES, mesh.triangles.length, gl.UNSIGNED_INT, 0);
    }
  }
  function light(program, eye, sun) {
    program.set("eye", "Matrix4fv", false, eye); program.set("light", "Matrix4fv", false, sun);
    program.set("shade", "1i", 0); program.set("texel", "1f", 1.9 / MAP);
  }
  return {
    render({ solid, clear, skins }, dark) {
      const roots = clips.map((clip, i) => plus(place(clip, clip.centre, sample(clip)), offset(i)));
      const middle = [0, 1, 2].map(k => roots.reduce((sum, p) => sum + p[k], 0) / (roots.length || 1));
      const spread = max(0, ...roots.map(p => hypot(...minus(p, middle))));
      const eye = eyeMatrix(), sun = lightMatrix(middle, spread + 0.85 * size);
      const parts = upload(solid);
      gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL); gl.disable(gl.BLEND); gl.depthMask(true);
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.viewport(0, 0, MAP, MAP); gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(depth.p);
      depth.set("eye", "Matrix4fv", false, sun);
      draw(parts);
      drawSkins(skins, true, used => used.set("eye", "Matrix4fv", false, sun));
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(...rgb.bg, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.bindTexture(gl.TEXTURE_2D, map);
      const lit = used => {
        light(used, eye, sun);
        used.set("sun", "3f", ...SUN); used.set("ambient", "1f", dark ? 0.4 : 0.5);
        used.set("from", "3f", ...view.back.map((v, i) => view.target[i] + v * camera.distance));
      };
      gl.useProgram(shape.p);
      lit(shape);
      draw(parts);
      drawSkins(skins, false, lit);
      gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA); gl.depthMask(false);
      gl.useProgram(ground.p);
      light(ground, eye, sun);
      const start = clips.length ? plus(place(clips[0], clips[0].centre, 0), offset(0)) : [0, 0, 0];
      ground.set("middle", "4f", view.target[0], floor, view.target[2], 24 * data.grid);
      ground.set("arrow", "4f", start[0], start[2], Math.sin(data.heading), Math.cos(data.heading));
      ground.set("thin", "3f", ...rgb.grid); ground.set("strong", "3f", ...rgb["grid-strong"]); ground.set("arrowInk", "3f", ...rgb["grid-strong"]);
      ground.set("dark", "3f", ...(dark ? [0, 0, 0] : [0.16, 0.19, 0.24])); ground.set("shadow", "1f", dark ? 0.55 : 0.3);
      ground.set("unit", "1f", data.grid);
      gl.bindVertexArray(plane);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      if (clear.some(list => list.length)) {
        const parts = upload(clear);
        gl.useProgram(shape.p);
        // Depth first, so that transparent parts blend once.
        gl.depthMask(true); gl.colorMask(false, false, false, false); draw(parts);
        gl.colorMask(true, true, true, true); draw(parts);
      }
      gl.depthMask(true);
    },
  };
}
