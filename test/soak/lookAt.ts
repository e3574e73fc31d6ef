import type { ChildCore } from './childCore.ts';

/** What a client sees of the data, in whatever folders it lies. */
export async function lookAt({ client }: ChildCore, folders: readonly string[]): Promise<unknown> {
  const { findings } = await client.app.doctor({});
  const conversations = [...(await client.chat.list({})), ...(await client.chat.list({ archived: true }))];
  const turns = await Promise.all(conversations.map(({ id }) => client.chat.get({ id, limit: 200 })));
  const { notes } = await client.notes.list({ limit: 500 });
  const { facts } = await client.facts.list({ all: true });
  // Sizes and times differ between two databases that hold the same.
  const { dataDir: _, databaseBytes: __, jobs: ___, figures: ____, ...stats } = await client.app.stats();
  const seen = {
    findings,
    conversations,
    turns,
    facts,
    stats,
    notices: await client.app.notices(),
    settings: await client.app.settings(),
    notes: notes.map(({ indexedAt: _____, ...note }) => note),
  };
  const text = folders.reduce((so, folder) => so.replaceAll(folder, ''), JSON.stringify(seen));
  return JSON.parse(text);
}
