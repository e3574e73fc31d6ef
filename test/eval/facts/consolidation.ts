import { createApp } from '../../../src/core/app.ts';
import type { Mention, SingleValued, Statement } from '../../../src/core/memory/extraction/statement.ts';
import type { FactId, MessageId } from '../../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary.ts';
import type { Dialogue, Expected } from './dialogues.ts';

export interface ConsolidationScore {
  /** Of all statements, the share that became what they should. */
  outcome: number;
  /** Of all dialogues that teach something, the share at whose end exactly the right facts are current. */
  current: number;
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
  let statements = 0;
  let right = 0;
  let rightEnds = 0;
  const taught = dialogues.filter(({ turns }) => turns.some(({ learn }) => learn.length > 0));
  try {
    for (const dialogue of taught) {
      db.run('DELETE FROM facts');
      db.run("INSERT INTO fact_fts (fact_fts) VALUES ('delete-all')");
      const ids = new Map<string, FactId>();
      const nameOf = (id: FactId) =>
        [...ids].filter(([, one]) => one === id).map(([label]) => label)[0] ?? id;
      const contents = new Map<string, string>();
      const seen = new Set<string>();
      for (const turn of dialogue.turns) {
        now = Date.parse(`${turn.at}Z`);
        for (const expected of turn.learn) {
          statements += 1;
          const was = new Set(facts.list('', true).map(({ id }) => id));
          const outcome = facts.learn(statementOf(expected, dialogue, seen), {
            turnId: null,
            messageId: 'msg_eval' as MessageId,
            channel: 'chat',
          });
          const added = facts.list('', true).find(({ id }) => !was.has(id));
          const of = 'id' in outcome ? nameOf(outcome.id) : null;
          const became = `${outcome.is} ${of ?? ''}`.trim();
          const should = wanted(expected.becomes);
          if (became === should) right += 1;
          else misses.push(`${dialogue.id} ${expected.as}: ${should} expected, ${became} came`);
          const id =
            'id' in outcome && (outcome.is === 'same' || outcome.is === 'refinement')
              ? outcome.id
              : added?.id;
          if (id !== undefined) ids.set(expected.as, id);
          if (outcome.is !== 'same') contents.set(expected.as, expected.content);
        }
      }
      const current = facts.list('', false).map(({ id, content }) => `${id} ${content}`);
      const right_ = dialogue.current.map((label) => `${ids.get(label)} ${contents.get(label)}`);
      if (current.sort().join('\n') === right_.sort().join('\n')) rightEnds += 1;
      else misses.push(`${dialogue.id}: ${dialogue.current.length} current expected, ${current.length} came`);
    }
  } finally {
    await app.close();
    removeFolder(dataDir);
  }
  return {
    outcome: right / statements,
    current: rightEnds / taught.length,
    statements,
    dialogues: taught.length,
    misses,
  };
}

/** In words of `Outcome`. */
function wanted(becomes: Expected['becomes']): string {
  if (becomes === 'new' || 'alias' in becomes) return 'new';
  if ('supersedes' in becomes) return `successor ${becomes.supersedes}`;
  if ('refines' in becomes) return `refinement ${becomes.refines}`;
  if ('same' in becomes) return `same ${becomes.same}`;
  return `contradiction ${becomes.contradicts}`;
}

