import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/core/app.ts';
import { items, KINDS, type Kind, kindStoredAs, quotedHashes } from '../../src/core/items/index.ts';
import type { RowKeys } from '../../src/core/items/item.ts';
import { FullText } from '../../src/core/search/lexical/fullText.ts';
import { compareFullText, rebuildFullText } from '../../src/core/search/lexical/fullTextRepair.ts';
import { TermIndex } from '../../src/core/search/lexical/termIndex.ts';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import { SCHEMA_8_NOW, writeSchema8 } from '../fixtures/databaseSchema8.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { openTestCore, storedVector, until } from '../support/testApp.ts';

let root: string;
let app: App;
let now: number;

beforeEach(() => {
  root = temporaryFolder();
  now = SCHEMA_8_NOW;
  app = openTestCore(writeSchema8(root), { clock: { now: () => now } });
  fillUp();
});
afterEach(async () => {
  await app.close();
  removeFolder(root);
});

/** The schema of the fixture had no summaries, and nothing could be attached. */
function fillUp(): void {
  const { db, summaries, attachments } = app.services;
  const turns = db.all<{ id: TurnId; conversationId: ConversationId }>(
    'SELECT id, conversation_id AS conversationId FROM turns',
  );
  const parts = [{ heading: ['p. 1'], text: 'Le toit se refait en zinc.' }];
  const file = { kind: 'pdf', name: 'devis.pdf', bytes: 9, pages: 1, hash: '', noteId: null } as const;
  for (const { id, conversationId } of turns) {
    attachments.add(id, [{ ...file, sections: parts.length, parts }]);
    summaries.store({
      conversationId,
      level: 1,
      turns: [id],
      children: [],
      text: 'On a décidé de refaire le toit.',
      findings: [],
      files: [],
      tools: [],
      topics: ['toit'],
      characters: 40,
      madeBy: 'rules',
      madeFrom: [],
      at: now,
    });
  }
}

interface Standing {
  id: string;
  rowid: number;
  inUse: boolean;
}

/** Every row of a kind, and whether it is in use. */
const rowsOf = (kind: Kind): Standing[] =>
  app.services.db
    .all<{ id: string; rowid: number; inUse: number }>(
      `SELECT r.id, r.rowid, ${items[kind].inUse('r')} AS inUse FROM ${items[kind].table} r`,
      { now },
    )
    .map((row) => ({ ...row, inUse: row.inUse === 1 }));

const inUse = (kind: Kind) =>
  rowsOf(kind)
    .filter((row) => row.inUse)
    .map(({ id }) => id)
    .sort();

/** Removes a vault and a conversation. Facts of every state are there already. */
async function takeSomeOut(): Promise<void> {
  const [vault] = await app.client.vaults.list();
  await app.client.vaults.remove({ id: vault?.id as string });
  const [conversation] = await app.client.chat.list({});
  await app.client.chat.remove({ id: (conversation as { id: string }).id });
}

