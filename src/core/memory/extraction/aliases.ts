import { fold } from '../../support/text/tokenise.ts';
import { isNameWord, nameEnd } from './names.ts';
import { readPerson } from './people.ts';
import type { Mention } from './statement.ts';
import { asWritten, plainText, type Word } from './words.ts';

const TITLES =
  /^(?:je|i|il|elle|he|she|it|ca|c|on|we|nous|they|ce|this|that|mon|ma|my|the|le|la|les|l|un|une|a|an|his|her|son|sa|qui|who|what)$/;
const STANDS_FOR =
  "(?:=|(?:s appelle|s appelait|se nomme|is called|'s called|is named|est appelee?) (?:en realite|en vrai|en fait|vraiment|really|actually|in fact|pour de vrai|dans la vraie vie)|(?:is |'s )?(?:really|actually) (?:called|named)|(?:is|'s) (?:really|actually|in fact|in reality|short for|a nickname for|the nickname of|my nickname for|our nickname for|another name for|the same person as|what (?:we|i|they|people|everyone) calls?)|(?:c est|est|ce n est autre que|c est en fait) (?:en fait |en realite )?(?:le surnom|le diminutif|le petit nom|un surnom|un diminutif|l abreviation|l autre nom|la meme personne que|en realite|en fait|comme ca qu on appelle|comme ca que j appelle)(?: (?:de|d|pour))?|alias|aka|a k a|dit|alias de|stands for|means|equals|designe|represente|(?:dans mes (?:notes|messages) )?designe|(?:is|'s) what (?:we|i|they|people|everyone)(?: all)? calls?|(?:je parle de|i mean|i am talking about|je veux dire|c est pour|ca veut dire))";
const NICKNAMED =
  /^(?:(?:tout le monde|les gens|mes amis|mes potes|mes collegues|ma famille|mes proches|on|nous|my friends|my family|people|everyone|everybody|my colleagues|friends|they|we|all my friends|most people|mes parents|my parents) )(?:(?:all |toujours |just |always |usually )*)(?:m appelle(?:nt)?|me surnomme(?:nt)?|calls? me|nicknamed? me)(?= )/;
const CALL_ME =
  /^(?:(?:tu peux|vous pouvez|merci de|you can|you may|please|just|feel free to) )*(?:simplement |juste |just )?(?:m appeler|appelle moi|appelez moi|call me)(?= )/;
const WE_CALL =
  /^(?:on|nous|je|we|i|tout le monde|everyone|everybody|people|his friends|her friends|ses amis|les gens|all his friends|les gars|mes collegues|tout le monde|nous on|a la maison on|au bureau (?:on|tout le monde)) (?:all |l )?(?:appelle|appelons|surnomme|appellent|surnomment|calls?|nicknamed?)(?= )/;

interface Named {
  text: string;
  next: number;
}

function readAny(words: readonly Word[], index: number, text: string): Named | null {
  const end = nameEnd(words, index);
  if (end > index) return { text: asWritten(text, words.slice(index, end)), next: end };
  const word = words[index];
  if (!word || TITLES.test(word.plain) || !/^\p{L}{2,20}$/u.test(word.plain)) return null;
  return { text: asWritten(text, [word]), next: index + 1 };
}

