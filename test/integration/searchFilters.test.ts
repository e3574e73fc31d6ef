import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import { openEngine } from '../../src/core/search/engine.ts';
import { openForReading } from '../../src/core/storage/database.ts';
import { lookupKey } from '../../src/core/support/paths.ts';
import { fold, tokenise } from '../../src/core/support/text/tokenise.ts';
import type { ItemKind, SearchFilter, SearchResult } from '../../src/shared/contract/retrieval.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import {
  ask,
  createTestApp,
  indexVault,
  queryVectorOf,
  readVectors,
  type TestApp,
  until,
} from '../support/testApp.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const WORDS =
  'toiture jardin chaudière potager voiture grange verger cuisine escalier fenêtre clôture puits'.split(' ');
const CHANNELS = ['chat', 'Travail', 'Santé', 'import'];
const FOLDERS = ['', 'Maison', 'Maison/Étage', 'Jardin', 'Jardinage'];
const AUTHORS = [null, 'Léa Martin', 'Marc'];
const ROLES = ['user', 'assistant', 'tool'] as const;
const SPEAKERS = { user: 'user', assistant: 'reply', tool: 'tool' } as const;

/** Numbers that look random and are the same in each run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Conversations that are tied to a folder of the vault. */
const TIED: Readonly<Record<string, string>> = {
  made_2: 'Maison',
  made_3: 'Maison/Étage',
  made_4: 'Jardinage',
};

interface Said {
  role: (typeof ROLES)[number];
  author: string | null;
  content: string;
}

/** An item as it was made, for a scan that knows nothing of indexes. */
interface Known {
  kind: ItemKind;
  id: string;
  at: number;
  channel: string | null;
  folder: string | null;
  text: string;
  said: readonly Said[];
}

/** Conversations in which everybody says a few of the words; of each turn at least the user speaks. */
function madeUp(below: (n: number) => number, conversations: number, turns: number) {
  const words = () => Array.from({ length: 3 + below(3) }, () => WORDS[below(WORDS.length)]).join(' ');
  return Array.from({ length: conversations }, (_, place) => ({
    id: `made_${place}`,
    channel: CHANNELS[place % CHANNELS.length] as string,
    // Without a title it would be named after its first message, and all of its turns be found by that.
    title: 'Divers',
    messages: Array.from({ length: turns }, (_turn, turn) => {
      const createdAt = START + (place * turns + turn) * DAY_MS;
      const others = ROLES.slice(1).filter(() => below(2) === 0);
      return (['user', ...others] as const).map((role) => ({
        id: `${place}-${turn}-${role}` as MessageId,
        role,
        author: role === 'tool' ? null : (AUTHORS[below(AUTHORS.length)] as string | null),
        content: words(),
        createdAt,
      }));
    }).flat(),
  }));
}

let test: TestApp;
const search = async (text: string, mode: 'text' | 'semantic' | 'hybrid', filter: SearchFilter) =>
  (await test.app.client.retrieval.search({ text, mode, limit: 200, ...filter })).results;

