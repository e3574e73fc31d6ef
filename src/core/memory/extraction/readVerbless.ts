import { holdsDate, isUntil } from './expiry.ts';
import { nameEnd } from './names.ts';
import { readPerson } from './people.ts';
import { APPOINTMENT, CODE } from './planRelations.ts';
import { type Context, nothing, type Reading } from './reading.ts';
import { readOf } from './readRelation.ts';
import { PUBLIC } from './readThings.ts';
import { USER } from './subjects.ts';
import { readAttribute } from './values.ts';
import { plainText, type Word } from './words.ts';

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
export function readElliptic(words: readonly Word[], context: Context): Reading | null {
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
