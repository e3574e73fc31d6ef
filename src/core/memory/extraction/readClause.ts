import { MONTHS, WEEKDAYS } from '../../support/text/calendar.ts';
import { readAlias, readNickname } from './aliases.ts';
import { holdsDate } from './expiry.ts';
import { nameEnd } from './names.ts';
import { readPredicate } from './predicate.ts';
import { type Context, hasName, nothing, type Reading } from './reading.ts';
import { readOf } from './readRelation.ts';
import { readOwned, readPointing, readThing } from './readThings.ts';
import type { Mention } from './statement.ts';
import { antecedent, readSubject, type Subject, USER } from './subjects.ts';
import { isVerb } from './verbs.ts';
import { asWritten, plainText, type Word } from './words.ts';

const LEAD = new RegExp(
  `^(?:en|depuis|le|la|cette|ce|cet|l|a|au|from|since|in|on|next|last|this|the|tomorrow|demain|after|before|apres|avant|pendant|durant|during|chez|at|avec|with|for|pour|until|till|jusqu|by|every|chaque|tous|toutes|dans|des|starting|desormais|maintenant|now|currently|actuellement|bientot|soon|dernierement|recemment|recently|lately|once|twice|aujourdhui|today|tonight|il|later|fin|debut|mi|early|late|two|three|deux|trois|as|both|${WEEKDAYS.join('|')}|${MONTHS.join('|')})$`,
);

/** The subject of a clause, also behind a time or a place: "Next month my sister…", « cette semaine, je… ». */
export function leadingSubject(words: readonly Word[], text: string): Subject | null {
  const first = readSubject(words, 0, text);
  if (first && !(first.type === 'thing' && LEAD.test(words[0]?.plain ?? ''))) return first;
  if (!LEAD.test(words[0]?.plain ?? '')) return first;
  for (let index = 1; index < Math.min(words.length, 9); index += 1) {
    if (isVerb(words[index]?.plain ?? '') && words[index]?.plain !== 'passe') break;
    const subject = readSubject(words, index, text);
    if (!subject || subject.type === 'thing' || subject.type === 'it') continue;
    if ((subject.type === 'owned' || subject.type === 'person') && !isVerb(words[subject.next]?.plain ?? ''))
      continue;
    return subject;
  }
  return first;
}

export function readClause(words: readonly Word[], context: Context): Reading | null {
  const { text } = context;
  const named = readNames(words, text);
  if (named) return named;
  const subject = context.shared ? { ...context.shared, next: 0 } : leadingSubject(words, text);
  if (!subject) return readElliptic(words, context);
  const rest = words.slice(subject.next);
  switch (subject.type) {
    case 'self':
    case 'we':
      return readOf([USER], rest, { ...context, isKnown: true }) ?? readIdentity(rest, text);
    case 'generic':
      return isGeneral(plainText(words).text) ? null : readTogether(rest, context);
    case 'pronoun': {
      const person = antecedent(context.people, subject.gender);
      if (person?.entity !== 'person') return null;
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
      return context.isStory ? null : readThing(words, rest);
    case 'it':
      return readPointing(words, text);
  }
}

const isKnown = (people: readonly Mention[], context: Context) =>
  people.some(
    (one) =>
      one.entity === 'user' ||
      context.known.some((other) => other.entity === 'person' && one.name === other.name),
  );

function readNames(words: readonly Word[], text: string): Reading | null {
  const nickname = readNickname(words, text);
  if (nickname) {
    const { name, isWanted } = nickname;
    const states = isWanted ? ({ of: USER, relation: 'name', value: name } as const) : null;
    return { ...nothing, kind: 'identity', importance: 0.9, about: [USER], things: [name], states };
  }
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
  end >= words.length || /^(?:,|from|de|du|et|and|by|;|–|\()$/.test(words[end]?.plain ?? '');

const NO_SUBJECT =
  /^(?:(?:just|recently|finally|officially|am|been|now|tout juste) )*(?:moved|moving|got (?:married|engaged|promoted|a (?:new )?(?:job|dog|cat|puppy|kitten)|the job)|started (?:at|as|working|a new)|born|married|engaged|allergic|vegetarian|vegan|pregnant|booked|diagnosed|working (?:at|as|for)|living in|retired|quit|joined|adopted|broke my|graduated|ne|nee|allergique|intolerante?|vegetarien(?:ne)?|marie|mariee|enceinte|demenage|diabetique|diabetic|inscrite?|embauchee?|celiac|coeliac|coeliaque|adopte)(?= )/;

const NOUN_FIRST =
  /^(?:(?:un|une|le|la|l|the|a|my|petit|next|prochain|prochaine) )?(?:\S+ ){0,2}?(?:rendez vous|reunion|entretien|vol|train|appointment|appt|meeting|flight|interview|dentist|dentiste|exam|examen|surgery|operation|mariage|wedding|deadline|concert|delivery|livraison)(?= )/;

/** "Just moved to Leeds", « Rdv chez le dentiste le 3 mars »: what people write without its subject. */
function readElliptic(words: readonly Word[], context: Context): Reading | null {
  const plain = plainText(words).text;
  if (context.isStory || words.length > 22) return null;
  if (NO_SUBJECT.test(plain)) return readOf([USER], words, { ...context, isKnown: true });
  if (NOUN_FIRST.test(plain) && holdsDate(plain) && words.length > 3)
    return { ...nothing, kind: 'event', importance: 0.6, about: [USER], things: [] };
  return null;
}