describe('a filtered search, beside a scan of everything', () => {
  let known: Known[] = [];

  beforeAll(async () => {
    const below = numbers(7);
    const notes = FOLDERS.flatMap((folder) =>
      Array.from({ length: 4 }, (_, index) => [
        `${folder === '' ? '' : `${folder}/`}Note ${index}.md`,
        `${WORDS[below(WORDS.length)]} ${WORDS[below(WORDS.length)]} ${WORDS[below(WORDS.length)]}`,
      ]),
    );
    test = createTestApp(Object.fromEntries(notes) as Record<string, string>);
    const { client, services } = test.app;
    await client.chat.import({ conversations: madeUp(below, 12, 8) });
    // Rows that stay in every index until they are erased, and are in use no more.
    await client.chat.remove({ id: 'made_5' });
    await indexVault(test.app, test.vault);
    for (const [id, folder] of Object.entries(TIED))
      services.conversations.setFolders(id as ConversationId, [join(realpathSync(test.vault), folder)]);
    for (let index = 0; index < 6; index += 1)
      await client.facts.add({ content: `Le ${WORDS[below(WORDS.length)]} numéro ${index}` });
    test.app.watch();
    services.jobs.reschedule();
    await until(() => !services.summaries.isDue() && !services.jobs.has(SUMMARISE, ''));
    await services.vectors.settled();
    known = readKnown();
  }, 60_000);
  afterAll(() => test.dispose());

  /** Everything in use, from the tables of the truth. */
  function readKnown(): Known[] {
    const { db } = test.app.services;
    const turns = db.all<Said & { id: string; at: number; channel: string; conversation: string }>(
      `SELECT t.id, t.created_at AS at, v.id AS conversation, v.channel, m.role, m.author, m.content FROM turns t
       JOIN conversations v ON v.id = t.conversation_id JOIN messages m ON m.turn_id = t.id
       WHERE v.removed_at IS NULL ORDER BY t.id, m.ordinal`,
    );
    return [
      ...[...Map.groupBy(turns, ({ id }) => id)].map(([id, said]): Known => {
        const text = said.map(({ author, content }) => `${author ?? ''} ${content}`).join('\n');
        const tied = TIED[said[0]?.conversation ?? ''];
        return {
          kind: 'turn',
          id,
          at: said[0]?.at ?? 0,
          channel: said[0]?.channel ?? null,
          folder: tied === undefined ? null : `${tied}/`,
          text,
          said,
        };
      }),
      ...db
        .all<{ id: string; at: number; path: string; text: string }>(
          `SELECT c.id, n.mtime_ms AS at, n.path, n.title || ' ' || c.markdown AS text
           FROM chunks c JOIN notes n ON n.id = c.note_id`,
        )
        .map(
          ({ id, at, path, text }): Known => ({
            kind: 'note',
            id,
            at,
            channel: null,
            folder: path,
            text,
            said: [],
          }),
        ),
      ...db
        .all<{ id: string; at: number; text: string }>(
          'SELECT id, created_at AS at, content AS text FROM facts',
        )
        .map((row): Known => ({ ...row, kind: 'fact', channel: null, folder: null, said: [] })),
    ];
  }

  const wordsOf = (text: string) => new Set(tokenise(text).map(({ term }) => term));
  const passesSpeech = ({ author, roles }: SearchFilter, said: Said) =>
    (roles === undefined || roles.includes(SPEAKERS[said.role])) &&
    (author === undefined || (said.author !== null && fold(said.author) === fold(author)));

  /** Does an item pass, by the truth alone? */
  function passes(filter: SearchFilter, one: Known): boolean {
    const { kinds, channel, folder, from, to, author, roles } = filter;
    const saysIt =
      author === undefined && roles === undefined
        ? true
        : one.said.some((said) => passesSpeech(filter, said));
    return (
      (kinds === undefined || kinds.includes(one.kind)) &&
      (channel === undefined || one.channel === channel) &&
      (folder === undefined ||
        (one.folder !== null && lookupKey(one.folder).startsWith(`${lookupKey(folder)}/`))) &&
      (from === undefined || one.at >= from) &&
      (to === undefined || one.at < to) &&
      saysIt
    );
  }

  const textOf = (filter: SearchFilter, one: Known) =>
    filter.author === undefined && filter.roles === undefined
      ? one.text
      : one.said
          .filter((said) => passesSpeech(filter, said))
          .map(({ author, content }) => `${author ?? ''} ${content}`)
          .join('\n');

  const day = fc.integer({ min: 0, max: 96 }).map((days) => START + days * DAY_MS);
  const filters: fc.Arbitrary<SearchFilter> = fc.record(
    {
      kinds: fc.subarray(['note', 'fact', 'turn'] as const, { minLength: 1 }).map((some) => [...some]),
      channel: fc.constantFrom(...CHANNELS),
      folder: fc.constantFrom('Maison', 'maison/étage', 'Jardin', 'Jardinage', 'Nulle part'),
      from: day,
      to: day,
      author: fc.constantFrom('Léa Martin', 'lea martin', 'MARC', 'Personne'),
      roles: fc.subarray(['user', 'reply', 'tool'] as const, { minLength: 1 }).map((some) => [...some]),
    },
    { requiredKeys: [] },
  );
  const questions = fc.subarray(WORDS, { minLength: 1, maxLength: 3 }).map((some) => some.join(' '));
  /** Summaries stand for turns, and are not scanned for here. */
  const withoutSummaries = (filter: SearchFilter): SearchFilter => ({
    kinds: ['note', 'fact', 'turn'],
    ...filter,
  });

  const expectExactly = (search: (text: string, filter: SearchFilter) => Promise<SearchResult[]>) =>
    fc.assert(
      fc.asyncProperty(filters, questions, async (some, question) => {
        const filter = withoutSummaries(some);
        const asked = wordsOf(question);
        const expected = known.filter(
          (one) => passes(filter, one) && [...wordsOf(textOf(filter, one))].some((word) => asked.has(word)),
        );
        const found = await search(question, filter);
        expect(new Set(found.map(({ id }) => String(id)))).toEqual(new Set(expected.map(({ id }) => id)));
      }),
      { numRuns: 150, examples: [[{}, 'jardin']] },
    );

  it('by words finds exactly what passes and holds one of them', async () => {
    await test.app.services.search.whenLoaded();
    await expectExactly((text, filter) => search(text, 'text', filter));
  });

  it('finds the same before the terms are in memory', async () => {
    const db = openForReading(test.app.services.db.path);
    const engine = openEngine(db, () => null);
    const now = test.app.services.clock.now();
    try {
      await expectExactly(async (text, filter) =>
        engine.search({ text, mode: 'text', filter, limit: 200, now, query: null }),
      );
    } finally {
      db.close();
    }
  });

  it('by meaning finds the nearest of what passes, as many as are asked for', async () => {
    const vectors = await readVectors(test.app);
    await fc.assert(
      fc.asyncProperty(filters, questions, fc.integer({ min: 1, max: 12 }), async (some, question, limit) => {
        const filter = withoutSummaries(some);
        const { values } = await queryVectorOf(vectors, question);
        const cosine = ({ kind, id }: Pick<Known, 'kind' | 'id'>) => {
          const vector = vectors.matrices.vector(kind, id);
          return vector ? vector.reduce((sum, value, at) => sum + value * (values[at] as number), 0) : 0;
        };
        const near = known
          .filter((one) => passes(filter, one) && cosine(one) > 1e-6)
          .map(cosine)
          .sort((one, other) => other - one);
        const found = await search(question, 'semantic', { ...filter, limit } as SearchFilter);
        const passing = new Set(known.filter((one) => passes(filter, one)).map(({ id }) => id));
        expect(found.every(({ id }) => passing.has(String(id)))).toBe(true);
        const cosines = found.map(cosine).sort((one, other) => other - one);
        expect(cosines.length).toBeGreaterThanOrEqual(Math.min(limit, near.length));
        for (const [place, value] of near.slice(0, limit).entries())
          expect(cosines[place]).toBeCloseTo(value, 5);
      }),
      { numRuns: 100 },
    );
  });

  it('by both finds everything that words find, and lets nothing else pass', async () => {
    await fc.assert(
      fc.asyncProperty(filters, questions, async (some, question) => {
        const filter = withoutSummaries(some);
        const passing = new Set(known.filter((one) => passes(filter, one)).map(({ id }) => id));
        const found = new Set((await search(question, 'hybrid', filter)).map(({ id }) => String(id)));
        expect([...found].filter((id) => !passing.has(id))).toEqual([]);
        for (const { id } of await search(question, 'text', filter)) expect(found).toContain(String(id));
      }),
      { numRuns: 60 },
    );
  });

  it('finds summaries by level, period and channel, and never by who spoke', async () => {
    const { db } = test.app.services;
    const levelOf = new Map(
      db
        .all<{ id: string; level: number }>('SELECT id, level FROM summaries')
        .map(({ id, level }) => [id, level]),
    );
    const first = await search('toiture', 'text', { levels: [1] });
    expect(first.length).toBeGreaterThan(5);
    expect(first.every(({ id }) => levelOf.get(String(id)) === 1)).toBe(true);
    const higher = await search('toiture', 'text', { levels: [2], channel: 'Travail' });
    expect(
      higher.every(({ id, channel }) => (levelOf.get(String(id)) ?? 0) > 1 && channel === 'Travail'),
    ).toBe(true);
    const early = await search('toiture', 'text', {
      kinds: ['summary'],
      levels: [1],
      to: START + 8 * DAY_MS,
    });
    expect(early.length).toBeGreaterThan(0);
    expect(early.every(({ createdAt = 0 }) => createdAt < START + 8 * DAY_MS)).toBe(true);
    expect(await search('toiture', 'text', { levels: [1], author: 'Marc' })).toEqual([]);
    expect(await search('toiture', 'text', { kinds: ['fact'], levels: [0] })).toEqual([]);
  });

  it('excerpts the words of those who were asked for', async () => {
    const found = await search('toiture', 'text', { author: 'lea martin', roles: ['reply'] });
    expect(found.length).toBeGreaterThan(0);
    for (const { id, excerpt } of found) {
      const said = known.find((one) => one.id === id)?.said ?? [];
      expect(
        said
          .filter(({ role, author }) => role === 'assistant' && author === 'Léa Martin')
          .map(({ author, content }) => `${author}: ${content}`),
      ).toContain(excerpt);
    }
  });

  it('offers the folders of notes, those of conversations alone, and the names of those who speak, tools and removed conversations apart', async () => {
    const { client, services } = test.app;
    const elsewhere = join(realpathSync(test.dataDir), 'Chantier');
    services.conversations.setFolders('made_7' as ConversationId, [elsewhere]);
    const { folders, authors } = await client.retrieval.filters();
    const found = await search('toiture jardin chaudière potager', 'text', { folder: elsewhere });
    services.conversations.setFolders('made_7' as ConversationId, []);
    expect(new Set(found.map(({ conversationId }) => conversationId))).toEqual(new Set(['made_7']));
    expect({ folders, authors }).toEqual({
      folders: ['Jardin', 'Jardinage', 'Maison', 'Maison/Étage', elsewhere],
      authors: ['Léa Martin', 'Marc'],
    });
  });
});