describe.each(KINDS)('rows of kind %s', (kind) => {
  it('are loaded, read and quoted exactly while they are in use', async () => {
    await takeSomeOut();
    const { db, conversations } = app.services;
    const all = rowsOf(kind);
    expect(new Set(all.map((row) => row.inUse))).toEqual(new Set([true, false]));
    const loaded = items[kind].load(
      db,
      all.map(({ rowid }) => rowid),
      now,
    );
    expect(loaded.map(({ id }) => String(id)).sort()).toEqual(inUse(kind));
    const terms = new TermIndex(db);
    while (!terms.load());
    const keys = new FullText(db, terms).keys(
      kind,
      all.map(({ rowid }) => rowid),
      now,
    );
    // The place of a turn is kept with them.
    expect(keys.map((known) => ({ ...known, ordinal: undefined }))).toEqual(
      loaded.map(({ rowid, id, createdAt, conversationId, backlinks }: RowKeys) => ({
        rowid,
        id,
        ...(kind === 'turn' ? { conversationId } : {}),
        ...(createdAt === undefined ? {} : { createdAt }),
        ...(backlinks === undefined ? {} : { backlinks }),
      })),
    );
    const read = items[kind].read(loaded as never, { db, conversations });
    expect(read.map(({ place }) => String(place.id))).toEqual(loaded.map(({ id }) => String(id)));
    const quoted = quotedHashes(
      db,
      all.map(({ id }) => ({ kind, id })),
      now,
    );
    expect(quoted.map((hash) => hash !== null)).toEqual(all.map((row) => row.inUse));
    expect(loaded.map(({ quotedHash }) => quotedHash).sort()).toEqual(
      quoted.filter((hash) => hash !== null).sort(),
    );
  });

  it('have a full-text row with a term for each field', () => {
    const { table, fields, weights, content } = items[kind].fullText;
    expect(weights).toHaveLength(fields.length);
    const row = app.services.db.get<Record<string, unknown>>(`${content} LIMIT 1`);
    expect(Object.keys(row ?? {})).toHaveLength(fields.length + 1);
    expect(compareFullText(app.services.db, kind)).toEqual({ missing: [], orphans: [] });
    rebuildFullText(app.services.db, kind);
    expect(compareFullText(app.services.db, kind)).toEqual({ missing: [], orphans: [] });
    expect(app.services.db.get(`SELECT count(*) AS n FROM ${table}`)).toEqual({ n: rowsOf(kind).length });
  });

  it('have a vector if and only if there is something to embed', async () => {
    await takeSomeOut();
    const expected = new Map(
      app.services.db
        .all<{ id: string; hash: string }>(items[kind].vectors, { now })
        .map(({ id, hash }) => [id, hash]),
    );
    for (const { id } of rowsOf(kind)) {
      const made = items[kind].embeddable(app.services.db, id, now);
      expect([id, made?.hash]).toEqual([id, expected.get(id)]);
    }
    expect([...expected.keys()]).toEqual(expect.arrayContaining(inUse(kind)));
  });

  it('go by a stored name that leads back to their kind', () => {
    expect(kindStoredAs(items[kind].storedAs)).toBe(kind);
  });
});

describe('items', () => {
  it('of a kind that is yet to come can be cited, quoted and queued without another table', async () => {
    const { db, vectors } = app.services;
    await vectors.settled();
    const turn = db.get<{ id: string }>('SELECT id FROM turns LIMIT 1')?.id as string;
    db.run(
      `INSERT INTO citations VALUES (?, 9, 1, 'picture', 's1', NULL, NULL, NULL, '', '[]', NULL, 1)`,
      turn,
    );
    db.run(
      `INSERT INTO context_items (turn_id, ordinal, kind, item_id, title, heading, origin, at, excerpt, text_hash)
       VALUES (?, 99, 'picture', 's1', '', '[]', '', 1, '', '')`,
      turn,
    );
    db.run("INSERT INTO vector_outbox (kind, item_id) VALUES ('picture', 's1')");
    expect(kindStoredAs('picture')).toBeUndefined();
    await vectors.settled();
    expect(vectors.progress()).toMatchObject({ state: 'ready', pending: 0 });
    expect(quotedHashes(db, [{ kind: 'picture', id: 's1' }], now)).toEqual([null]);
  });

  it('lose their vectors with their conversation, and get them back with it', async () => {
    const { client, services } = app;
    await services.vectors.settled();
    const [conversation] = await client.chat.list({});
    const id = (conversation as { id: string }).id;
    const [turn] = (await client.chat.get({ id })).turns;
    const held = () => storedVector(app, { kind: 'turn', id: (turn as { id: string }).id });
    expect(await held()).not.toBeNull();
    await client.chat.remove({ id });
    await until(async () => (await held()) === null);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    await client.chat.restore({ id });
    await until(async () => (await held()) !== null);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('of a removed vault give nothing another name', async () => {
    const others = () => app.services.names.others(['billing'], now);
    expect(others().map(({ other }) => other)).toContain('projet atlas');
    const vault = (await app.client.vaults.list()).find(({ name }) => name === 'Notebook');
    await app.client.vaults.remove({ id: vault?.id as string });
    expect(others()).toEqual([]);
  });
});
