import { FULL_WEEKDAYS, MONTHS } from '../../support/text/calendar.ts';
import { readAlias, readCalledBy, readNickname } from './aliases.ts';
import { holdsDate, isUntil } from './expiry.ts';
import { isPartner, isPet, kinshipAt } from './kinship.ts';
import { isLowerName, isNameWord, nameEnd } from './names.ts';
import { APPOINTMENT, CODE } from './planRelations.ts';
import { readPredicate } from './predicate.ts';
import { type Context, hasName, nothing, type Reading } from './reading.ts';
import { readOf } from './readRelation.ts';
import { PUBLIC, readOwned, readPointing, readThing } from './readThings.ts';
import type { Mention } from './statement.ts';
import { antecedent, readPerson, readSubject, type Subject, USER } from './subjects.ts';
import { readAttribute, readContact } from './values.ts';
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

/** "Dr Hale is our vet", « Jean-Baptiste est mon binôme », « Capitaine, c’est notre perroquet », "Nina Simone is my favourite singer". */
function readWhoIs(words: readonly Word[], text: string): Reading | null {
  const { text: plain, at } = plainText(words);
  const match =
    /^(?:\S+ ){1,8}?(?:, )?(?:is|are|'s|est|sont|c est|was|etait) (?:(?:encore|toujours|also|aussi|still|now|desormais) )?(?:my|our|mon|ma|mes|notre|nos) /.exec(
      plain,
    );
  if (!match || /^(?:c|it|this|that|what|ca|qui|who|he|she|il|elle|they|there|where)(?= )/.test(plain))
    return null;
  const next = at(match[0].length);
  const isName = isNameWord(words[0]) || (isCapital(words[0]) && words.length > 3);
  const rest = plainText(words.slice(next)).text;
  const preference =
    /^(?:\S+ ){0,2}?(?:favou?rites?(?! (?:part|line|quote|scene|moment|episode|chapter))|preferee?s?|great weakness|weakness|guilty pleasure|peche mignon|faiblesse|passion|hobby|comfort food|truc|dada|idole?|idol)(?= |$)/;
  if (preference.test(rest))
    return {
      ...nothing,
      kind: 'preference',
      importance: 0.6,
      about: [USER],
      things: isName ? [asWritten(text, words.slice(0, Math.max(1, nameEnd(words, 0))))] : [],
    };
  if (!isName) return null;
  let kinAt = next;
  let kin = kinshipAt(words, kinAt);
  while (!kin && kinAt < next + 2) {
    kinAt += 1;
    kin = kinshipAt(words, kinAt);
  }
  const isAnimal = words.slice(next, next + 3).some((word) => isPet(word.plain));
  if (!kin && !isAnimal) return null;
  const name = asWritten(text, words.slice(0, Math.max(1, nameEnd(words, 0))));
  const about: Mention[] = kin ? [{ entity: 'person', name, kinship: kin.kinship }] : [USER];
  const isPartnerNow = kin && isPartner(kin.kinship);
  return {
    ...nothing,
    kind: 'relation',
    importance: 0.7,
    about,
    things: [name],
    states: isPartnerNow ? { of: USER, relation: 'partner', value: name } : null,
  };
}

const isCapital = (word: Word | undefined) => word?.isCapital === true;

/** Done by others, to what is the user's, on a day: "they moved our flight to 10 October". */
function readDone(words: readonly Word[], context: Context): Reading | null {
  const { text: plain } = plainText(words);
  if (context.isStory || !holdsDate(plain) || words.length > 30) return null;
  const owned = /(?:^| )(?:mon|ma|mes|notre|nos|my|our) ((?:\S+ ){0,3}\S+)/g;
  const hasAppointment = [...plain.matchAll(owned)].some((match) => APPOINTMENT.test(` ${match[1] ?? ''}`));
  const isAwaited =
    /(?:^| )(?:expects?|expecting|m attend|nous attend|m attendent|me convoque|convoque|see|sees|seeing|invited|invites|me recoit|nous recoit) (?:me|us|le|lundi|mardi|mercredi|jeudi|vendredi|on)(?= )/.test(
      plain,
    );
  const isChange =
    /(?:^| )(?:shifted|moved|put|pushed|changed|rescheduled|postponed|brought|avance|decale|reporte|repousse|deplace|annule|cancelled|confirme|confirmed|fixe|set|booked|starts?|begins?|commence|takes? off|leaves|part|ends?|finit|is|est|sera|tombe|falls|lands|arrives?)(?= )/.test(
      plain,
    );
  if (!isAwaited && !(hasAppointment && isChange)) return null;
  return { ...nothing, kind: 'event', importance: 0.6, about: [USER], things: [] };
}

