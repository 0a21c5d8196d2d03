// The checksum of compressed motions: XXH3 of 64 bits, seed 0 (Yann Collet, 2019).
const SECRET = new DataView(Uint8Array.from(atob("uP5sOSOkS758AYEs9yGtHN7UbemDkJfbckCkpLezZx/LeeZOzMDleIJa0H3M/3IhuAhGdPdDJI7gNZDmgTomTDwoUruRwwDLiNBlixtTLqNxZEiXog35TjgZ70ap3qzYqPp2P+OcND/53LvHxwtPHYpR4EvNtFkxyJ9+ydl4c2TqxayDNNPrw8WBoP/6E2PrFw3dUbfw2knTFlUmKdRonisWvlh9R6H8j/i40XrQMc5FyzqPlRYEKK/X+8q7S0B+"), c => c.charCodeAt(0)).buffer);
function xxh3(bytes) {
  const length = bytes.length, view = new DataView(bytes.buffer, bytes.byteOffset, length), wide = v => BigInt.asUintN(64, v);
  const [p1, p2, p3, p4, p5] = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n, 0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n];
  const at = i => view.getBigUint64(i, true), short = i => BigInt(view.getUint32(i, true)), secret = i => SECRET.getBigUint64(i, true);
  const shifted = (h, by) => h ^ h >> by, rotated = (h, by) => wide(h << by | h >> 64n - by);
  const fold = (a, b) => { const h = a * b; return wide(h) ^ h >> 64n; };
  const stir = h => shifted(wide(shifted(wide(h), 37n) * 0x165667919e3779f9n), 32n);
  const pair = (i, s) => fold(at(i) ^ secret(s), at(i + 8) ^ secret(s + 8));
  const size = BigInt(length);
  if (length <= 3) {
    const [a, b, c] = [0, length >> 1, length - 1].map(i => BigInt(bytes[i] ?? 0)), low = SECRET.getUint32(0, true) ^ SECRET.getUint32(4, true);
    const h = length ? (a << 16n | b << 24n | c | size << 8n) ^ BigInt(low >>> 0) : secret(56) ^ secret(64);
    return shifted(wide(shifted(wide(shifted(h, 33n) * p2), 29n) * p3), 32n);
  }
  if (length <= 8) {
    const h = wide(short(length - 4) + (short(0) << 32n)) ^ secret(8) ^ secret(16), prime = 0x9fb21c651e98df25n;
    const once = wide((h ^ rotated(h, 49n) ^ rotated(h, 24n)) * prime);
    return shifted(wide((once ^ (once >> 35n) + size) * prime), 28n);
  }
  if (length <= 16) {
    const low = at(0) ^ secret(24) ^ secret(32), high = at(length - 8) ^ secret(40) ^ secret(48);
    const turn = new DataView(new ArrayBuffer(8));
    turn.setBigUint64(0, low);
    return stir(size + turn.getBigUint64(0, true) + high + fold(low, high));
  }
  let sum = size * p1;
  if (length <= 128) {
    for (let i = (length - 1 >> 5); i >= 0; i--) sum += pair(16 * i, 32 * i) + pair(length - 16 * (i + 1), 32 * i + 16);
    return stir(sum);
  }
  if (length <= 240) {
    for (let i = 0; i < length >> 4; i++) {
      if (i === 8) sum = stir(sum);
      sum += pair(16 * i, i < 8 ? 16 * i : 16 * i - 125);
    }
    return stir((length < 144 ? stir(sum) : sum) + pair(length - 16, 119));
  }
  const lanes = [0xc2b2ae3dn, p1, p2, p3, p4, 0x85ebca77n, p5, 0x9e3779b1n];
  const add = (from, s) => {
    for (let i = 0; i < 8; i++) {
      const v = at(from + 8 * i), k = v ^ secret(s + 8 * i);
      lanes[i ^ 1] += v;
      lanes[i] = wide(lanes[i] + (k & 0xffffffffn) * (k >> 32n));
    }
  };
  for (let stripe = 0; stripe < length - 1 >> 6; stripe++) {
    add(64 * stripe, 8 * (stripe % 16));
    if (stripe % 16 === 15) lanes.forEach((h, i) => { lanes[i] = wide((shifted(wide(h), 47n) ^ secret(128 + 8 * i)) * 0x9e3779b1n); });
  }
  add(length - 64, 121);
  for (let i = 0; i < 4; i++) sum += fold(wide(lanes[2 * i]) ^ secret(11 + 16 * i), wide(lanes[2 * i + 1]) ^ secret(19 + 16 * i));
  return stir(sum);
}
