import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import loadWabt from 'wabt';
import { seeded } from '../../../test/support/seeded.ts';
import { VectorMatrices } from './vectorMatrix.ts';
import { InProcessMirror } from './vectorMirror.ts';

const DIMENSIONS = 37;
const SPACE = { dimensions: DIMENSIONS, scale: { unrelated: 0, chance: 0.1, same: 0.8 } };

const unit = (random: () => number): Float32Array => {
  const values = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};
const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, d) => sum + value * (other[d] as number), 0);

describe('vectors in memory', () => {
  it('hold what was put and not removed, and find the same nearest as a plain scan', () => {
    const random = seeded(11);
    const matrices = new VectorMatrices(DIMENSIONS);
    const expected = new Map<string, Float32Array>();
    for (let step = 0; step < 9_000; step += 1) {
      const id = `i${Math.floor(random() * 3_500)}`;
      if (random() < 0.2) {
        matrices.remove('note', [id]);
        expected.delete(id);
      } else {
        const vector = unit(random);
        matrices.put([{ kind: 'note', id, vector }]);
        expected.set(id, vector);
      }
    }
    expect(new Set(matrices.ids('note'))).toEqual(new Set(expected.keys()));
    expect(matrices.size).toBe(expected.size);
    for (const [id, vector] of expected) expect(matrices.vector('note', id)).toEqual(vector);
    const accept = (id: string) => Number(id.slice(1)) % 3 === 0;
    const query = unit(random);
    const nearest = [...expected]
      .filter(([id, vector]) => accept(id) && cosine(query, vector) > 0)
      .sort((one, other) => cosine(query, other[1]) - cosine(query, one[1]))
      .slice(0, 20)
      .map(([id]) => id);
    expect(matrices.nearest('note', query, { limit: 20, accept }).map(({ id }) => id)).toEqual(nearest);
    expect(matrices.nearest('turn', query, { limit: 20 })).toEqual([]);
    expect(matrices.nearest('note', query, { limit: 0 })).toEqual([]);
  });
});

describe('the scan', () => {
  it('is made of its source', async () => {
    const wabt = await loadWabt();
    const source = readFileSync('scripts/scan.wat', 'utf8');
    const { buffer } = wabt.parseWat('scan.wat', source, { simd: true }).toBinary({});
    expect(Buffer.from(buffer)).toEqual(readFileSync('resources/scan.wasm'));
  });
});

describe('the mirror', () => {
  it('changes its space and its vectors together, and leaves a running search what it began with', () => {
    const random = seeded(5);
    const mirror = new InProcessMirror();
    expect(mirror.index()).toBeNull();
    const vector = unit(random);
    mirror.replace({ ...SPACE, fingerprint: 'one' }, [{ kind: 'turn', id: 't', vector }]);
    const running = mirror.index()?.matrices;
    mirror.replace({ ...SPACE, fingerprint: 'two', dimensions: 2 }, []);
    expect(mirror.index()).toMatchObject({
      space: { fingerprint: 'two' },
      matrices: { dimensions: 2, size: 0 },
    });
    expect(running?.nearest('turn', vector, { limit: 1 })).toMatchObject([{ id: 't' }]);
    mirror.clear();
    expect(mirror.index()).toBeNull();
  });
});