/** "Cork is where I live", « Marseille, où je vis maintenant »: a home that is named first. */
function readWhere(words: readonly Word[], context: Context): Reading | null {
  const { text: plain, at } = plainText(words);
  const match =
    /(?:^| )(\S+)(?: is)?(?: ,)? (?:where|ou|la ou) (?:i|we|je|j|nous|on) (?:now |currently )?(?:live|vis|habite|habitons|vivons)(?= |$)/.exec(
      plain,
    );
  if (!match) return null;
  const start = at(match.index === 0 ? 0 : match.index + 1);
  if (!isNameWord(words[start]) && words[start]?.isCapital !== true) return null;
  const value = asWritten(context.text, words.slice(start, start + 1));
  return {
    ...nothing,
    kind: 'identity',
    importance: 0.9,
    about: [USER],
    things: [value],
    states: { of: USER, relation: 'home', value },
  };
}

const EFFECT =
  /^(?!(?:ca|it|this|that|these|c|ce|cet|cette|tu|you|your|ton|ta|je|i|il|elle) )(?:\S+ ){1,9}?(?:me rend(?:ent)? malade|me donnent? (?:des|de|la|mal)|makes? me (?:ill|sick|sneeze|itch|swell|anxious|bloated|wheeze|sleepy)|gives? me (?:migraines?|headaches?|hives|heartburn|a rash)|(?:do|does) (?:not )?agree with me|ne me reussi\w+|keeps? me (?:awake|up)|m empechent? de|(?:is|are)(?: just| really| so| still)? not (?:my thing|for me|my cup of tea)|(?:est|sont|c est)(?: vraiment)? pas (?:mon truc|ma tasse|pour moi)|helps? me (?:sleep|focus|relax|concentrate|get things)|m aident? a|me (?:detend|detendent)|me fait du bien|me fait peur|(?:est|sont) (?:tres )?peu pour moi)(?= |$)/;

/** What things do to the user: "dairy doesn't agree with me". */
function readEffect(words: readonly Word[], context: Context): Reading | null {
  const { text: plain } = plainText(words);
  const topic = plain.replace(/ , (?=ca |c est |it )/, ' ');
  return !context.isStory &&
    EFFECT.test(topic) &&
    !/(?:^| )(?:today|aujourdhui|ce matin|ce soir|right now)(?= |$)/.test(plain)
    ? { ...nothing, kind: 'preference', importance: 0.6, about: [USER], things: [] }
    : null;
}

const HABIT =
  /(?:^| )(?:every|each|chaque|tous les|toutes les|always|toujours|never|jamais|twice a|once a|three times a|par (?:jour|semaine|mois|an)|\S+ fois par|(?:on|le|les) (?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)|que (?:du|de la|des)|only|before (?:\S+ ){1,2}in the morning|all year)(?= )/;
