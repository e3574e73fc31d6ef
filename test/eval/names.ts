import { createHash } from 'node:crypto';
import type { App } from '../../src/core/app.ts';
import { defaultSettings } from '../../src/shared/settings.ts';
import { inexactNames } from '../support/inexactNames.ts';
import { sharedData } from '../support/sharedData.ts';
import { indexVault } from '../support/testApp.ts';
import { withCore } from './indexedSet.ts';
import { measure } from './metrics.ts';
import { acrossLanguages, headings, piaf } from './sets.ts';
import { readTalk } from './talk/talk.ts';

const VAULTS = ['etalab-guides', 'foam-docs'] as const;
const FRAMES: Readonly<Record<string, (name: string) => string>> = {
  'in brackets': (name) => `Relis [[${name}]] stp`,
  'after "note"': (name) => `Ouvre la note ${name}, et résume-la`,
  'before "note"': (name) => `What does the ${name} note say?`,
  elsewhere: (name) => `Parle-moi de ${name}`,
};

const halfOf = (name: string) =>
  (createHash('sha256').update(name).digest()[0] ?? 0) & 1 ? 'report' : 'tune';

/**
 * Prints how often a note of both vaults is found by its name written inexactly, by where that stands, and how many of the questions to tune on
 * and turns of the talk to tune on are taken to name one.
 */
export async function evaluateNames(): Promise<void> {
  await withCore(async (app) => {
    for (const vault of VAULTS) {
      const root = sharedData(`vaults/${vault}`);
      if (root) await indexVault(app, root);
    }
    await app.services.search.whenLoaded();
    const rows = app.services.db.all<{ name: string; id: string }>(
      'SELECT name, note_id AS id FROM note_names ORDER BY name, note_id',
    );
    const byName = Map.groupBy(rows, ({ name }) => name);
    for (const [frame, write] of Object.entries(FRAMES)) {
      const scores = new Map<string, { right: number[]; wrong: number[] }>();
      for (const [place, name] of [...byName.keys()].entries()) {
        for (const { change, text } of inexactNames(name, place)) {
          if (byName.has(text)) continue;
          const right = new Set(byName.get(name)?.map(({ id }) => id));
          const found = await nearlyNamed(app, write(text));
          const key = `${halfOf(name)} ${change}`;
          const score = scores.get(key) ?? { right: [], wrong: [] };
          scores.set(key, score);
          score.right.push(found.some((id) => right.has(id)) ? 1 : 0);
          score.wrong.push(found.some((id) => !right.has(id)) ? 1 : 0);
        }
      }
      for (const [key, { right, wrong }] of [...scores].sort(([one], [other]) => (one < other ? -1 : 1)))
        console.log(
          JSON.stringify({
            name: `names ${frame}`,
            key,
            names: right.length,
            right: measure(right),
            wrong: measure(wrong),
          }),
        );
    }
    const sets = [
      piaf(),
      headings(VAULTS[0]),
      headings(VAULTS[1]),
      acrossLanguages('en'),
      acrossLanguages('fr'),
    ];
    const texts = [
      ...sets.flatMap((set) =>
        (set?.questions ?? []).filter(({ half }) => half === 0).map(({ text }) => text),
      ),
      ...readTalk()[0].flatMap(({ questions, sessions }) => [
        ...questions.map(({ text }) => text),
        ...sessions.flatMap(({ turns }) => turns.map(({ text }) => text)),
      ]),
    ];
    const taken: string[] = [];
    for (const text of texts) if ((await nearlyNamed(app, text)).length > 0) taken.push(text);
    console.log(JSON.stringify({ name: 'names', half: 'tune', texts: texts.length, taken }));
  });
}

/** Ids of the notes that a message is taken to name inexactly. */
async function nearlyNamed({ services }: App, text: string): Promise<string[]> {
  const { items } = await services.search.find({
    text,
    sources: ['notes'],
    limit: defaultSettings.candidatesPerSource,
    onlyWords: true,
    noDeadline: true,
  });
  return items.flatMap(({ namedBy, always, result }) =>
    always === 'named' && namedBy !== null ? [result.noteId ?? ''] : [],
  );
}
