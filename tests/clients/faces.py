"""Figures of `mocap face` on a head whose shapes are known: weights found again from vertices and from 60 points, and shapes
made for other heads.

Usage: faces.py HEAD.glb [TAKE.csv...]     with `mocap` on the PATH (or MOCAP), Python 3.11 with numpy. The head has one mesh with shapes.
Other heads are the same one in bent space: 13 smooth maps f that move places by up to some per cent of the size, and
shapes f(x + d) - f(x) as truth. With takes of Live Link Face: how far lids are apart where the take closes an eye, of what they
are apart when open. Gaps of lids are those of pairs of vertices that a shape of the name Lid brings together; with `--lids source` as the take has it."""
import json, os, struct, subprocess, sys, tempfile
import numpy as np

KINDS = {5121: 'u1', 5123: '<u2', 5125: '<u4', 5126: '<f4'}
WIDTHS = {'SCALAR': 1, 'VEC3': 3}
PROFILES = ('runtime', 'archive', 'keys', 'direct')


class Head:
    """Vertices, triangles and shapes of the mesh with the most shapes."""

    def __init__(self, path):
        data = open(path, 'rb').read()
        size = struct.unpack('<I', data[12:16])[0]
        self.json, self.bytes = json.loads(data[20:20 + size]), data[28 + size:]
        mesh = max(self.json['meshes'], key=lambda m: len(m['primitives'][0].get('targets', [])))
        part = mesh['primitives'][0]
        self.places = self.numbers(part['attributes']['POSITION'])
        self.triangles = self.numbers(part['indices']).astype(int).reshape(-1, 3)
        self.names = mesh.get('extras', {}).get('targetNames', [])
        self.shapes = np.array([self.numbers(t['POSITION']) for t in part.get('targets', [])])

    def view(self, index, offset, count, kind, width):
        view = self.json['bufferViews'][index]
        start, item = view.get('byteOffset', 0) + offset, np.dtype(kind).itemsize
        return np.ndarray((count, width), kind, self.bytes, start, (view.get('byteStride', item * width), item))

    def numbers(self, index):
        a = self.json['accessors'][index]
        kind, width = KINDS[a['componentType']], WIDTHS[a['type']]
        values = np.zeros((a['count'], width))
        if 'bufferView' in a:
            values += self.view(a['bufferView'], a.get('byteOffset', 0), a['count'], kind, width)
        if 'sparse' in a:
            s = a['sparse']
            at = self.view(s['indices']['bufferView'], s['indices'].get('byteOffset', 0), s['count'],
                           KINDS[s['indices']['componentType']], 1)[:, 0].astype(int)
            values[at] = self.view(s['values']['bufferView'], s['values'].get('byteOffset', 0), s['count'], kind, width)
        return values


def mocap(*words):
    done = subprocess.run([os.environ.get('MOCAP', 'mocap'), *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")


def bare(path, places, triangles):
    """A GLB of a mesh alone."""
    chunks = [places.astype('<f4').tobytes(), triangles.astype('<u4').tobytes()]
    views = [{'buffer': 0, 'byteOffset': 0, 'byteLength': len(chunks[0])},
             {'buffer': 0, 'byteOffset': len(chunks[0]), 'byteLength': len(chunks[1])}]
    document = {'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0]}],
                'nodes': [{'name': 'Head', 'mesh': 0}], 'buffers': [{'byteLength': sum(map(len, chunks))}],
                'bufferViews': views, 'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': 1}]}],
                'accessors': [{'bufferView': 0, 'componentType': 5126, 'count': len(places), 'type': 'VEC3',
                               'min': places.min(0).tolist(), 'max': places.max(0).tolist()},
                              {'bufferView': 1, 'componentType': 5125, 'count': triangles.size, 'type': 'SCALAR'}]}
    text = json.dumps(document).encode()
    text += b' ' * (-len(text) % 4)
    body = b''.join(chunks)
    with open(path, 'wb') as file:
        file.write(struct.pack('<4sII', b'glTF', 2, 28 + len(text) + len(body)))
        file.write(struct.pack('<I4s', len(text), b'JSON') + text + struct.pack('<I4s', len(body), b'BIN\0') + body)