const KINSHIPS: Readonly<Record<string, string>> = {
  frère: 'brother',
  frere: 'brother',
  frangin: 'brother',
  sœur: 'sister',
  soeur: 'sister',
  mère: 'mother',
  maman: 'mother',
  mum: 'mother',
  mom: 'mother',
  père: 'father',
  papa: 'father',
  dad: 'father',
  femme: 'wife',
  mari: 'husband',
  fils: 'son',
  fille: 'daughter',
  ami: 'friend',
  amie: 'friend',
  pote: 'friend',
  collègue: 'colleague',
  cousine: 'cousin',
  oncle: 'uncle',
  tante: 'aunt',
  nièce: 'niece',
  neveu: 'nephew',
  'grand-père': 'grandfather',
  'grand-mère': 'grandmother',
  voisin: 'neighbour',
  voisine: 'neighbour',
  grandma: 'grandmother',
  nan: 'grandmother',
  mamie: 'grandmother',
  papi: 'grandfather',
  patron: 'boss',
  chef: 'boss',
  cheffe: 'boss',
};
const ENGLISH = new Set([
  ...Object.values(KINSHIPS),
  'partner',
  'boyfriend',
  'girlfriend',
  'grandma',
  'flatmate',
  'child',
]);
const KIN = new RegExp(
  String.raw`(?<![\p{L}-])(?:m[aoy]n?|mes|notre|nos|our|her|his)\s+(?:\p{Ll}+\s+){0,2}?(${[...Object.keys(KINSHIPS), ...ENGLISH].join('|')})(?![\p{L}-])|(?<![\p{L}-])(maman|papa|dad|mum|mom|grandma)(?![\p{L}-])`,
  'iu',
);

/**
 * The statement of a dialogue as a finder should give it. What a dialogue does not mark (whom a text names, which words are the
 * value of a relation) is read from its key, its subjects and the words that any wording must contain.
 */
function statementOf(expected: Expected, { turns }: Dialogue, people: Set<string>): Statement {
  const { content, says, kind, key, subjects, becomes } = expected;
  const [entity = '', relation = ''] = key?.split('.') ?? [];
  const word = KIN.exec(content)
    ?.slice(1)
    .find((one) => one !== undefined)
    ?.toLowerCase();
  const kinship = word === undefined ? null : (KINSHIPS[word] ?? word);
  const slug = entity.startsWith('person:') ? entity.slice('person:'.length) : null;
  const isKinship = slug !== null && ENGLISH.has(slug);
  const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  // Somebody who is the person of a key in this dialogue, or who follows the word for a relative.
  for (const one of turns.flatMap(({ learn }) => learn)) {
    const person = one.key?.startsWith('person:')
      ? one.key.split('.')[0]?.slice('person:'.length)
      : undefined;
    const first = one.subjects[0];
    if (person !== undefined && !ENGLISH.has(person) && first !== undefined) people.add(fold(first));
    const kin = KIN.exec(one.content);
    for (const subject of one.subjects)
      if (kin && /^\p{Lu}/u.test(subject) && isBeside(one.content, kin.index + kin[0].length, subject))
        people.add(fold(subject));
  }
  const named = subjects.filter((subject) => people.has(fold(subject)));
  const name = slug !== null && !isKinship ? (subjects[0] ?? slug) : null;
  const of: Mention | null =
    key === null
      ? null
      : slug === null
        ? { entity: 'user' }
        : { entity: 'person', name, kinship: isKinship ? slug : kinship };
  const mentions: Mention[] = named
    .filter((one) => one !== name)
    .map((one) => ({ entity: 'person', name: one, kinship }));
  if (named.length === 0 && kinship !== null && of === null && typeof becomes !== 'object')
    mentions.push({ entity: 'person', name: null, kinship });
  else if (named.length === 0 && kinship !== null && of === null)
    mentions.push({ entity: 'person', name: null, kinship });
  const value = says
    .filter((one) => one !== subjects[0] || slug === null)
    .filter((one) => fold(one) !== slug && KINSHIPS[fold(one)] === undefined);
  return {
    content,
    kind,
    importance: 0.7,
    subjects,
    mentions,
    states:
      of === null
        ? null
        : { of, relation: relation as SingleValued, value: value.length > 0 ? value.join(' ') : content },
    alias:
      typeof becomes === 'object' && 'alias' in becomes
        ? { name: subjects[0] ?? '', of: becomes.alias }
        : null,
    isAsked: false,
    expiresAt: expected.until === undefined ? null : Date.parse(`${expected.until}T00:00Z`),
  };
}

/** Does a name stand within a few characters of the end of a word? */
const isBeside = (content: string, end: number, name: string): boolean => {
  const at = content.indexOf(name);
  return (
    at >= 0 &&
    (Math.abs(at - end) <= 2 || (content.slice(at + name.length, end).split(' ').length <= 4 && at < end))
  );
};
