import { FULL_WEEKDAYS, MONTHS } from '../../support/text/calendar.ts';
import { readAlias, readCalledBy, readNickname } from './aliases.ts';
import { holdsDate } from './expiry.ts';
import { isLowerName, nameEnd } from './names.ts';
import { antecedent } from './people.ts';
import { readPredicate } from './predicate.ts';
import { readDone, readEffect, readHabit, readWhere, readWhoIs } from './readForms.ts';
import { type Context, hasName, nothing, type Reading } from './reading.ts';
import { readOf } from './readRelation.ts';
import { readOwned, readPointing, readThing } from './readThings.ts';
import { readElliptic } from './readVerbless.ts';
import type { Mention } from './statement.ts';
import { readSubject, type Subject, USER } from './subjects.ts';
import { readContact } from './values.ts';
import { isVerb } from './verbs.ts';
import { asWritten, plainText, type Word } from './words.ts';

const LEAD = new RegExp(
  `^(?:en|depuis|le|la|cette|ce|cet|l|a|au|from|since|in|on|next|last|this|the|tomorrow|demain|after|before|apres|avant|pendant|durant|during|chez|at|avec|with|for|pour|until|till|jusqu|by|every|chaque|tous|toutes|dans|des|starting|desormais|maintenant|now|currently|actuellement|bientot|soon|dernierement|recemment|recently|lately|once|twice|aujourdhui|today|tonight|il|later|fin|debut|mi|early|late|two|three|deux|trois|as|both|${FULL_WEEKDAYS.join('|')}|${MONTHS.join('|')})$`,
);

