"""`mocap rig` on bodies whose artist made a skeleton and weights: how far joints are from his, in other axes and poses; how
far weights and a dance are from his, with his skeleton and with the fitted one; and what a turned file changes.

Usage: rig_bodies.py DANCE.bvh BODY.glb...     with `mocap` on the PATH (or MOCAP), Python 3.11 with numpy. Distances are
in % of the height. Bodies stand along Y, look along Z, and have joints with the names of Mixamo."""
import os, sys, tempfile
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rig_peers import Character, mocap

ROLES = ['Hips', 'Neck', 'Head'] + [side + part for side in ('Left', 'Right') for part in
                                    ('Arm', 'ForeArm', 'Hand', 'UpLeg', 'Leg', 'Foot', 'ToeBase')]
X, Y, Z = np.eye(3)


def turn(axis, degrees):
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def skinned(body, world):
    matrices = np.array([w @ b for w, b in zip(world, body.bind)])
    places = np.c_[body.places, np.ones(len(body.places))]
    return np.einsum('vj,jab,vb->va', body.weights, matrices, places)[:, :3]


def posed(body, turns):
    """The body with joints turned about themselves, in the axes of the body: vertices, and joints by name."""
    rest, world = body.frames(0), []
    for joint, parent in enumerate(body.parents):
        local = rest[joint] if parent < 0 else np.linalg.inv(rest[parent]) @ rest[joint]
        made = local if parent < 0 else world[parent] @ local
        if body.names[joint] in turns:
            made = made.copy()
            made[:3, :3] = turns[body.names[joint]] @ made[:3, :3]
        world.append(made)
    return skinned(body, world), {n: w[:3, 3] for n, w in zip(body.names, world)}


def variants(body):
    rest = {n: w[:3, 3] for n, w in zip(body.names, body.frames(0))}
    arm = rest['LeftForeArm'] - rest['LeftArm']
    low = np.degrees(np.arctan2(-arm[1], abs(arm[0])))

    def arms(below, more=None):
        turns = {'LeftArm': turn(Z, low - below), 'RightArm': turn(Z, below - low)}
        return posed(body, {**turns, **(more or {})})

    def moved(linear):
        return body.places @ linear.T, {n: linear @ p for n, p in rest.items()}
    bent = {'LeftForeArm': turn(Y, -30), 'RightForeArm': turn(Y, 30)}
    step = {'LeftUpLeg': turn(X, -25), 'RightUpLeg': turn(X, 20), 'RightLeg': turn(X, 25)}
    yield 'as modelled (arms lowered)', (body.places, rest)
    yield 'turned by 200°', moved(turn(Y, 200))
    yield 'another up axis', moved(turn(Y, 90) @ turn(X, 90))
    yield 'turned by 28.65° about a skew axis', moved(turn([.3, -.5, .8], 28.65))
    yield 'T-pose', arms(0)
    yield 'arms 30° below the horizontal', arms(30)
    yield 'arms down', arms(70)
    yield 'elbows bent by 30°', arms(low, bent)
    yield 'arms 45° above the horizontal', arms(-45)
    yield 'arms above the head', arms(-85)
    yield 'a step', arms(60, step)


def write_obj(path, places, triangles):
    with open(path, 'w') as file:
        file.writelines('v %.6f %.6f %.6f\n' % tuple(place) for place in places)
        file.writelines('f %d %d %d\n' % tuple(triangle + 1) for triangle in triangles)


def laid_over(a, b):
    """The rotation and shift from places to others."""
    low, high = a.mean(0), b.mean(0)
    u, _, v = np.linalg.svd((b - high).T @ (a - low))
    linear = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return linear, high - linear @ low


def by_name(body, names):
    weights = np.zeros((len(body.places), len(names)))
    for column, name in enumerate(body.names):
        if name in names:
            weights[:, names.index(name)] += body.weights[:, column]
    return weights