/** One name that stands for another: « dev s’appelle en réalité Mickael », "when I say the boss I mean Luc". Null if there is none. */
export function readAlias(words: readonly Word[], text: string): { name: string; of: string } | null {
  const { text: plain, at } = plainText(words);
  const intro =
    /^(?:quand je (?:dis|parle de|mentionne)|when i (?:say|mention|talk about)|si je (?:dis|parle de)|par|by) /.exec(
      plain,
    );
  const start = intro ? at(intro[0].length) : 0;
  const first = readAny(words, start, text);
  if (first) {
    const between = plainText(words.slice(first.next)).text;
    const joint = intro ? STANDS_FOR.replace(/\)$/, '|c est)') : STANDS_FOR;
    const match = new RegExp(`^(?:, )?(?:et )?${joint}(?: (?:de|d|of|pour|for))?(?= )`).exec(between);
    const said = match ? first.next + plainText(words.slice(first.next)).at(match[0].length + 1) : 0;
    const other = match ? readAny(words, said, text) : null;
    // A word in lower case is a name only beside a name.
    if (other && isNameWord(words[said]) && !isTrivial(match?.[0] ?? '', first.text))
      return { name: first.text, of: other.text };
  }
  const short =
    first && /^,? ?c est (?!le |la |un |une |mon |ma )/.exec(plainText(words.slice(first.next)).text);
  if (first && short) {
    const next = first.next + short[0].trim().split(' ').length;
    const full = readAny(words, next, text);
    if (full && isNameWord(words[next]) && isShortFor(first.text, full.text))
      return { name: first.text, of: full.text };
  }
  const same =
    /^(\S+(?: \S+)?) (?:et|and) (\S+(?: \S+)?) (?:sont|are|c est|is) (?:une seule et |one and (?:the )?)?(?:la |the )?(?:meme|same)(?: personne| person)?/.exec(
      plain,
    );
  if (same && (isNameWord(words[0]) || isNameWord(words[1]))) {
    const one = readAny(words, 0, text);
    const two = one && readAny(words, at((same[1] ?? '').length + 1) + 1, text);
    if (one && two) return { name: one.text, of: two.text };
  }
  const means =
    /(?:^| )(?:on dit|je dis|we say|i say|on l appelle|je l appelle) (\S+) (?:pour(?: parler (?:de|d)| dire| designer)?|for|quand je parle de|meaning)(?: d| de)? (\S+)/.exec(
      plain,
    );
  if (means) {
    const start = at(means.index + means[0].indexOf(means[1] ?? '', 6));
    const one = readAny(words, start, text);
    const two = readAny(words, at(means.index + means[0].length - (means[2] ?? '').length), text);
    if (one && two && isNameWord(words[start])) return { name: one.text, of: two.text };
  }
  const called = WE_CALL.exec(plain);
  if (!called) return null;
  const whom = readAny(words, at(called[0].length + 1), text);
  const what = whom && readAny(words, whom.next, text);
  return whom && what && isNameWord(words[whom.next]) && isNameWord(words[whom.next - 1])
    ? { name: what.text, of: whom.text }
    : null;
}

/** "Léo" of "Léopold", "Mika" of "Mickael": a short form keeps the beginning. */
const isShortFor = (name: string, full: string) =>
  name.length < full.length && fold(name).slice(0, 2) === fold(full).slice(0, 2);

/** Somebody of the user's whom others call by another name: "everyone calls my brother Teddy". */
export function readCalledBy(words: readonly Word[], text: string): Mention | null {
  const { text: plain, at } = plainText(words);
  const called = WE_CALL.exec(plain);
  if (!called) return null;
  const person = readPerson(words, at(called[0].length + 1), text);
  const named = person?.mention.entity === 'person' && !person.isBare ? person.mention : null;
  if (!named) return null;
  const name = named.name ?? (person ? readAny(words, person.next, text)?.text : null) ?? null;
  return name && /^\p{Lu}/u.test(name) ? { ...named, name } : null;
}

/** "dit", "means" and the like join names only where the first is one for certain. */
const isTrivial = (joint: string, name: string) =>
  /^(?:, )?(?:dit|means|alias|aka|=)/.test(joint) && !/^\p{Lu}/u.test(name);

/** What the user wants to be called, or is called by others. */
export function readNickname(
  words: readonly Word[],
  text: string,
): { name: string; isWanted: boolean } | null {
  const { text: plain, at } = plainText(words);
  const wanted = CALL_ME.exec(plain);
  const match = wanted ?? NICKNAMED.exec(plain);
  if (!match) return null;
  const index = at(match[0].length + 1);
  const named = readAny(words, index, text);
  if (
    !named ||
    /^(?:back|later|tomorrow|demain|quand|when|if|si|a|an|at|plus|ce|on|crazy|old|vers|des|apres|avant|before|after|monday|any|now)$/i.test(
      named.text,
    )
  )
    return null;
  return { name: named.text, isWanted: wanted !== null };
}
