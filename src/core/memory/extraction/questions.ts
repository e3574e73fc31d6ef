import type { Clause } from './clauses.ts';
import { readOpening } from './openers.ts';
import { isInverted, startsQuestion } from './stance.ts';
import { isVerb } from './verbs.ts';
import { plainText, type Word } from './words.ts';

/** From which clause on a sentence with a question mark asks; all of it if no clause shows that it does. */
export function firstQuestion(clauses: readonly Clause[], all: readonly Word[]): number {
  const first = clauses.findIndex(({ words }) => {
    const { words: rest } = readOpening(words);
    if (ASKING.test(plainText(rest).text)) return true;
    return startsQuestion(plainText(rest).text) || startsQuestion(plainText(words).text) || isInverted(rest);
  });
  const asking = clauses[first];
  // "…, doesn't it?" asks whether the others are right.
  if (asking && first > 0 && asking.words.length <= 4 && TAG.test(plainText(asking.words).text)) return 0;
  if (first !== -1) return first;
  const last = clauses.at(-1);
  if (last?.words.at(-1) !== all.at(-1)) return clauses.length;
  // Where nothing shows which clause asks, the last one does, unless it asks whether the others are right.
  return clauses.length > 1 && last && !TAG.test(plainText(last.words).text) ? clauses.length - 1 : 0;
}

/** In a sentence with a question mark. */
const ASKING =
  /^(?:is|are|was|were|do|does|did|has|can|could|will|would|should|may|might) |(?:^| )(?:quoi|which|comment|combien|quelle?s?|pourquoi|why|est ce)(?= |$)/;

const ASKS =
  /(?:^| )(?:quel|quelle|quels|quelles|combien|comment|quoi|quand|qui|pourquoi|what|how|which|where|who|when|why|any|tu|t|te|toi|vous|you|your|ton|ta|tes|selon|idee|idees|conseil|conseils|avis|tips|ideas|suggestions|do|does|should|can|could|would|dois|peut|faut|fait il|beaucoup|normal|possible|on fait|ok|okay|is it|is that|are there|is there|ca fait|worth)(?= |$)/;
const TAG =
  /^(?:(?:is|are|was|were|do|does|did|have|has|had|would|could|should|will|can)(?: not)? (?:i|he|she|it|they|we|you|one)$|right|non|hein|n est ce pas|is not (?:it|he|she)|do not i|does not (?:it|he|she)|pas vrai|correct|c est (?:bien )?ca|yes|no|oui|deja|again|ou pas|or not|ok|you know|tu sais|you see|si je ne me trompe|as you know)(?= |$)/;

/** « Le code du portail, tu le connais ? »: what is asked about stands before the question, and tells nothing. */
const isTopic = (words: readonly Word[]): boolean =>
  /^(?:le|la|l|les|the)$/.test(words[0]?.plain ?? '') && !words.some(({ plain }) => isVerb(plain));

/** « Mon oncle habite à Sète, il fait quel temps là-bas ? »: what comes before the last comma may be told, not asked. */
export function withoutQuestion(words: Word[]): Word[] {
  const comma = words.findLastIndex(({ plain }) => /^[,–:]$/.test(plain));
  if (comma < 3) return words;
  const head = plainText(words.slice(0, comma)).text;
  const tail = plainText(words.slice(comma + 1)).text;
  // "…, bread recipe?" asks for something, "…, Ana?" asks somebody.
  const isAddress = words.slice(comma + 1).some(({ isCapital }) => isCapital);
  if (
    TAG.test(tail) ||
    isTopic(words.slice(0, comma)) ||
    (!ASKS.test(tail) && words.length - comma < 4 && isAddress) ||
    startsQuestion(head) ||
    isInverted(words.slice(0, comma))
  )
    return words;
  return words.slice(0, comma);
}
