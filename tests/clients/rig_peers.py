"""Weights of `mocap rig --weights-only` beside those of Blender (armature with automatic weights) and libigl (bounded
biharmonic weights in tetrahedra of voxels), on bodies whose artist made a skeleton and weights: half the sum of
differences of weights, and how far vertices are from the artist's in a dance.

Usage: rig_peers.py DANCE.bvh BODY.glb...     with `mocap` on the PATH (or MOCAP), Python 3.11 with numpy, scipy,
libigl and bpy. Peers that are not installed are left out. Each peer keeps the four largest weights of a vertex.
In the lines "without fingers", weights of fingers count as those of the hand: voxels are too coarse for fingers."""
import json, os, struct, subprocess, sys, tempfile
import numpy as np

KINDS = {5121: 'u1', 5123: '<u2', 5125: '<u4', 5126: '<f4'}
WIDTHS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}
FINGERS = ('Thumb', 'Index', 'Middle', 'Ring', 'Pinky')
VOXELS = 80


class Character:
    """The first skinned mesh of a GLB file, its nodes in the order parents before children."""

    def __init__(self, path):
        data = open(path, 'rb').read()
        size = struct.unpack('<I', data[12:16])[0]
        self.json, self.bytes = json.loads(data[20:20 + size]), data[28 + size:]
        nodes = self.json['nodes']
        parent = [-1] * len(nodes)
        for i, node in enumerate(nodes):
            for child in node.get('children', []):
                parent[child] = i
        order, todo = [], [i for i, p in enumerate(parent) if p < 0]
        while todo:
            order.append(todo.pop())
            todo += nodes[order[-1]].get('children', [])
        new = {old: i for i, old in enumerate(order)}
        self.nodes = [nodes[i] for i in order]
        self.parents = [new.get(parent[i], -1) for i in order]
        self.names = [node.get('name', '') for node in self.nodes]
        holder = next(n for n in nodes if 'mesh' in n and 'skin' in n)
        skin = self.json['skins'][holder['skin']]
        part = self.json['meshes'][holder['mesh']]['primitives'][0]
        at = part['attributes']
        self.places = self.numbers(at['POSITION'])
        self.triangles = self.numbers(part['indices']).astype(np.int64).reshape(-1, 3)
        joints = [new[j] for j in skin['joints']]
        self.bind = [np.eye(4)] * len(order)
        for j, matrix in zip(joints, self.numbers(skin['inverseBindMatrices'])):
            self.bind[j] = matrix.reshape(4, 4).T
        self.weights = np.zeros((len(self.places), len(order)))
        for k in range(4):
            column = np.array(joints)[self.numbers(at['JOINTS_0'])[:, k].astype(int)]
            np.add.at(self.weights, (np.arange(len(self.places)), column), self.numbers(at['WEIGHTS_0'])[:, k])
        self.weights /= self.weights.sum(1, keepdims=True)
        self.new = new

    def numbers(self, index):
        a = self.json['accessors'][index]
        view, kind, width = self.json['bufferViews'][a['bufferView']], KINDS[a['componentType']], WIDTHS[a['type']]
        start = view.get('byteOffset', 0) + a.get('byteOffset', 0)
        step = view.get('byteStride', np.dtype(kind).itemsize * width)
        values = np.ndarray((a['count'], width), kind, self.bytes, start, (step, np.dtype(kind).itemsize))
        values = values.astype(float)
        return values / np.iinfo(kind).max if a.get('normalized') else values

    def frames(self, share):
        """The joints' matrices at a share of the animation's length; 0 and no animation: at rest."""
        parts = [{k: np.array(n.get(k, d), float) for k, d in
                  (('translation', [0, 0, 0]), ('rotation', [0, 0, 0, 1]), ('scale', [1, 1, 1]))} for n in self.nodes]
        for animation in self.json.get('animations', [])[:1]:
            samplers = [[self.numbers(s[end]) for end in ('input', 'output')] for s in animation['samplers']]
            time = share * max(times[-1, 0] for times, _ in samplers)
            for channel in animation['channels']:
                times, values = samplers[channel['sampler']]
                # Channels have keys at different times.
                key = int(np.clip(np.searchsorted(times[:, 0], time), 1, max(len(times) - 1, 1)))
                before, after = values[key - 1], values[min(key, len(values) - 1)]
                if channel['target']['path'] == 'rotation' and before @ after < 0:
                    after = -after
                first, last = times[key - 1, 0], times[min(key, len(times) - 1), 0]
                part = np.clip((time - first) / (last - first), 0, 1) if last > first else 0
                parts[self.new[channel['target']['node']]][channel['target']['path']] = before + (after - before) * part
        world = []
        for part, parent in zip(parts, self.parents):
            x, y, z, w = part['rotation'] / np.linalg.norm(part['rotation'])
            local = np.eye(4)
            local[:3, :3] = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                                      [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                                      [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]) * part['scale']
            local[:3, 3] = part['translation']
            world.append(local if parent < 0 else world[parent] @ local)
        return np.array(world)


