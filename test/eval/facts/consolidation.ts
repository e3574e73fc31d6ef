import { createApp } from '../../../src/core/app.ts';
import { peopleIn } from '../../../src/core/memory/extraction/people.ts';
import type { Mention, SingleValued, Statement } from '../../../src/core/memory/extraction/statement.ts';
import { readWords } from '../../../src/core/memory/extraction/words.ts';
import type { Outcome } from '../../../src/core/memory/facts/consolidate.ts';
import type { Facts } from '../../../src/core/memory/facts/facts.ts';
import type { Db } from '../../../src/core/storage/database.ts';
import { kinshipOf } from '../../../src/core/support/text/kinship.ts';
import { detectLanguage } from '../../../src/core/support/text/language.ts';
import { foldedWords } from '../../../src/core/support/text/tokenise.ts';
import type { FactId, MessageId } from '../../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary.ts';
import type { Dialogue, Expected } from './dialogues.ts';
import { interval95, shareOf, type Tally } from './interval.ts';

export interface ConsolidationScore {
  /** Of all statements, the share that became what they should. */
  outcome: number;
  outcome95: [low: number, high: number];
  /** Of all dialogues that teach something, the share at whose end exactly the right facts are current. */
  current: number;
  current95: [low: number, high: number];
  statements: number;
  dialogues: number;
  /** Each miss in one line: dialogue, label, what was expected, what came. */
  misses: string[];
}

/** Gives the record the right statements of dialogues, and compares what becomes of them. */
export async function scoreConsolidation(dialogues: readonly Dialogue[]): Promise<ConsolidationScore> {
  const dataDir = temporaryFolder();
  let now = 0;
  const app = createApp({ dataDir, version: 'eval' }, { clock: { now: () => now } });
  const { db, facts } = app.services;
  const misses: string[] = [];
  const outcomes: Tally[] = [];
  const ends: Tally[] = [];
  const taught = dialogues.filter(({ turns }) => turns.some(({ learn }) => learn.length > 0));
  try {
    for (const dialogue of taught) {
      const tally: Tally = { part: 0, whole: 0 };
      outcomes.push(tally);
      const ids = new Map<string, FactId>();
      const nameOf = (id: FactId) =>
        [...ids].filter(([, one]) => one === id).map(([label]) => label)[0] ?? id;
      const contents = new Map<string, string>();
      for (const { at, expected, learn } of statementsOf(dialogue, { db, facts })) {
        now = at;
        tally.whole += 1;
        const { outcome, added } = learn();
        const of = 'id' in outcome ? nameOf(outcome.id) : null;
        const became = `${outcome.is} ${of ?? ''}`.trim();
        const should = wanted(expected.becomes);
        if (became === should) tally.part += 1;
        else misses.push(`${dialogue.id} ${expected.as}: ${should} expected, ${became} came`);
        const id =
          'id' in outcome && (outcome.is === 'same' || outcome.is === 'refinement') ? outcome.id : added;
        if (id !== undefined) ids.set(expected.as, id);
        if (outcome.is !== 'same') contents.set(expected.as, expected.content);
      }
      const current = facts.list().map(({ id, content }) => `${id} ${content}`);
      const right_ = dialogue.current.map((label) => `${ids.get(label)} ${contents.get(label)}`);
      const isRight = current.sort().join('\n') === right_.sort().join('\n');
      ends.push({ part: Number(isRight), whole: 1 });
      if (!isRight)
        misses.push(`${dialogue.id}: ${dialogue.current.length} current expected, ${current.length} came`);
    }
  } finally {
    await app.close();
    removeFolder(dataDir);
  }
  return {
    outcome: shareOf(outcomes),
    outcome95: interval95(outcomes),
    current: shareOf(ends),
    current95: interval95(ends),
    statements: outcomes.reduce((sum, { whole }) => sum + whole, 0),
    dialogues: taught.length,
    misses,
  };
}

/** A statement of a dialogue, when it is made, and what teaches it: what becomes of it, and the fact that it adds. */
interface Taught {
  at: number;
  expected: Expected;
  learn(): { outcome: Outcome; added: FactId | undefined };
}

/** The right statements of a dialogue in their order, for a record that is emptied before. */
export function* statementsOf(
  dialogue: Dialogue,
  { db, facts }: { db: Db; facts: Pick<Facts, 'list' | 'learn'> },
): Generator<Taught, void> {
  db.run('DELETE FROM facts');
  db.run("INSERT INTO fact_fts (fact_fts) VALUES ('delete-all')");
  const idsNow = () => facts.list({ all: true }).map(({ id }) => id);
  for (const { at, learn } of dialogue.turns) {
    for (const expected of learn)
      yield {
        at: Date.parse(`${at}Z`),
        expected,
        learn: () => {
          const was = new Set(idsNow());
          const outcome = facts.learn(statementOf(expected, dialogue), {
            turnId: null,
            messageId: 'msg_eval' as MessageId,
            channel: 'chat',
          });
          return { outcome, added: idsNow().find((id) => !was.has(id)) };
        },
      };
  }
}

