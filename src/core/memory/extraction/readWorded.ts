import type { FactKind } from '../../../shared/contract/facts.ts';
import { detectLanguage } from '../../support/text/language.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import { findStatements } from './findStatements.ts';
import { peopleIn } from './people.ts';
import { type Mention, SINGLE_VALUED, type SingleValued, type Statement } from './statement.ts';
import { readWords } from './words.ts';

/** A statement as a model worded it, or a fact as it is kept: one sentence, with what is said about it. */
export interface Worded {
  content: string;
  kind: FactKind;
  importance: number;
  subjects: readonly string[];
  /** `ENTITY.RELATION` as in `person:david.home`; null if it gives no relation its value. */
  key: string | null;
  expiresAt: number | null;
}

type States = Statement['states'];

/** The entity and the relation of a key; null if it names no single-valued relation. */
export function readKey(key: string): { person: string | null; relation: SingleValued } | null {
  const [, person, name = ''] = /^(?:user|person:([\p{L}\p{N}-]{1,60}))\.([a-z]+)$/u.exec(key) ?? [];
  const relation = SINGLE_VALUED.find((one) => one === name);
  return relation === undefined ? null : { person: person ?? null, relation };
}

/**
 * What a sentence states that somebody else than the rules worded. Whom it names is read from its words; so are the relation and its value
 * where the rules can read them, else they follow from its key and its subjects. The words count where key and words disagree.
 */
export function readWorded(worded: Worded, at: number): Statement {
  const { content, kind, importance, subjects, key, expiresAt } = worded;
  const words = readWords(content, { start: 0, end: content.length }, detectLanguage(content, 'fr'));
  const read = findStatements(content, at, { isKnownName: (name) => name !== name.toLowerCase() });
  const only = read.length === 1 ? read[0] : undefined;
  const mentions = unique([...read.flatMap((one) => one.mentions), ...peopleIn(words, content)]);
  return {
    content,
    kind,
    importance,
    subjects: [...subjects],
    mentions,
    states: only?.states ?? statedBy(key, mentions, worded),
    alias: only?.alias ?? null,
    isAsked: false,
    expiresAt: expiresAt ?? only?.expiresAt ?? null,
  };
}

function statedBy(key: string | null, mentions: readonly Mention[], { content, subjects }: Worded): States {
  const stated = key === null ? null : readKey(key);
  if (!stated) return null;
  const { person, relation } = stated;
  const of = person === null ? ({ entity: 'user' } as const) : personOf(person, mentions, subjects);
  const said = ` ${foldedWords(content)} `;
  const value = subjects.filter((one) => !isCalled(one, person) && said.includes(` ${foldedWords(one)} `));
  return { of, relation, value: value.length > 0 ? value.join(' ') : content };
}

/** The person of a key: by name in the sentence, then by kinship, then by name among its subjects. */
function personOf(slug: string, mentions: readonly Mention[], subjects: readonly string[]): Mention {
  const people = mentions.filter((one) => one.entity === 'person');
  const name = subjects.find((one) => isCalled(one, slug));
  return (
    people.find((one) => one.name !== null && isCalled(one.name, slug)) ??
    people.find(({ kinship }) => kinship === slug) ?? {
      entity: 'person',
      name: name ?? null,
      kinship: name === undefined ? slug : null,
    }
  );
}

/** Is it the name that a slug was made of, or one that begins with it? */
function isCalled(name: string, slug: string | null): boolean {
  const words = foldedWords(name);
  return slug !== null && (words.replaceAll(' ', '-') === slug || words.split(' ')[0] === slug);
}

function unique(mentions: readonly Mention[]): Mention[] {
  return [...new Map(mentions.map((one) => [JSON.stringify(one), one])).values()];
}
