import { holdsDate } from './expiry.ts';
import { antecedent } from './people.ts';
import { readPredicate } from './predicate.ts';
import { type Context, nothing, type Reading } from './reading.ts';
import type { Mention } from './statement.ts';
import { type Subject, USER } from './subjects.ts';
import { asWritten, plainText, type Word } from './words.ts';

/** What a clause that is kept says in general: whom it is about, and of which kind it is. */
export function readGeneral(
  words: readonly Word[],
  subject: Subject | null,
  { classes, context }: { classes: ReadonlySet<string>; context: Context },
): Reading {
  const { text: plain } = plainText(words);
  const predicate = readPredicate(subject ? words.slice(subject.next) : words);
  const about = aboutOf(words, subject, context);
  const [who] = about;
  const base = { ...nothing, about, isPast: predicate.isPast };
  const things = thingsOf(words, subject, context.text);
  const [word] = words;
  const by = subject?.type === 'pronoun' && who?.entity === 'person' ? (who.name ?? context.kin) : null;
  const replaces = word && by ? { word, by } : null;
  const is = (name: string) => classes.has(name);
  if (is('health'))
    return { ...base, replaces, things, kind: who?.entity === 'user' ? 'fact' : 'relation', importance: 0.8 };
  if (is('taste')) return { ...base, replaces, things, kind: 'preference', importance: 0.6 };
  if (is('decision')) return { ...base, replaces, things, kind: 'decision', importance: 0.6 };
  if (is('goal')) return { ...base, replaces, things, kind: 'goal', importance: 0.6 };
  if (holdsDate(plain)) return { ...base, replaces, things, kind: 'event', importance: 0.6 };
  return { ...base, replaces, things, kind: who?.entity === 'person' ? 'relation' : 'fact', importance: 0.6 };
}

function aboutOf(words: readonly Word[], subject: Subject | null, context: Context): Mention[] {
  const isOwn = /(?:^| )(?:je|j|i|me|m|moi|nous|we|us|mon|ma|mes|my|our|notre|nos)(?= |$)/.test(
    plainText(words).text,
  );
  switch (subject?.type) {
    case 'self':
    case 'we':
    case 'generic':
      return [USER];
    case 'person':
      return [...subject.people];
    case 'pronoun': {
      const person = antecedent(context.people, subject.gender);
      return person ? [person] : [];
    }
    case 'owned': {
      const isTheirs =
        subject.owner.entity === 'person' && subject.owner.name === null && subject.owner.kinship === null;
      const owner = isTheirs ? context.people.findLast((one) => one.entity === 'person') : subject.owner;
      return owner ? [owner] : [];
    }
    default:
      return isOwn ? [USER] : [];
  }
}

const OBJECT_OF =
  /(?:^| )(?:allergi\S*|intoleran\S*|aime|aimes|adore|adores|deteste|detestes|prefere|preferes|raffole|kiffe|supporte|love|loves|like|likes|hate|hates|prefer|prefers|enjoy|enjoys|stand|bear|fan) (?:(?:le|la|l|les|the|a|an|au|aux|de|du|des|d|un|une|to|of|my|any|trop|beaucoup|pas) )*/;

/** What the clause is about, as written: a thing that is its subject, else what is liked, avoided or borne badly. */
function thingsOf(words: readonly Word[], subject: Subject | null, text: string): string[] {
  if (subject?.type === 'thing' || (subject?.type === 'owned' && subject.owner.entity === 'user')) {
    const noun = words.slice(0, subject.next).filter(({ plain }) => !DETERMINER.test(plain));
    return noun.length > 0 && noun.length <= 4 ? [asWritten(text, noun)] : [];
  }
  const { text: plain, at } = plainText(words);
  const match = OBJECT_OF.exec(plain);
  if (!match) return [];
  const from = at(match.index + match[0].length);
  let to = from;
  while (to < words.length && to - from < 3 && !STOPS.test(words[to]?.plain ?? '')) to += 1;
  return to > from ? [asWritten(text, words.slice(from, to))] : [];
}

const DETERMINER = /^(?:le|la|l|les|the|a|an|un|une|mon|ma|mes|my|our|notre|nos|ce|cette|cet|this|that|,)$/;

const STOPS =
  /^(?:,|;|:|–|\(|\)|et|and|or|ou|mais|but|depuis|since|avec|with|car|because|parce|pour|for|qui|que|who|which|that|in|on|at|le|la|les|the|a|au|en|dans|so|when|quand|anymore|now|maintenant|too|aussi)$/;