/** In words of `Outcome`. */
function wanted(becomes: Expected['becomes']): string {
  if (becomes === 'new' || 'alias' in becomes) return 'new';
  if ('supersedes' in becomes) return `successor ${becomes.supersedes}`;
  if ('refines' in becomes) return `refinement ${becomes.refines}`;
  if ('same' in becomes) return `same ${becomes.same}`;
  return `contradiction ${becomes.contradicts}`;
}

/** Relatives that stand without a possessive, as names do. */
const CALLED: Readonly<Record<string, string>> = {
  maman: 'mother',
  mum: 'mother',
  mom: 'mother',
  papa: 'father',
  dad: 'father',
  grandma: 'grandmother',
  mamie: 'grandmother',
  grandpa: 'grandfather',
  papi: 'grandfather',
};

const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Whom a text names, as the finder of statements reads it. */
function peopleOf(content: string): Mention[] {
  const words = readWords(content, { start: 0, end: content.length }, detectLanguage(content, 'fr'));
  const called = CALLED[plain(/^\p{L}+/u.exec(content)?.[0] ?? '')];
  const bare: Mention[] = called === undefined ? [] : [{ entity: 'person', name: null, kinship: called }];
  return [...bare, ...peopleIn(words, content)];
}

const namesIn = (mentions: readonly Mention[]): string[] =>
  mentions.flatMap((one) => (one.entity === 'person' && one.name !== null ? [one.name] : []));

/** The names of people in a dialogue, folded: those that follow a kinship, and those of whom it marks a key. */
function namesOf({ turns }: Dialogue): Set<string> {
  const statements = turns.flatMap(({ learn }) => learn);
  const keyed = statements.flatMap(({ key, subjects }) => {
    const person = key?.startsWith('person:') ? (key.slice('person:'.length).split('.')[0] ?? '') : '';
    return subjects.filter((subject) => person !== '' && plain(subject).split(' ')[0] === person);
  });
  const named = statements.flatMap(({ content }) => namesIn(peopleOf(content)));
  // "mother" says who somebody is, and is no name.
  return new Set([...keyed, ...named].filter((name) => kinshipOf(foldedWords(name)) === null).map(plain));
}

/**
 * The statement of a dialogue as a finder should give it. What a dialogue does not mark (whom a text names, which words are the
 * value of a relation) is read from its key, its subjects and the words that any wording must contain.
 */
function statementOf(expected: Expected, dialogue: Dialogue): Statement {
  const { content, kind, subjects, becomes, until } = expected;
  const names = namesOf(dialogue);
  const found = peopleOf(content);
  const known = new Set(namesIn(found).map(plain));
  const mentions: Mention[] = [
    ...found,
    ...subjects
      .filter((subject) => names.has(plain(subject)) && !known.has(plain(subject)))
      .map((name): Mention => ({ entity: 'person', name, kinship: null })),
  ];
  const states = statedBy(expected, mentions);
  const alias =
    typeof becomes === 'object' && 'alias' in becomes ? { name: subjects[0] ?? '', of: becomes.alias } : null;
  return {
    content,
    kind,
    importance: 0.7,
    subjects,
    mentions,
    states,
    alias,
    isAsked: false,
    expiresAt: until === undefined ? null : Date.parse(`${until}T00:00Z`),
  };
}

function statedBy(
  { key, says, subjects, content }: Expected,
  mentions: readonly Mention[],
): Statement['states'] {
  if (key === null) return null;
  const [entity = '', relation = ''] = key.split('.');
  const person = entity.startsWith('person:') ? entity.slice('person:'.length) : null;
  const of = person === null ? ({ entity: 'user' } as const) : meantBy(person, { subjects, mentions });
  const isPerson = (one: string) =>
    person !== null &&
    (plain(one).split(' ').includes(person) || plain(one) === plain(subjects[0] ?? '') || one in CALLED);
  const value = says.filter((one) => !isPerson(one)).join(' ');
  return { of, relation: relation as SingleValued, value: value === '' ? content : value };
}

/** The person of a key: by the name in the subjects, or else by kinship. */
function meantBy(
  person: string,
  { subjects, mentions }: { subjects: readonly string[]; mentions: readonly Mention[] },
): Mention {
  const people = mentions.filter((one) => one.entity === 'person');
  const byName = people.find(({ name }) => name !== null && plain(name).split(' ')[0] === person);
  if (byName) return byName;
  const byKinship = people.find(({ kinship }) => kinship === person);
  if (byKinship) return byKinship;
  const named = people.find(({ name }) => name !== null && subjects.includes(name));
  return named ?? { entity: 'person', name: null, kinship: person };
}