/** The subject of a clause, also behind a time or a place: "Next month my sister…", « cette semaine, je… ». */
export function leadingSubject(words: readonly Word[], text: string): Subject | null {
  const first = readSubject(words, 0, text);
  const isTime = TIME.test(words[1]?.plain ?? '') || TIME.test(words[2]?.plain ?? '');
  if (first && !(first.type === 'thing' && LEAD.test(words[0]?.plain ?? '') && isTime)) return first;
  const isLed = LEAD.test(words[0]?.plain ?? '');
  let behind: Subject | null = null;
  for (let index = 1; index < Math.min(words.length, 9); index += 1) {
    const plain = words[index]?.plain ?? '';
    if (isVerb(plain) && !/^(?:a|passe|s|n|m)$/.test(plain)) break;
    const subject = readSubject(words, index, text);
    if (!subject || subject.type === 'it') continue;
    if (subject.type === 'self' || subject.type === 'we') return subject;
    if (!isLed) continue;
    const next = words[subject.next]?.plain ?? '';
    const hasVerb = isVerb(next) || /^(?:c|'s)$/.test(next);
    if (subject.type === 'thing') behind ??= subject;
    else if (
      subject.type === 'person' &&
      subject.isBare &&
      (words[index - 1]?.plain !== ',' || /^(?:dans|in|d|selon|chez|on|sur)$/.test(words[0]?.plain ?? ''))
    )
      continue;
    else if (hasVerb || subject.type === 'generic' || subject.type === 'pronoun') return subject;
  }
  return first ?? behind;
}

const TIME = new RegExp(
  `^(?:semaine|mois|jour|week|month|year|day|days|end|weekend|matin|soir|annee|an|ans|ete|hiver|automne|printemps|summer|winter|spring|autumn|fall|morning|evening|night|nuit|moment|past|last|next|\\d.*|${FULL_WEEKDAYS.join('|')})$`,
);

export function readClause(words: readonly Word[], context: Context): Reading | null {
  const { text } = context;
  const named = readNames(words, text);
  if (named) return named;
  const kin = readWhoIs(words, text);
  if (kin) return kin;
  return (
    readWhere(words, context) ??
    readBySubject(words, context) ??
    readDone(words, context) ??
    readEffect(words, context) ??
    readElliptic(words, context)
  );
}

function readBySubject(words: readonly Word[], context: Context): Reading | null {
  const { text } = context;
  const subject = context.shared ? { ...context.shared, next: 0 } : leadingSubject(words, text);
  if (!subject) return readLowerName(words, context) ?? readElliptic(words, context);
  const isTopic = words[subject.next]?.plain === ',' && words[subject.next + 1]?.plain === 'c';
  const rest = words.slice(subject.next + (isTopic ? 1 : 0));
  switch (subject.type) {
    case 'self':
    case 'we':
      return (
        readOf([USER], rest, { ...context, isKnown: true }) ?? readIdentity(rest, text) ?? readHabit(rest)
      );
    case 'generic':
      return isGeneral(plainText(words).text) ? null : readTogether(rest, context);
    case 'pronoun': {
      const person = antecedent(context.people, subject.gender);
      if (person?.entity !== 'person') return readUnnamed(subject.gender, rest, context);
      const reading = readOf([person], rest, { ...context, isKnown: true });
      const [word] = words;
      const by = person.name ?? context.kin;
      return reading && word && by ? { ...reading, replaces: { word, by } } : reading;
    }
    case 'person': {
      if (subject.isBare && context.isStory) return null;
      return readOf(subject.people, rest, {
        ...context,
        isKnown: !subject.isBare || isKnown(subject.people, context),
      });
    }
    case 'owned':
      return readOwned(subject, rest, context);
    case 'thing':
      return context.isStory ? null : readThing(words, rest, text);
    case 'it':
      return readPointing(words, text);
  }
}

const isKnown = (people: readonly Mention[], context: Context) =>
  people.some(
    (one) =>
      one.entity === 'user' ||
      (one.name !== null && context.isKnownName(one.name)) ||
      context.known.some((other) => other.entity === 'person' && one.name === other.name),
  );

/** Names, nicknames and addresses by which people are called and reached, whatever form the sentence has. */
export function readNames(words: readonly Word[], text: string): Reading | null {
  const contact = readContact(plainText(words).text, words, text);
  if (contact)
    return {
      ...nothing,
      kind: 'fact',
      importance: 0.8,
      about: [USER],
      things: [contact.value],
      states: { of: USER, ...contact },
    };
  const nickname = readNickname(words, text);
  if (nickname) {
    const { name, isWanted } = nickname;
    const states = isWanted ? ({ of: USER, relation: 'name', value: name } as const) : null;
    return { ...nothing, kind: 'identity', importance: 0.9, about: [USER], things: [name], states };
  }
  const called = readCalledBy(words, text);
  if (called) return { ...nothing, kind: 'relation', importance: 0.7, about: [called], things: [] };
  const alias = readAlias(words, text);
  if (!alias) return null;
  const about: Mention[] = [{ entity: 'person', name: alias.of, kinship: null }];
  return { ...nothing, kind: 'relation', importance: 0.7, about, things: [alias.name, alias.of], alias };
}

/** « On » is the user and theirs only where something happened, or is dated, or named; never in what holds for everyone. */
function readTogether(rest: readonly Word[], context: Context): Reading | null {
  const plain = plainText(rest).text;
  const reading = readOf([USER], rest, { ...context, isKnown: true });
  if (!reading) return null;
  const isParticular =
    readPredicate(rest).isPast ||
    holdsDate(plain) ||
    hasName(rest) ||
    /(?:^| )(?:notre|nos|mon|ma|mes)(?= )/.test(plain);
  return isParticular ? reading : null;
}

const isGeneral = (plain: string) =>
  /(?:^| )(?:en general|de nos jours|en france on|autrefois|avant on|souvent|quand on|si on|on (?:dit|peut|doit|ne peut|sait|appelle|parle|trouve|raconte|devrait|voit)|chaque fois qu|a l epoque|au moyen age|autres)(?= |$)/.test(
    plain,
  );

/** "fitz works as a beekeeper": a name in lower case, in a message without capitals, where only people stand. */
function readLowerName(words: readonly Word[], context: Context): Reading | null {
  const [word] = words;
  if (
    context.isStory ||
    !word ||
    !isLowerName(words, 0) ||
    word.plain.endsWith('s') ||
    words.some(({ isCapital: is }) => is)
  )
    return null;
  const name = asWritten(context.text, [word]);
  const reading = readOf([{ entity: 'person', name, kinship: null }], words.slice(1), {
    ...context,
    isKnown: false,
  });
  return reading && (reading.states !== null || reading.importance >= 0.7) ? reading : null;
}

/** « Il s’est cassé l’épaule le 10 janvier »: somebody who was named in an earlier message. */
function readUnnamed(gender: 'm' | 'f' | null, rest: readonly Word[], context: Context): Reading | null {
  if (gender === null || context.isStory || !context.isFirst) return null;
  const reading = readOf([{ entity: 'person', name: null, kinship: null }], rest, {
    ...context,
    isKnown: false,
  });
  return reading && { ...reading, about: [], states: null };
}

/** "I'm Léa": a name alone behind the verb. */
function readIdentity(rest: readonly Word[], text: string): Reading | null {
  const { text: plain } = plainText(rest);
  const match = /^(?:c est|suis|am|'s|is) /.exec(plain);
  if (!match) return null;
  const index = match[0].startsWith('c ') ? 2 : 1;
  const end = nameEnd(rest, index);
  if (
    end === index ||
    end > index + 3 ||
    (/(?:ais|aise|ois|oise|ien|ienne|ish|ian|ean|ese|ch|an|e)$/.test(rest[index]?.plain ?? '') &&
      index === 1 &&
      !isFollowedByEnd(rest, end))
  )
    return null;
  if (
    /^(?:french|english|german|italian|american|british|irish|scottish|welsh|spanish|dutch|polish|indian|canadian|australian|swiss|belgian|portuguese|brazilian|chinese|japanese|korean|russian|ukrainian|greek|turkish|moroccan|algerian|tunisian|nigerian|mexican|danish|swedish|norwegian|finnish|muslim|jewish|christian|catholic|sorry|team|mr|mrs|dr)$/.test(
      rest[index]?.plain ?? '',
    )
  )
    return { ...nothing, kind: 'identity', importance: 0.7, about: [USER], things: [] };
  if (!isFollowedByEnd(rest, end)) return null;
  const value = asWritten(text, rest.slice(index, end));
  return {
    ...nothing,
    kind: 'identity',
    importance: 1,
    about: [USER],
    things: [value],
    states: { of: USER, relation: 'name', value },
  };
}

const isFollowedByEnd = (words: readonly Word[], end: number) =>
  end >= words.length ||
  /^(?:,|from|de|du|et|and|by|now|maintenant|desormais|;|–|\()$/.test(words[end]?.plain ?? '');