describe('a narrow filter', () => {
  afterEach(() => test.dispose());

  it('still finds its twenty among 5,000 turns, where all others answer better', async () => {
    test = createTestApp();
    const { client, services } = test.app;
    const rare = ['toiture', 'chaudière', 'potager'];
    const conversations = Array.from({ length: 100 }, (_, place) => ({
      id: `c${place}`,
      channel: place === 37 ? 'Rare' : 'chat',
      title: '',
      messages: Array.from({ length: 50 }, (_turn, turn) => ({
        id: `${turn}` as MessageId,
        role: 'user' as const,
        author: place === 37 ? 'Zoé' : 'Léa',
        // Of the words that are asked for, those that are narrow have the most common one alone.
        content: place === 37 ? `le jardin numéro ${turn} de la rue` : `jardin ${rare[turn % 3]} ${turn}`,
        createdAt: START + place * DAY_MS,
      })),
    }));
    for (let at = 0; at < 100; at += 25)
      await client.chat.import({ conversations: conversations.slice(at, at + 25) });
    await services.vectors.settled();
    const day = { from: START + 37 * DAY_MS, to: START + 38 * DAY_MS };
    for (const mode of ['text', 'semantic', 'hybrid'] as const) {
      for (const filter of [
        { channel: 'Rare' },
        { author: 'zoe' },
        day,
        { ...day, roles: ['user'] },
      ] as SearchFilter[]) {
        const { results } = await client.retrieval.search({
          text: 'toiture jardin chaudière potager',
          mode,
          kinds: ['turn'],
          limit: 20,
          ...filter,
        });
        expect(
          results.map(({ channel }) => channel),
          `${mode} ${JSON.stringify(filter)}`,
        ).toEqual(Array.from({ length: 20 }, () => 'Rare'));
      }
    }
    // So does what a tool looks for.
    const from = START + 99 * DAY_MS;
    const { items } = await services.search.find({ text: 'jardin', filter: { from }, noDeadline: true });
    expect(items.length).toBeGreaterThanOrEqual(20);
    expect(items.every(({ result }) => (result.createdAt ?? 0) >= from)).toBe(true);
  }, 60_000);
});

