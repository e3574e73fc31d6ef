import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VectorIndexer } from '../../src/core/embedding/vectorIndexer.ts';
import { InProcessMirror } from '../../src/core/embedding/vectorMirror.ts';
import { VectorOutbox } from '../../src/core/embedding/vectorOutbox.ts';
import { AppError } from '../../src/shared/errors.ts';
import { ScriptedEmbedders } from '../support/scriptedEmbedders.ts';
import { seeded } from '../support/seeded.ts';
import { createTestApp, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
let embedders: ScriptedEmbedders;
let mirror: InProcessMirror;
let outbox: VectorOutbox;
let indexer: VectorIndexer;
/** The value of the setting. */
let expected: string;

beforeEach(() => {
  test = createTestApp();
  const { db, clock } = test.app.services;
  outbox = new VectorOutbox(db, clock);
  embedders = new ScriptedEmbedders();
  for (const setting of ['built-in', 'a', 'b', 'c']) embedders.script(setting);
  expected = 'a';
  openIndexer();
});
afterEach(async () => {
  await indexer.close();
  expect(embedders.live.size, 'embedders left open').toBe(0);
  await test.dispose();
});

/** An indexer of its own on the app's rows, whose own indexer is never opened. */
function openIndexer(): void {
  mirror = new InProcessMirror();
  indexer = new VectorIndexer({
    dataDir: test.dataDir,
    outbox,
    mirror,
    expected: () => expected,
    log: test.app.log,
    onProgress: () => undefined,
    startEmbedder: embedders.start,
    retry: { firstMs: 5, longestMs: 300_000 },
  });
}

async function addFacts(...contents: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const content of contents) ids.push((await test.app.client.facts.add({ content })).id);
  return ids;
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `Fait numéro ${index}`);
/** What a search by vectors needs: the embedder that answers, and its vectors. */
const searchable = () => {
  const serving = indexer.serving();
  const index = mirror.index();
  return serving && index?.space.fingerprint === serving.fingerprint ? { ...serving, ...index } : null;
};
const held = () => searchable()?.matrices.ids('fact') ?? [];
const folders = () => readdirSync(join(test.dataDir, 'vectors'));
/** Embedding of these texts fails, or only together with others that do. */
const failsOn = (word: string) => ({
  before: (texts: readonly string[]) => {
    if (texts.some((text) => text.includes(word))) throw new AppError('EMBEDDER_FAILED', { reason: 'word' });
  },
});
/** Embedding of facts waits until `open` is called. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const before = async (texts: readonly string[]) => {
    if (!texts.some((text) => text.startsWith('Fait'))) return;
    reach();
    await opened;
  };
  return { open, reached, before };
}

describe('waiting until vectors are settled', () => {
  it('ends when the indexer is closed', async () => {
    await addFacts(...many(3));
    const { before, reached } = gate();
    embedders.script('a', { before });
    const settled = indexer.settled();
    await reached;
    await indexer.close();
    await settled;
    expect(outbox.count()).toBe(3);
  });

  it('ends when the indexer is closed while it opens', async () => {
    await addFacts(...many(3));
    const settled = indexer.settled();
    await indexer.close();
    await settled;
    await indexer.whenReady();
    expect(indexer.serving()).toBeNull();
  });

  it('goes on to the index of another embedder', async () => {
    await addFacts(...many(3));
    const { before, reached } = gate();
    embedders.script('a', { before });
    const settled = indexer.settled();
    await reached;
    embedders.script('a');
    expected = 'b';
    await indexer.change();
    await settled;
    expect(indexer.serving()?.embedder.id).toBe('b');
    expect(held()).toHaveLength(3);
  });

  it('goes on while the index is built again', async () => {
    await addFacts(...many(3));
    await indexer.settled();
    const waits = [indexer.rebuild(), indexer.settled(), indexer.rebuild(), indexer.settled()];
    await Promise.all(waits);
    expect(held()).toHaveLength(3);
    expect(await indexer.compare()).toEqual([]);
  });
});

describe('a text on which the embedder always fails', () => {
  it('is given up, counted and shown, and holds up no other', async () => {
    embedders.script('a', failsOn('poison'));
    const bad = await addFacts(...many(5).map((text) => `${text} poison`));
    const good = await addFacts(...many(100));
    await indexer.settled();
    expect([...held()].sort()).toEqual([...good].sort());
    expect(indexer.progress()).toMatchObject({ state: 'ready', pending: 0, failed: 5, problem: null });
    expect((await indexer.compare()).sort((one, other) => one.id.localeCompare(other.id))).toEqual(
      [...bad].sort().map((id) => ({ kind: 'fact', id, problem: 'failed' })),
    );
    expect(embedders.started).toEqual(['a']);
    // What is edited is tried again.
    await test.app.client.facts.edit({ id: bad[0] as string, content: 'Plus rien de mauvais' });
    await indexer.settled();
    expect(indexer.progress()).toMatchObject({ pending: 0, failed: 4 });
    // So is everything at the next start.
    await indexer.close();
    embedders.script('a');
    openIndexer();
    await indexer.settled();
    expect(indexer.progress()).toMatchObject({ pending: 0, failed: 0 });
    expect(held()).toHaveLength(105);
  });

  it('does not keep another embedder from taking over, which tries it again', async () => {
    embedders.script('a', failsOn('poison'));
    await addFacts('Fait poison', ...many(3));
    await indexer.settled();
    expected = 'b';
    await indexer.change();
    await indexer.settled();
    expect(indexer.serving()?.embedder.id).toBe('b');
    expect(indexer.progress()).toMatchObject({ state: 'ready', pending: 0, failed: 0 });
    expect(held()).toHaveLength(4);
  });

  it('does not keep another embedder from taking over that fails on it too', async () => {
    await addFacts('Fait poison', ...many(3));
    await indexer.settled();
    embedders.script('b', failsOn('poison'));
    expected = 'b';
    await indexer.change();
    await indexer.settled();
    expect(indexer.serving()?.embedder.id).toBe('b');
    expect(indexer.progress()).toMatchObject({ state: 'ready', pending: 0, failed: 1 });
    expect(held()).toHaveLength(3);
  });

  it('is given up also if it ends the embedder each time', async () => {
    embedders.script('a', {
      before: (texts, embedder) => {
        if (texts.some((text) => text.includes('poison'))) embedders.kill(embedder);
      },
    });
    const [bad] = await addFacts('Fait poison', ...many(70));
    await indexer.whenReady();
    indexer.wakeSoon();
    await until(() => indexer.progress().state === 'ready' && indexer.progress().pending === 0);
    expect(indexer.progress()).toMatchObject({ failed: 1, problem: null });
    expect(held()).toHaveLength(70);
    expect(held()).not.toContain(bad);
  });
});

describe('an embedder that breaks', () => {
  it('is replaced, and its texts have not failed', async () => {
    await indexer.settled();
    let broken = true;
    embedders.script('a', {
      before: () => {
        if (broken) throw new AppError('EMBEDDER_FAILED', { reason: 'broken' });
      },
    });
    await addFacts(...many(4));
    await indexer.settled();
    expect(indexer.progress()).toMatchObject({
      state: 'failed',
      pending: 4,
      failed: 0,
      problem: { code: 'EMBEDDER_FAILED' },
    });
    broken = false;
    await until(() => indexer.progress().state === 'ready' && indexer.progress().pending === 0);
    expect(held()).toHaveLength(4);
    expect(embedders.live.size).toBe(1);
  });

  it('is replaced as soon as its thread ends, before anything is asked of it', async () => {
    await indexer.settled();
    const first = indexer.serving()?.embedder;
    if (!first) throw new Error('nothing serves');
    embedders.kill(first);
    await until(() => indexer.serving()?.embedder !== first && indexer.progress().state === 'ready');
    expect(embedders.started).toEqual(['a', 'a']);
  });

  it('is replaced also if it ends while another one was asked for', async () => {
    await indexer.settled();
    const first = indexer.serving()?.embedder;
    if (!first) throw new Error('nothing serves');
    // The changes wait for it in the queue.
    void indexer.refillMirror();
    expected = 'b';
    void indexer.change();
    expected = 'a';
    const changed = indexer.change();
    embedders.kill(first);
    await changed;
    await until(() => indexer.serving()?.embedder !== first && indexer.progress().state === 'ready');
    expect(embedders.live.size).toBe(1);
  });

  it('is replaced while its index is being built; the one that answers goes on', async () => {
    await addFacts(...many(4));
    await indexer.settled();
    const answering = indexer.serving()?.embedder;
    let kills = 1;
    embedders.script('b', {
      before: (texts, embedder) => {
        if (kills > 0 && texts.some((text) => text.startsWith('Fait'))) {
          kills -= 1;
          embedders.kill(embedder);
        }
      },
    });
    expected = 'b';
    await indexer.change();
    expect(indexer.serving()?.embedder).toBe(answering);
    await until(() => indexer.serving()?.embedder.id === 'b' && indexer.progress().pending === 0);
    expect(embedders.started).toEqual(['a', 'b', 'b']);
    expect(held()).toHaveLength(4);
    expect(folders()).toHaveLength(1);
  });

  it('and makes other vectors when it is started again has its index built anew; none stays open beside it', async () => {
    await addFacts(...many(4));
    await indexer.settled();
    const before = indexer.serving();
    if (!before) throw new Error('nothing serves');
    embedders.script('a', { id: 'a, another version' });
    embedders.kill(before.embedder);
    await until(() => indexer.serving()?.embedder.id === 'a, another version');
    await indexer.settled();
    expect(embedders.live.size).toBe(1);
    expect(indexer.serving()?.fingerprint).not.toBe(before.fingerprint);
    expect(held()).toHaveLength(4);
    expect(folders()).toHaveLength(1);
  });

  it('while it is measured is closed, and tried again', async () => {
    let failures = 2;
    embedders.script('a', {
      before: () => {
        if (failures > 0) {
          failures -= 1;
          throw new AppError('EMBEDDER_FAILED', { reason: 'not yet' });
        }
      },
    });
    await addFacts('Fait');
    await indexer.whenReady();
    expect(indexer.serving()).toBeNull();
    expect(indexer.progress()).toMatchObject({ state: 'failed', problem: { code: 'EMBEDDER_FAILED' } });
    expect(embedders.live.size).toBe(0);
    await until(() => indexer.progress().state === 'ready' && indexer.progress().pending === 0);
    expect(held()).toHaveLength(1);
    expect(embedders.live.size).toBe(1);
  });
});

describe('changing the embedder', () => {
  it('twice in a row builds one index, that of the last', async () => {
    await addFacts(...many(4));
    await indexer.settled();
    const { before } = gate();
    embedders.script('b', { before });
    expected = 'b';
    const first = indexer.change();
    expected = 'c';
    const second = indexer.change();
    await Promise.all([first, second]);
    await indexer.settled();
    expect(indexer.serving()?.embedder.id).toBe('c');
    expect(embedders.started.filter((setting) => setting === 'c')).toHaveLength(1);
    expect(embedders.live.size).toBe(1);
    expect(folders()).toHaveLength(1);
    expect(held()).toHaveLength(4);
  });

  it('again while an index is being built drops that one', async () => {
    await addFacts(...many(4));
    await indexer.settled();
    const { before, reached } = gate();
    embedders.script('b', { before });
    expected = 'b';
    await indexer.change();
    await reached;
    expected = 'c';
    await Promise.all([indexer.change(), indexer.change()]);
    await indexer.settled();
    expect(indexer.serving()?.embedder.id).toBe('c');
    expect(embedders.live.size).toBe(1);
    expect(folders()).toHaveLength(1);
  });

  it('back while an index is being built keeps the one that answers', async () => {
    await addFacts(...many(4));
    await indexer.settled();
    const { before, reached } = gate();
    embedders.script('b', { before });
    expected = 'b';
    await indexer.change();
    await reached;
    expected = 'a';
    await indexer.change();
    await indexer.settled();
    expect(indexer.serving()?.embedder.id).toBe('a');
    expect(indexer.progress()).toMatchObject({ state: 'ready', pending: 0 });
    expect(folders()).toHaveLength(1);
  });

  it('and rebuilding and closing at once ends with everything closed', async () => {
    await addFacts(...many(4));
    const settled = indexer.settled();
    expected = 'b';
    const all = [indexer.change(), indexer.rebuild(), indexer.change(), indexer.close(), indexer.change()];
    await Promise.all([...all, settled]);
    expect(embedders.live.size).toBe(0);
    expect(indexer.serving()).toBeNull();
  });

  it('never shows a search vectors of another space than its embedder’s', async () => {
    embedders.script('b', { dimensions: 12 });
    const ids = await addFacts(...many(4));
    await indexer.settled();
    const seen = new Set<string>();
    let searching = true;
    const search = async () => {
      while (searching) {
        const now = searchable();
        if (now) {
          const query = await now.embedder.embedQuery('Fait numéro 2').catch(() => null);
          seen.add(now.embedder.id);
          const [nearest] = query ? now.matrices.nearest('fact', query, { limit: 1 }) : [];
          if (query) expect(nearest).toMatchObject({ id: ids[2], cosine: expect.closeTo(1, 5) as number });
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const searches = search();
    expected = 'b';
    await indexer.change();
    await indexer.settled();
    await until(() => seen.has('b'));
    searching = false;
    await searches;
    expect([...seen]).toEqual(['a', 'b']);
  });
});

describe('an embedder that cannot be used', () => {
  it('is told until it can be used, also after others have embedded what was due', async () => {
    embedders.script('a', { isUnusable: true });
    await addFacts(...many(4));
    await indexer.settled();
    await addFacts('Fait de plus');
    await indexer.settled();
    expect(indexer.progress()).toMatchObject({
      state: 'ready',
      embedder: 'built-in',
      pending: 0,
      problem: { code: 'EMBEDDER_UNUSABLE' },
    });
    expect(held()).toHaveLength(5);
    expected = 'b';
    await indexer.change();
    await indexer.settled();
    expect(indexer.progress()).toMatchObject({ state: 'ready', embedder: 'b', problem: null });
  });

  it('leaves the former one in its place, and one whose index cannot be opened is closed', async () => {
    await addFacts(...many(4));
    await indexer.settled();
    embedders.script('b', failsOn('Le chat dort'));
    expected = 'b';
    await indexer.change();
    await indexer.settled();
    expect(indexer.progress()).toMatchObject({
      state: 'ready',
      embedder: 'a',
      problem: { code: 'EMBEDDER_FAILED' },
    });
    expect(embedders.live.size).toBe(1);
    expect(held()).toHaveLength(4);
  });
});

describe('whatever happens in whatever order', () => {
  it.each([1, 2, 3, 4])(
    'the index is complete in the end, and nothing else stays open (seed %i)',
    async (seed) => {
      const random = seeded(seed);
      const oneOf = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
      let isBroken = false;
      const before = (texts: readonly string[]) => {
        if (isBroken || texts.some((text) => text.includes('poison'))) {
          throw new AppError('EMBEDDER_FAILED', { reason: 'scripted' });
        }
      };
      for (const setting of ['a', 'b', 'c']) embedders.script(setting, { before });
      const acts: (() => unknown)[] = [
        () => addFacts(`Fait ${random()}`, `Fait ${random()}`),
        () => addFacts(`Fait ${random()} poison`),
        () => {
          expected = oneOf(['a', 'b', 'c', 'built-in', 'nowhere']);
          return indexer.change();
        },
        () => void indexer.rebuild(),
        () => void indexer.settled(),
        () => indexer.wakeSoon(),
        () => embedders.live.size > 0 && embedders.kill(oneOf([...embedders.live])),
        () => {
          isBroken = !isBroken;
        },
      ];
      void indexer.whenReady();
      for (let step = 0; step < 60; step += 1) {
        await oneOf(acts)();
        if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, random() * 8));
      }
      isBroken = false;
      expected = 'a';
      const isComplete = () => {
        const { state, pending, problem } = indexer.progress();
        return state === 'ready' && pending === 0 && problem === null;
      };
      await indexer.change();
      await until(async () => {
        await indexer.settled();
        return isComplete();
      });
      const problems = (await indexer.compare()).map(({ problem }) => problem);
      expect(problems.every((problem) => problem === 'failed')).toBe(true);
      expect(problems).toHaveLength(indexer.progress().failed);
      expect(held().length + problems.length).toBe(outbox.expected('fact').size);
      expect(indexer.serving()?.embedder.id).toBe('a');
      expect(embedders.live.size).toBe(1);
      expect(folders()).toHaveLength(1);
    },
  );
});
