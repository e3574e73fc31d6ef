import { holdsDate } from './expiry.ts';
import { isNameWord, nameEnd } from './names.ts';
import type { SingleValued } from './statement.ts';
import { asWritten, plainText, type Word } from './words.ts';

const STOP =
  /^(?:,|;|:|–|\(|\)|et|and|mais|but|depuis|since|avec|with|car|parce|because|pour|for|qui|que|who|which|that|where|ou|chez|at|until|jusqu|en|from|with|when|quand|donc|so|or|as|comme|le|this|cette|next|by|while|since|thanks|in|il|y|je|i|after|apres|avant|before|dans|sur|on|a)$/;
const FUNCTION =
  /^(?:le|la|les|l|un|une|des|du|de|d|the|a|an|my|our|his|her|mon|ma|notre|mes|son|sa|ses|leur)$/;
const LETTERS = /^[\p{L}][\p{L}\p{M}']*$/u;

/** The name at a word: capitalised, or in lower case where nothing in its place can be anything else. */
export function readName(words: readonly Word[], index: number, text: string): string | null {
  const end = nameEnd(words, index);
  if (end > index) return asWritten(text, words.slice(index, end));
  const word = words[index];
  if (
    !word ||
    !LETTERS.test(word.plain) ||
    word.plain.length < 2 ||
    STOP.test(word.plain) ||
    FUNCTION.test(word.plain)
  )
    return null;
  if (word.isCapital && !isNameWord(word)) return null;
  let last = index + 1;
  while (words[last]?.isJoined && LETTERS.test(words[last]?.plain ?? '')) last += 1;
  if (
    /^(?:saint|st|sainte|new|los|san|la|le|el|las|port|fort)$/.test(word.plain) &&
    LETTERS.test(words[last]?.plain ?? '')
  )
    last += 1;
  return asWritten(text, words.slice(index, last));
}

/** The words from an index to the next pause or preposition, six at most. */
export function readPhrase(words: readonly Word[], index: number, text: string): string | null {
  let end = index;
  while (end < words.length && end - index < 6 && !(end > index && STOP.test(words[end]?.plain ?? '')))
    end += 1;
  while (end > index && FUNCTION.test(words[end - 1]?.plain ?? '')) end -= 1;
  return end > index ? asWritten(text, words.slice(index, end)) : null;
}

const ATTRIBUTES: readonly [RegExp, SingleValued][] = [
  [
    /^(?:(?:vrai |real |full |first |last |given |new |nouveau )?(?:nom|prenom|name)(?: de famille| complet)?)(?: (?:de|d|of) .*)?$/,
    'name',
  ],
  [/^(?:anniversaire|birthday|date de naissance|date of birth)(?: (?:de|d|of) .*)?$/, 'birthday'],
  [
    /^(?:(?:new |nouveau |mobile |cell |work |home |phone )*(?:numero|number|telephone|portable|phone|mobile|cell|fixe)(?: de (?:telephone|portable|tel))?(?: number)?)(?: (?:pro|perso|professionnel|personnel|provisoire))?(?: (?:for|pour|at|au|en cas) .*)?$/,
    'phone',
  ],
  [
    /^(?:(?:new |nouveau |nouvelle |work |pro )*(?:email|mail|e mail|courriel|adresse mail|adresse email|adresse e mail|email address|e mail address)(?: address)?)(?: (?:pro|perso|professionnel|personnel|professionnelle|personnelle))?$/,
    'email',
  ],
  [
    /^(?:(?:new |nouvelle |home |postal )*(?:adresse|address|home|place|house|flat|appart|appartement|domicile))(?: postale)?$/,
    'home',
  ],
  [/^(?:metier|job|profession|occupation|job title|boulot|travail)$/, 'job'],
  [/^(?:employeur|employer)$/, 'employer'],
  [/^(?:age)$/, 'age'],
];

/** The value of somebody's attribute: "my birthday is on 3 May", « mon numéro est le 06… », « son adresse : … ». */
export function readAttribute(
  noun: string,
  rest: readonly Word[],
  text: string,
): { relation: SingleValued; value: string } | null {
  const relation = ATTRIBUTES.find(([pattern]) => pattern.test(noun))?.[1];
  if (!relation) return null;
  let at = 0;
  while (
    /^(?:est|is|'s|c|ce|sera|was|devient|becomes|change|changed|now|maintenant|desormais|est|le|the|on|en|:|,|to|pour|in|il|y|a|au|tombe|falls|really|toujours|actually|also)$/.test(
      rest[at]?.plain ?? '',
    )
  )
    at += 1;
  if (relation === 'home' && !/adresse|address/.test(noun)) {
    const isPlaced =
      /^(?:est|is|'s|sont|are)$/.test(rest[0]?.plain ?? '') &&
      /^(?:in|at|a|en|near|au|aux)$/.test(rest[1]?.plain ?? '');
    if (!isPlaced || nameEnd(rest, at) === at) return null;
  }
  if (relation === 'name') {
    const value = readName(rest, at, text);
    return value ? { relation, value } : null;
  }
  const end = relation === 'home' || relation === 'phone' ? rest.length : phraseEnd(rest, at);
  const value = asWritten(text, rest.slice(at, end));
  if (value === '') return null;
  if (relation === 'phone') {
    const digits = /\+?\d[\d .()-]{4,20}\d/.exec(value)?.[0];
    return digits ? { relation, value: digits } : null;
  }
  if (relation === 'email') {
    const address = /[^\s@]+@[^\s@]+/.exec(value)?.[0];
    return address ? { relation, value: address } : null;
  }
  if (relation === 'birthday' && !holdsDate(plainText(rest).text)) return null;
  return { relation, value };
}

function phraseEnd(words: readonly Word[], index: number): number {
  let end = index;
  while (end < words.length && !/^[,;:()–]$/.test(words[end]?.plain ?? '') && end - index < 8) end += 1;
  return end;
}

/** Where the user can be reached: a telephone number or an address. */
export function readContact(
  plain: string,
  words: readonly Word[],
  text: string,
): { relation: SingleValued; value: string } | null {
  const asks =
    /(?:^| )(?:me joindre|joignable|me contacter|m appeler|m ecrire|m envoyer|ecris moi|reach me|contact me|text me|ring me|call me|email me|write to me|reachable)(?= )/;
  if (!asks.test(plain)) return null;
  const said = asWritten(text, words);
  const address = /[^\s@<>,;:]{1,64}@[^\s@<>,;:]{1,64}/.exec(said)?.[0];
  if (address) return { relation: 'email', value: address.replace(/\.$/, '') };
  const digits = /\+?\d[\d .()-]{6,20}\d/.exec(said)?.[0];
  return digits ? { relation: 'phone', value: digits } : null;
}