const NO_HABIT =
  /^(?:(?:m|me|t|te|l|le|la|les|y|en|ne|n|ai|a|have|had|am|was|'s|suis|always|never|toujours|jamais|pas) )*(?:oublie|forget|forgot|perds|lose|lost|compris|comprends|understand|understood|wonder|wondered|demande|know|knew|sais|savais|thought|think|pense|pensais|wanted|voulu|veux|want|reve|dreamt|dream|dis|say|said|vu|seen|heard|entendu|been|ete|fait|done|feel|sens|hate|mind|trust|believe|crois|trompe|get (?:it|this|confused|lost|stuck)|confonds|confuse|find|trouve|trouver|reussi|arrive|managed|remember|souviens|rappelle|liked|loved|seem|hope|espere|expected|tried|essaye|peux|can|could|would|will|plus)(?= |$)/;

/** What the user does every day, on Mondays, always, or never. */
function readHabit(rest: readonly Word[]): Reading | null {
  const { text: plain } = plainText(rest);
  if (!HABIT.test(plain) || NO_HABIT.test(plain) || rest.length < 4) return null;
  return { ...nothing, kind: 'preference', importance: 0.5, about: [USER], things: [] };
}

/** A code on its own: "bin store code 4821", « dossier du train retour : QJX7TN ». */
function readCode(words: readonly Word[]): Reading | null {
  const plain = plainText(words).text;
  if (
    !CODE.test(plain) ||
    /(?:^| )(?:error|erreur|retour|return|sortie|http|status|exit|page|bug|source|promo|article|line|ligne)(?= |$)/.test(
      plain,
    )
  )
    return null;
  const isShort = words.length <= 16 && !/^(?:je|j|i|tu|you|il|elle|he|she)(?= )/.test(plain);
  const hasCode = words.some(
    ({ plain: one }) => /\d/.test(one) && /^[\p{L}\d.-]{3,}$/u.test(one) && !/^(?:19|20)\d\d$/.test(one),
  );
  return isShort && hasCode ? { ...nothing, kind: 'fact', importance: 0.8, about: [], things: [] } : null;
}

const NO_SUBJECT =
  /^(?:(?:just|recently|finally|officially|am|been|now|tout juste) )*(?:moved|moving|got (?:married|engaged|promoted|a (?:new )?(?:job|dog|cat|puppy|kitten)|the job)|started (?:at|as|working|a new)|born|married|engaged|allergic|vegetarian|vegan|pregnant|booked|diagnosed|working (?:at|as|for)|living in|retired|quit|joined|adopted|broke my|graduated|ne|nee|allergique|intolerante?|vegetarien(?:ne)?|marie|mariee|enceinte|demenage|diabetique|diabetic|inscrite?|embauchee?|celiac|coeliac|coeliaque|adopte)(?= )/;

const NOUN_FIRST =
  /^(?:(?:un|une|a|my|petit|next|prochain|prochaine) )?(?:\S+ ){0,2}?(?:rendez vous|reunion|entretien|vol|train|appointment|appt|meeting|flight|interview|dentist|dentiste|exam|examen|surgery|operation|mariage|wedding|deadline|concert|delivery|livraison)(?= )/;

/** « Nouveau numéro de Luc : 06… », "new address: 8 High Street". */
function readLabelled(words: readonly Word[], text: string): Reading | null {
  const { text: plain, at } = plainText(words);
  const label =
    /^(?:(?:nouvelle?|nouveau|new|le|la|l|the|mon|ma|my) )*((?:adresse|address|numero|number|telephone|phone|tel|mail|email)(?: (?:mail|email|de telephone))?)((?: \S+){0,4}?) (?::|c est) /.exec(
      plain,
    );
  if (!label) return null;
  const value = readAttribute(label[1] ?? '', words.slice(at(label[0].length)), text);
  if (!value) return null;
  const whose = /^ (?:de|d|of) /.exec(label[2] ?? '');
  const person = whose ? readPerson(words, at(plain.indexOf(whose[0]) + whose[0].length), text) : null;
  const of = person?.mention ?? (whose || label[2] ? null : USER);
  return {
    ...nothing,
    kind: 'fact',
    importance: 0.8,
    about: of ? [of] : [],
    things: [value.value],
    states: of && { of, ...value },
  };
}

/** "Just moved to Leeds", « Rdv chez le dentiste le 3 mars »: what people write without its subject. */
function readElliptic(words: readonly Word[], context: Context): Reading | null {
  const plain = plainText(words).text;
  if (context.isStory || words.length > 22) return null;
  if (NO_SUBJECT.test(plain)) return readOf([USER], words, { ...context, isKnown: true });
  const head = plainText(words.slice(0, 5)).text;
  if (
    words.length > 3 &&
    holdsDate(plain) &&
    (NOUN_FIRST.test(plain) ||
      (APPOINTMENT.test(head) &&
        !PUBLIC.test(head) &&
        !/^(?:le|la|l|les|the|this|ce|cette) /.test(head) &&
        !/(?:^| )(?:1\d|20[01])\d\d?(?= |$)/.test(plain)))
  )
    return { ...nothing, kind: 'event', importance: 0.6, about: [USER], things: [] };
  if (isUntil(plain) && words.length > 3)
    return { ...nothing, kind: 'fact', importance: 0.6, about: [USER], things: [] };
  const labelled = readLabelled(words, context.text);
  if (labelled) return labelled;
  if (
    /^(?:pour|for|cote|niveau) (?:le|la|les|l|the|my|mon|ma|mes|notre|nos|our) .{2,40} (?:ce sera|it will be|c est|it 's) /.test(
      plain,
    ) &&
    words.some((_, index) => index > 2 && nameEnd(words, index) > index)
  )
    return { ...nothing, kind: 'decision', importance: 0.6, about: [USER], things: [] };
  return readCode(words);
}
