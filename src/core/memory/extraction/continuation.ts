import type { Clause } from './clauses.ts';
import type { Reading } from './reading.ts';
import { readSubject, type Subject } from './subjects.ts';
import type { Found } from './toStatement.ts';
import { plainText, type Word } from './words.ts';

/** A statement that the clauses behind it may go on with. */
export interface Kept {
  found: Found;
  subject: Subject | null;
}

/** A clause, its subject, and what it says; null if what it says is not kept by itself. */
export interface Told {
  clause: Clause;
  own: Subject | null;
  reading: Reading | null;
}

/**
 * Does a clause go on with the statement before? What a comma alone joins does, and what "and" joins if it says what came of it: "My
 * brother quit cooking and he's a mailman now". A second value, or another person, stands alone.
 */
export function goesOn({ clause, own, reading }: Told, { found, subject }: Kept): boolean {
  const isPronoun = own?.type === 'pronoun';
  if (!reading) return clause.link === 'cause' || isPronoun;
  const { states } = found.reading;
  if (states && (reading.states || states.relation === 'name')) return false;
  if (clause.isColon && !isPronoun) return false;
  if (own?.type === 'person' && subject?.type === 'person') return false;
  if (isPronoun && (reading.states || subject?.type === 'thing' || subject?.type === 'owned')) return true;
  if (own?.type === 'owned' && own.noun === 'name') return true;
  if (own?.type === 'self' && subject?.type === 'self' && reading.states) return found.reading.isPast;
  return !clause.isJoined;
}

/** Does a clause that is kept go on with one before it that is too weak alone: by a pronoun for it, as its cause, or by a comma where it states no value? */
export function takesAlong({ clause, own, reading }: Told): boolean {
  if (clause.link !== 'and') return clause.link === 'cause';
  const isTheirs =
    own?.type === 'owned' && own.owner.entity === 'person' && !own.owner.name && !own.owner.kinship;
  if (own?.type === 'pronoun' || own?.type === 'it' || isTheirs) return true;
  return !clause.isJoined && (reading?.states == null || own?.type === 'self');
}

/** « J’y suis allergique », "I'm allergic", « on a décidé de ne pas la vendre »: what it is about stands before. */
export function pointsBack(words: readonly Word[]): boolean {
  const { text } = plainText(words);
  if (
    /^(?:je|j|i|on|nous|we) /.test(text) &&
    /(?:allergique|allergic|intolerante?|intolerant)(?=$| (?:depuis|since))/.test(text)
  )
    return true;
  return (
    /(?:^| )(?:j|je|on|nous|de|pas|a|ai|avons) (?:y|la|le|les|l) \S+/.test(text) &&
    /(?:^| )(?:la|le|les|l|y) \S+(?:er|ir|re|ais|ai|a|suis|avons|erons|eront|ons|ont)(?= |$)/.test(text) &&
    !/(?:^| )(?:habit|viv)/.test(text)
  );
}

/** The words of the subject with which a statement begins. */
export function subjectWords(words: readonly Word[], text: string): Word[] {
  const subject = readSubject(words, 0, text);
  return subject ? words.slice(0, subject.next) : [];
}