def mocap(*words):
    done = subprocess.run([os.environ.get('MOCAP', 'mocap'), *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")


def four_largest(weights):
    weights = np.maximum(weights, 0)
    np.put_along_axis(weights, np.argsort(-weights, 1)[:, 4:], 0, 1)
    return weights / np.maximum(weights.sum(1, keepdims=True), 1e-12)


def is_finger(name):
    return any(finger in name for finger in FINGERS)


def without_fingers(character, weights):
    weights = weights.copy()
    for joint in reversed(range(len(character.names))):
        if is_finger(character.names[joint]):
            weights[:, character.parents[joint]] += weights[:, joint]
            weights[:, joint] = 0
    return weights


def children(character, used):
    return [[k for k, p in enumerate(character.parents) if p == j and used[k]] for j in range(len(used))]


def of_blender(character, rest):
    import bpy
    used = character.weights.sum(0) > 0
    below = children(character, used)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new('mesh')
    mesh.from_pydata(character.places.tolist(), [], character.triangles.tolist())
    body = bpy.data.objects.new('body', mesh)
    bones = bpy.data.armatures.new('bones')
    armature = bpy.data.objects.new('armature', bones)
    for thing in (body, armature):
        bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode='EDIT')
    for joint in np.flatnonzero(used):
        bone = bones.edit_bones.new(character.names[joint])
        bone.head = rest[joint]
        # Blender has one tail a bone: of several joints the one that goes on along the spine, or the middle finger.
        way = rest[joint] - rest[character.parents[joint]]
        goes_on = [k for k in below[joint] if any(n in character.names[k] for n in ('Spine', 'Neck', 'Middle'))]
        bone.tail = rest[(goes_on or below[joint])[0]] if below[joint] else rest[joint] + 1.2 * way
    for joint in np.flatnonzero(used):
        if character.parents[joint] >= 0 and used[character.parents[joint]]:
            bones.edit_bones[character.names[joint]].parent = bones.edit_bones[character.names[character.parents[joint]]]
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.ops.object.select_all(action='DESELECT')
    body.select_set(True)
    armature.select_set(True)
    bpy.ops.object.parent_set(type='ARMATURE_AUTO')
    weights = np.zeros_like(character.weights)
    joint_of = {group.index: character.names.index(group.name) for group in body.vertex_groups}
    for vertex in body.data.vertices:
        for group in vertex.groups:
            weights[vertex.index, joint_of[group.group]] += group.weight
    return weights


def of_libigl(character, rest):
    import igl
    from scipy.spatial import cKDTree
    used = character.weights.sum(0) > 0
    below = children(character, used)
    bones = [j for j in np.flatnonzero(used) if not is_finger(character.names[j])]
    places, side = character.places, np.ptp(character.places[:, 1]) / VOXELS
    low = places.min(0) - 1.5 * side
    counts = np.ceil((places.max(0) + 1.5 * side - low) / side).astype(int)
    cells = np.stack(np.meshgrid(*[np.arange(c) for c in counts], indexing='ij'), -1).reshape(-1, 3)
    number = lambda cell, of: (cell[..., 0] * of[1] + cell[..., 1]) * of[2] + cell[..., 2]
    kept = igl.fast_winding_number(places, character.triangles, low + (cells + 0.5) * side) > 0.5
    of_place = np.floor((places - low) / side).astype(int)
    kept[number(of_place, counts)] = True
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)])
    known, index = np.unique(number(cells[kept][:, None] + corners, counts + 1), return_inverse=True)
    index = index.reshape(-1, 8)
    across = counts + 1
    points = np.stack([known // (across[1] * across[2]), known // across[2] % across[1], known % across[2]], 1) * side + low
    six = ([0, 1, 3, 7], [0, 1, 7, 5], [0, 5, 7, 4], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7])
    tetrahedra = np.ascontiguousarray(np.concatenate([index[:, one] for one in six]), np.int64)
    tree, handles = cKDTree(points), {}
    for column, joint in enumerate(bones):
        ends = [rest[k] for k in below[joint] if not is_finger(character.names[k]) or 'Middle' in character.names[k]]
        for end in ends or [rest[joint] + 0.6 * (rest[joint] - rest[character.parents[joint]])]:
            way = end - rest[joint]
            for t in np.linspace(0.08, 0.92, max(2, int(np.linalg.norm(way) / side * 2))):
                handles.setdefault(tree.query(rest[joint] + way * t)[1], set()).add(column)
    held = np.array(sorted(handles), np.int64)
    values = np.zeros((len(held), len(bones)))
    for row, point in enumerate(held):
        values[row, list(handles[point])] = 1 / len(handles[point])
    solved = np.maximum(igl.bbw(np.ascontiguousarray(points), tetrahedra, held, values, max_iter=8), 0)
    solved /= solved.sum(1, keepdims=True)
    share, weights = (places - low) / side - of_place, np.zeros_like(character.weights)
    for corner in corners:
        part = np.prod(np.where(corner == 1, share, 1 - share), 1)
        weights[:, bones] += part[:, None] * solved[np.searchsorted(known, number(of_place + corner, across))]
    return weights


def of_mocap(path, folder, character):
    out = os.path.join(folder, 'weighed.glb')
    mocap('rig', path, '--weights-only', '-o', out, '--overwrite', '-qq')
    found = Character(out)
    weights = np.zeros_like(character.weights)
    for joint, name in enumerate(found.names):
        if name in character.names:
            weights[:, character.names.index(name)] += found.weights[:, joint]
    return weights


def main():
    dance, totals = sys.argv[1], {}
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[2:]:
            character = Character(path)
            rest = np.array([np.linalg.inv(bind)[:3, 3] for bind in character.bind])
            moved = os.path.join(folder, 'dance.glb')
            mocap('retarget', dance, path, '-o', moved, '--overwrite', '-qq')
            moving = Character(moved)
            same = [moving.names.index(name) for name in character.names]
            skins = [moving.frames(share)[same] @ np.array(character.bind) for share in np.linspace(0, 1, 12)]
            homogeneous = np.c_[character.places, np.ones(len(character.places))]
            followed = [np.einsum('jab,vb->vja', skin, homogeneous)[..., :3] for skin in skins]
            peers = {'mocap': lambda: of_mocap(path, folder, character),
                     'Blender': lambda: of_blender(character, rest), 'libigl': lambda: of_libigl(character, rest)}
            for name, find in peers.items():
                started = sum(os.times()[:4])
                try:
                    found = four_largest(find())
                except ImportError as missing:
                    print(f'{name}: skipped, {missing}')
                    continue
                seconds = sum(os.times()[:4]) - started
                for label, change in (('', lambda w: w), (', without fingers', lambda w: without_fingers(character, w))):
                    if name == 'libigl' and not label:
                        continue
                    off = change(character.weights) - change(found)
                    far = np.array([np.linalg.norm(np.einsum('vja,vj->va', one, off), axis=1) for one in followed])
                    far *= 100 / np.ptp(character.places[:, 1])
                    row = [np.abs(off).sum(1).mean() / 2, np.sqrt((far ** 2).mean()), np.percentile(far, 95), far.max()]
                    totals.setdefault(name + label, []).append(row)
                    print(f'{os.path.basename(path)}, {name}{label}: weights off by {row[0]:.3f}; dance {row[1]:.2f} rms, '
                          f'{row[2]:.2f} p95, {row[3]:.2f} max % of height; {seconds:.1f} s CPU', flush=True)
    for name, rows in totals.items():
        mean, worst = np.mean(rows, 0), np.max(rows, 0)
        print(f'mean of {len(rows)}, {name}: weights {mean[0]:.3f}; dance {mean[1]:.2f} rms, {mean[2]:.2f} p95, '
              f'{worst[3]:.2f} max % of height')


if __name__ == '__main__':
    main()