describe('what a reply asked of tools', () => {
  let server: OpenAiServer;
  afterEach(async () => {
    await test.dispose();
    await server.close();
  });

  /** A turn whose reply looked something up and then answered. */
  async function turnWithTools() {
    server = await startOpenAiServer({ contextTokens: 16_384 });
    server.behave({
      kind: 'script',
      steps: [
        {
          text: 'Je regarde.',
          calls: [{ name: 'search_notes', arguments: JSON.stringify({ query: 'ardoises de Trélazé' }) }],
        },
        { text: 'La toiture sera refaite au printemps.' },
      ],
    });
    test = createTestApp({
      'Toit.md': '# Toit\n\nLes ardoises de Trélazé viennent de chez Lambert, à Angers.',
    });
    await indexVault(test.app, test.vault);
    test.app.services.settings.change({
      'chat.baseUrl': server.baseUrl,
      'chat.model': 'small',
      autoRetrieve: false,
      learnWithModel: 'off',
      summariseWithModel: false,
    });
    const { turn } = await ask(test.app, 'Que devient la maison ?');
    return turn.id;
  }
  const found = async (text: string, filter: SearchFilter = {}): Promise<SearchResult[]> =>
    (await test.app.client.retrieval.search({ text, mode: 'text', kinds: ['turn'], ...filter })).results;

  it('is found with its turn, and what tools gave is not', async () => {
    const id = await turnWithTools();
    expect(await found('ardoises')).toMatchObject([
      { id, excerpt: expect.stringContaining('search_notes: ardoises de Trélazé') as string },
    ]);
    expect(await found('Angers')).toEqual([]);
  });

  it('is told apart from the words of the user and of the reply', async () => {
    const id = await turnWithTools();
    const who = async (text: string) => {
      const roles = ['user', 'reply', 'tool'] as const;
      const hits = await Promise.all(
        roles.map(async (role) => ((await found(text, { roles: [role] })).length > 0 ? [role] : [])),
      );
      return hits.flat();
    };
    expect(await who('maison')).toEqual(['user']);
    expect(await who('toiture')).toEqual(['reply']);
    expect(await who('ardoises')).toEqual(['tool']);
    expect(await found('toiture ardoises', { roles: ['reply', 'tool'] })).toMatchObject([{ id }]);
  });

  it('is not given again while the prompt holds the turn', async () => {
    const id = await turnWithTools();
    const { client, services } = test.app;
    const conversationId = services.conversations.turn(id)?.conversationId as ConversationId;
    const preview = await client.retrieval.preview({
      text: 'Et les ardoises de Trélazé ?',
      conversationId,
    });
    expect(preview.candidates.find((candidate) => candidate.id === id)?.verdict).toBe('in-window');
  });

  it('is indexed in a database that did not have it, and no other turn is written again', async () => {
    const id = await turnWithTools();
    const other = await test.app.client.chat.capture({ text: 'Penser à la grange.' });
    const { db } = test.app.services;
    db.run("UPDATE text_versions SET version = 3 WHERE what = 'turn'");
    db.run("UPDATE turns SET body_terms = 'avant', tool_terms = 0, term_count = 1");
    await test.reopen();
    const terms = test.app.services.db.all<{ id: string; body_terms: string; tool_terms: number }>(
      'SELECT id, body_terms, tool_terms FROM turns ORDER BY id = ? DESC',
      id,
    );
    expect(terms[0]?.body_terms).toContain('ardois');
    expect(terms[0]?.tool_terms).toBeGreaterThan(2);
    expect(terms.slice(1)).toEqual([{ id: other.id, body_terms: 'avant', tool_terms: 0 }]);
    expect((await found('ardoises')).map((one) => one.id)).toEqual([id]);
  });
});