def sequence(rng, shapes, frames=60):
    """Weights that come and go; half of the shapes stay at 0."""
    times, weights = np.arange(frames), np.zeros((frames, shapes))
    for shape in rng.choice(shapes, shapes // 2, replace=False):
        for _ in range(2):
            weights[:, shape] += rng.uniform(.3, .9) * np.exp(-((times - rng.uniform(0, frames)) / rng.uniform(4, 12)) ** 2)
    return np.where(weights > 1e-3, np.minimum(weights, 1), 0)


def spread_out(places, count):
    found = [int(np.argmax(places[:, 2]))]
    far = np.linalg.norm(places - places[found[0]], axis=1)
    while len(found) < count:
        found.append(int(np.argmax(far)))
        far = np.minimum(far, np.linalg.norm(places - places[found[-1]], axis=1))
    return found


def solved(head, path, folder, vertices, picked=None):
    points, out = os.path.join(folder, 'points.npz'), os.path.join(folder, 'solved.json')
    np.savez(points, vertices=vertices.astype(np.float64), fps=np.float64(30))
    more = []
    if picked is not None:
        listed = os.path.join(folder, 'list.json')
        json.dump(picked, open(listed, 'w'))
        more = ['--vertices', listed]
    mocap('face', points, path, '--solve', *more, '-o', out, '--overwrite', '-qq')
    tracks = {t['name'].rsplit('.', 1)[-1]: t['values'] for t in json.load(open(out))['scalars']}
    frames = len(vertices)
    return np.array([np.broadcast_to(np.atleast_1d(tracks.get(n, 0.0)), (frames,)) for n in head.names]).T


def warp(rng, head, strength):
    size = np.ptp(head.places, axis=0).max()
    middles = head.places[rng.choice(len(head.places), 8, replace=False)]
    ways = rng.normal(size=(8, 3)) * strength * size / np.sqrt(3)
    reach = rng.uniform(.3, .6, 8) * size

    def f(x):
        off = ((x[:, None] - middles) ** 2).sum(2) / (2 * reach ** 2)
        return x + np.exp(-off) @ ways
    return f


def pairs(head, shape):
    """Vertices that a shape brings together."""
    most = np.linalg.norm(shape, axis=1).max()
    posed = head.places + shape
    movers = np.flatnonzero(np.linalg.norm(shape, axis=1) > .5 * most)
    found = []
    for one in movers:
        apart, left = np.linalg.norm(head.places - head.places[one], axis=1), np.linalg.norm(posed - posed[one], axis=1)
        other = np.flatnonzero((apart > .5 * most) & (left < .18 * apart))
        if len(other):
            found.append((one, other[np.argmin(left[other])]))
    return np.array(found).reshape(-1, 2)


def gap(places, shape, found):
    posed = places + shape
    return np.linalg.norm(posed[found[:, 0]] - posed[found[:, 1]], axis=1)


def openings(head, shape):
    """Pairs of places on both lids, the direction of closing, and how far they are apart along it. Of several places over one,
    that which comes nearest to it: a lid has an edge, and what is above it."""
    nearest = {}
    for one, other in pairs(head, shape):
        way = shape[one] - shape[other]
        size = np.linalg.norm(way)
        open_by = (head.places[other] - head.places[one]) @ way / size
        if other not in nearest or open_by - size < nearest[other][2] - nearest[other][3]:
            nearest[other] = (one, way / size, open_by, size)
    return [(one, other, *rest) for other, (one, *rest) in nearest.items()]


def closed(head, path, folder, take, *words):
    """What is left of the opening of the eyes in the frames in which the take closes them the most: along the way of the lids,
    and between pairs of vertices."""
    for name, first in (('talk', ['face', take, path, *words]), ('take', ['convert', take])):
        mocap(*first, '-o', os.path.join(folder, name + '.json'), '--overwrite', '-qq')
    weights, source = [{t['name'].rsplit('.', 1)[-1]: np.atleast_1d(t['values'])
                        for t in json.load(open(os.path.join(folder, name + '.json')))['scalars']} for name in ('talk', 'take')]
    left = []
    for side in ('Left', 'Right'):
        blink = source['eyeBlink' + side]
        shape = next((s for n, s in zip(head.names, head.shapes) if side in n and 'UpperLidClosed' in n), None)
        if shape is None:
            continue
        found, lids = pairs(head, shape), openings(head, shape)
        open_gap = gap(head.places, 0 * shape, found)
        for frame in np.flatnonzero(blink >= max(.99 * blink.max(), .9)):
            face = sum(weights[n][min(frame, len(weights[n]) - 1)] * s for n, s in zip(head.names, head.shapes) if n in weights)
            posed = head.places + face
            apart = sum(max((posed[other] - posed[one]) @ way, 0) for one, other, way, _, _ in lids)
            left.append((apart / sum(lid[3] for lid in lids), (gap(head.places, face, found) / open_gap).mean()))
    return np.array(left)


def compressed(take, folder, noise, bound, profile):
    """How many times smaller than 32-bit floats 60 s of a take are, repeated with other timing, and the largest error."""
    clip, packed, back = [os.path.join(folder, n) for n in ('clip.json', 'clip.mocz', 'back.json')]
    mocap('convert', take, '-o', clip, '--overwrite', '-qq')
    text = json.load(open(clip))
    rng, old, frames = np.random.default_rng(7), text['frames'], int(60 * text['fps'])
    places = []
    while len(places) < frames:
        speed = rng.uniform(.8, 1.25)
        places += list(np.arange(0, old - 1, speed))
    places = np.array(places[:frames])
    for track in text['scalars']:
        values = np.broadcast_to(np.atleast_1d(track['values']), (old,))
        track['values'] = np.clip(np.interp(places, np.arange(old), values) + rng.normal(size=frames) * noise, 0, 1).tolist()
    for track in text['tracks']:
        for name in ('rotation', 'translation', 'scale'):
            if name in track and len(track[name]) == old and isinstance(track[name][0], list):
                track[name] = [track[name][0]] * frames
    text['frames'], text['events'] = frames, []
    json.dump(text, open(clip, 'w'))
    mocap('compress', clip, '-o', packed, '--profile', profile, '--error-shapes', str(bound), '--overwrite', '-qq')
    mocap('decompress', packed, '-o', back, '--overwrite', '-qq')
    found = {t['name']: np.atleast_1d(t['values']) for t in json.load(open(back))['scalars']}
    off = max(np.abs(found[t['name']] - t['values']).max() for t in text['scalars'])
    return 4 * frames * len(text['scalars']) / os.path.getsize(packed), off


def main(path, takes):
    head, folder = Head(path), tempfile.mkdtemp()
    print('| what | measured |\n|---|---|')
    rows = {'without noise': [], 'with 0.1 mm noise': [], '60 points, 0.2 mm noise': []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = sequence(rng, len(head.names))
        moved = head.places + np.einsum('fs,svc->fvc', truth, head.shapes)
        for name, noise in (('without noise', 0), ('with 0.1 mm noise', 1e-4)):
            off = np.abs(solved(head, path, folder, moved + rng.normal(size=moved.shape) * noise) - truth)
            rows[name].append((off.mean(), off.max()))
        picked = spread_out(head.places, 60)
        found = solved(head, path, folder, moved[:, picked] + rng.normal(size=(len(moved), 60, 3)) * 2e-4, picked)
        whole = np.einsum('fs,svc->fvc', found - truth, head.shapes)
        silent = found[:, truth.max(0) == 0].max()
        rows['60 points, 0.2 mm noise'].append((1e3 * np.sqrt((whole ** 2).sum(2).mean()), silent))
    for name, all in rows.items():
        what = 'head rms [mm], largest weight of a silent shape' if 'points' in name else 'mean, largest error of weights'
        low, high = np.min(all, 0), np.max(all, 0)
        print('| %s: %s | %.2g to %.2g, %.2g to %.2g |' % (name, what, low[0], high[0], low[1], high[1]))
    off, copies, gaps = [], [], []
    for seed in range(13):
        rng = np.random.default_rng(100 + seed)
        f = warp(rng, head, rng.uniform(.02, .06))
        other = f(head.places)
        to, out = os.path.join(folder, 'other.glb'), os.path.join(folder, 'made.glb')
        bare(to, other, head.triangles)
        mocap('face', path, to, '--make-shapes', '-o', out, '--overwrite', '-qq')
        made = Head(out)
        made = {n.rsplit('.', 1)[-1]: s for n, s in zip(made.names, made.shapes)}
        errors, own = [], []
        for name, shape in zip(head.names, head.shapes):
            truth = f(head.places + shape) - other
            most = np.linalg.norm(truth, axis=1).max()
            moving = np.linalg.norm(truth, axis=1) > 1e-6
            rms = lambda d: 100 * np.sqrt(((d - truth)[moving] ** 2).sum(1).mean()) / most
            errors.append(rms(made[name.rsplit('.', 1)[-1]]))
            own.append(rms(shape))
            found = pairs(head, shape) if 'Lid' in name else np.zeros((0, 2), int)
            if len(found):
                more = gap(other, made[name.rsplit('.', 1)[-1]], found) - gap(head.places, shape, found)
                gaps.append((1e3 * more.mean(), 1e3 * more.max()))
        off.append(np.mean(errors))
        copies.append(np.mean(own))
    print('| shapes for 13 bent heads, %% of the largest motion | %.1f to %.1f, mean %.1f (copies %.1f to %.1f) |'
          % (min(off), max(off), np.mean(off), min(copies), max(copies)))
    for take in takes:
        for words in ((), ('--lids', 'source')):
            left = 100 * closed(head, path, folder, take, *words)
            if len(left):
                print('| %s%s: closed eyes in %d frames, %% of open: mean, largest; between vertices | %.1f, %.1f; %.1f |'
                      % (os.path.basename(take), ' '.join(('',) + words), len(left), *left.mean(0)[:1], left[:, 0].max(), left[:, 1].mean()))
    for take in takes[:1]:
        for noise, bound in ((.003, .005), (0, .002)):
            made = [compressed(take, folder, noise, bound, profile) for profile in PROFILES]
            print('| 60 s of its shapes, noise %g, bound %g: times smaller than float32, largest error | %.1f to %.1f, %.4f |'
                  % (noise, bound, min(m[0] for m in made), max(m[0] for m in made), max(m[1] for m in made)))
    if gaps:
        print('| gap of lids more than on the source [mm]: mean, largest pair | %.3f, %.3f |'
              % (np.mean([a for a, _ in gaps]), max(b for _, b in gaps)))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
