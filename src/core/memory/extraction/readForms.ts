import { holdsDate } from './expiry.ts';
import { isPartner, isPet, kinshipAt } from './kinship.ts';
import { isNameWord, nameEnd } from './names.ts';
import { APPOINTMENT } from './planRelations.ts';
import { type Context, nothing, type Reading } from './reading.ts';
import type { Mention } from './statement.ts';
import { USER } from './subjects.ts';
import { asWritten, plainText, type Word } from './words.ts';

/** "Dr Hale is our vet", « Jean-Baptiste est mon binôme », « Capitaine, c’est notre perroquet », "Nina Simone is my favourite singer". */
export function readWhoIs(words: readonly Word[], text: string): Reading | null {
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
export function readDone(words: readonly Word[], context: Context): Reading | null {
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
export function readWhere(words: readonly Word[], context: Context): Reading | null {
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
export function readEffect(words: readonly Word[], context: Context): Reading | null {
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
export function readHabit(rest: readonly Word[]): Reading | null {
  const { text: plain } = plainText(rest);
  if (!HABIT.test(plain) || NO_HABIT.test(plain) || rest.length < 4) return null;
  return { ...nothing, kind: 'preference', importance: 0.5, about: [USER], things: [] };
}
