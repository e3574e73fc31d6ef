import type { FactKind } from '../../../shared/contract/facts.ts';

/** A fact that a message states plainly. */
export interface PlainFact {
  content: string;
  kind: FactKind;
  key: string | null;
  subjects: string[];
  importance: number;
}

const NAME = String.raw`(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){0,3})`;
const RELATIVES =
  'sœur|soeur|frère|mère|père|femme|mari|fille|fils|cousin|cousine|tante|oncle|ami|amie|copain|copine|chef|cheffe|collègue|médecin|voisin|voisine|chat|chatte|chien|chienne';
const ENGLISH_RELATIVES =
  'sister|brother|mother|father|mom|mum|dad|wife|husband|daughter|son|cousin|aunt|uncle|friend|boyfriend|girlfriend|boss|colleague|doctor|neighbour|neighbor|cat|dog';

interface Rule {
  pattern: RegExp;
  kind: FactKind;
  importance: number;
  /** The part of the match that is kept; the whole match by default. */
  content?: (match: RegExpExecArray) => string;
  key?: (match: RegExpExecArray) => string;
  subjects?: (match: RegExpExecArray) => string[];
}

/** Everything up to the end of the sentence or of the line. A full stop inside a word ends no sentence. */
const REST = String.raw`((?:(?![.!?](?:\s|$))[^\n]){3,500})`;

const RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      String.raw`(?:^|[\s,;:.!?])(?:souviens[- ]toi|rappelle[- ]toi|souvenez[- ]vous|n['’]oublie(?:z)? pas|retiens|retenez|(?<!je\s)note(?:z)?(?: bien)?)\s+(?:bien\s+)?(?:que\s+|qu['’])${REST}`,
      'giu',
    ),
    kind: 'fact',
    importance: 0.7,
    content: (match) => match[1] ?? '',
  },
  {
    pattern: new RegExp(
      String.raw`(?:^|[\s,;:.!?])(?:please\s+)?(?:remember|don['’]t forget|keep in mind|note)\s+that\s+${REST}`,
      'giu',
    ),
    kind: 'fact',
    importance: 0.7,
    content: (match) => match[1] ?? '',
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}])(?:[Jj]e m['’]appelle|[Mm]on nom est|[Mm]on prénom est)\s+${NAME}`,
      'gu',
    ),
    kind: 'identity',
    importance: 1,
    key: () => 'user.name',
    subjects: (match) => [match[1] ?? ''],
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}])(?:[Mm]y name is|[Mm]y name['’]s|I am called|I['’]m called)\s+${NAME}`,
      'gu',
    ),
    kind: 'identity',
    importance: 1,
    key: () => 'user.name',
    subjects: (match) => [match[1] ?? ''],
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}])[Jj]['’]habite\s+(?:à|au|aux|en|dans|près de)\s+${NAME}`,
      'gu',
    ),
    kind: 'identity',
    importance: 0.9,
    key: () => 'user.home',
    subjects: (match) => [match[1] ?? ''],
  },
  {
    pattern: new RegExp(String.raw`(?<![\p{L}])I live in\s+${NAME}`, 'gu'),
    kind: 'identity',
    importance: 0.9,
    key: () => 'user.home',
    subjects: (match) => [match[1] ?? ''],
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}])[Mm](?:a|on)\s+(${RELATIVES})\s+(s['’]appelle|habite\s+(?:à|au|aux|en|dans))\s+${NAME}`,
      'gu',
    ),
    kind: 'relation',
    importance: 0.7,
    key: (match) =>
      `user.${(match[1] ?? '').toLowerCase()}.${/appelle/.test(match[2] ?? '') ? 'name' : 'home'}`,
    subjects: (match) => [match[1] ?? '', match[3] ?? ''],
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}])[Mm]y\s+(${ENGLISH_RELATIVES})\s+(is called|is named|lives in)\s+${NAME}`,
      'gu',
    ),
    kind: 'relation',
    importance: 0.7,
    key: (match) =>
      `user.${(match[1] ?? '').toLowerCase()}.${/lives/.test(match[2] ?? '') ? 'home' : 'name'}`,
    subjects: (match) => [match[1] ?? '', match[3] ?? ''],
  },
];

/**
 * Finds the plain cases of facts in a user's message, in French and English: what they ask to be remembered, and names and homes,
 * their own and those of their family. A question states no fact. Each stretch of text gives one fact at most, in the order of the
 * text.
 */
export function findPlainFacts(message: string): PlainFact[] {
  const found: (PlainFact & { start: number; end: number })[] = [];
  for (const rule of RULES) {
    rule.pattern.lastIndex = 0;
    for (let match = rule.pattern.exec(message); match; match = rule.pattern.exec(message)) {
      const start = match.index;
      const end = start + match[0].length;
      const isQuestion = message.slice(end).trimStart().startsWith('?');
      if (isQuestion || found.some((other) => start < other.end && end > other.start)) continue;
      const content = capitalise((rule.content?.(match) ?? match[0]).trim().replace(/[\s,;:]+$/, ''));
      if (content === '') continue;
      found.push({
        content,
        kind: rule.kind,
        key: rule.key?.(match) ?? null,
        subjects: rule.subjects?.(match).filter((subject) => subject !== '') ?? [],
        importance: rule.importance,
        start,
        end,
      });
    }
  }
  return found
    .sort((one, other) => one.start - other.start)
    .map(({ start: _start, end: _end, ...fact }) => fact);
}

function capitalise(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