def dance(body, moved):
    return [skinned(body, moved.frames(share)) for share in np.linspace(0, 1, 12)]


def main(motion, bodies):
    folder = tempfile.mkdtemp()
    path = lambda name: os.path.join(folder, name)
    joints, weights, own, bleeds = {}, [], [], []
    for file in bodies:
        body = Character(file)
        height = np.ptp(body.places[:, 1])
        for name, (places, truth) in variants(body):
            write_obj(path('m.obj'), places, body.triangles)
            mocap('rig', path('m.obj'), '-o', path('m.glb'), '--overwrite', '-qq')
            found = Character(path('m.glb'))
            linear, shift = laid_over(places, found.places)
            rest = dict(zip(found.names, found.frames(0)[:, :3, 3]))
            off = [np.linalg.norm(rest[n] - linear @ truth[n] - shift) / height * 100 for n in ROLES]
            joints.setdefault(name, []).append((np.mean(off), max(off)))
        mocap('rig', file, '--weights-only', '-o', path('w.glb'), '--overwrite', '-qq')
        mocap('retarget', motion, file, '-o', path('a.glb'), '--overwrite', '-qq')
        mocap('rig', file, '-o', path('f.glb'), '--overwrite', '-qq')
        mocap('retarget', motion, path('f.glb'), '-o', path('c.glb'), '--overwrite', '-qq')
        weighed, moved = Character(path('w.glb')), Character(path('a.glb'))
        half = np.abs(by_name(body, body.names) - by_name(weighed, body.names)).sum(1).mean() / 2
        true, fitted = [dance(c, c) for c in (moved, Character(path('c.glb')))]
        order = [moved.names.index(name) for name in weighed.names]
        same = [skinned(weighed, world[order]) for world in map(moved.frames, np.linspace(0, 1, 12))]
        artist, ours = by_name(body, body.names), by_name(weighed, body.names)
        column = lambda *words: [i for i, n in enumerate(body.names) if n.startswith(words[0]) and any(w in n for w in words[1:])]
        legs = [column(side, 'UpLeg', 'Leg', 'Foot', 'Toe') for side in ('Left', 'Right')]
        other = sum(((artist[:, a].sum(1) > .99) & (ours[:, b].sum(1) > .01)).sum() for a, b in (legs, legs[::-1]))
        arms = column('Left', 'Shoulder', 'Arm', 'Hand') + column('Right', 'Shoulder', 'Arm', 'Hand')
        trunk = np.isin(artist.argmax(1), [body.names.index(n) for n in ('Hips', 'Spine', 'Spine1')])
        bleeds.append((other, (trunk & (ours[:, arms].sum(1) > .01)).sum()))
        apart = [np.linalg.norm(np.array(other) - np.array(true), axis=2) / height * 100 for other in (same, fitted)]
        weights.append((half, np.sqrt((apart[0] ** 2).mean()), np.percentile(apart[0], 95), apart[0].max()))
        own.append(np.sqrt((apart[1] ** 2).mean()))
    print('| variant | mean | largest |\n|---|---|---|')
    for name, all in joints.items():
        print('| %s | %.2f | %.1f |' % (name, np.mean([a for a, _ in all]), max(b for _, b in all)))
    names = 'half the sum of differences', 'dance, rms', '95th percentile', 'largest'
    print('\n| with the artist\'s skeleton | mean of bodies | worst |\n|---|---|---|')
    for column, name in enumerate(names):
        values = [row[column] for row in weights]
        print('| %s | %.3f | %.3f |' % (name, np.mean(values), max(values)))
    for name, values in zip(('vertices of one leg with more than 1 % of the other', 'of hips and lower spine with more than 1 % of an arm'), zip(*bleeds)):
        print('| %s | %.1f | %d |' % (name, np.mean(values), max(values)))
    print('| dance on the fitted skeleton, rms | %.2f | %.2f |' % (np.mean(own), max(own)))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
