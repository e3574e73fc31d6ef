import { holdsDate } from './expiry.ts';
import { nameEnd } from './names.ts';
import type { Predicate } from './predicate.ts';
import type { SingleValued } from './statement.ts';
import { holdsTrade } from './trades.ts';
import { readName, readPhrase } from './values.ts';
import { asWritten, type Word } from './words.ts';

export interface Value {
  relation: SingleValued;
  value: string;
}

/** How the value of a relation is read behind the words that give it. */
type Reads = 'name' | 'employer' | 'place' | 'phrase' | 'date' | 'number' | 'trade';

interface Rule {
  gives: SingleValued;
  /** Matches the words of a predicate that stand before the value. */
  words: RegExp;
  reads: Reads;
  /** What the value must not begin with. */
  unless?: RegExp;
}

/** Auxiliaries, modals of plans, and the pronouns between a subject and its verb; bounded, since no clause has more. */
const AUXILIARIES =
  "(?:(?:ai|as|a|avons|ont|suis|es|est|sommes|sont|vais|vas|va|allons|vont|viens de|vient de|venons de|viennent de|avais|avait|etais|etait|serai|sera|m|me|t|s|se|nous|y|l|en|am|is|are|was|were|'s|have|has|had|gone and|will|going to|been|be|just|got|did|used to|start|started to|ete|finit par|fini par|decided to|decide de|plan to|compte|comptons|dois|doit|must|voila|voici|prefere|prefer|want to|veux|fait|fais|faire) ){0,6}";
const IN =
  '(?:a|au|aux|en|dans|pres de|pres d|vers|sur|sur les|chez|du cote de|rue|avenue|in|at|near|on|onto|to|into|outside|close to|around|down in|up in|over in|out in|out to|back in|back to|up to|down to|over to|just outside)';
const FOR = '(?:chez|pour|a|au|aux|dans|for|at|by|with|par|in|de la|de l|du|d)';

const rule = (gives: SingleValued, words: string, reads: Reads, unless?: RegExp): Rule => ({
  gives,
  words: new RegExp(
    words.startsWith('(?=') ? `^${AUXILIARIES}${words}` : `^${AUXILIARIES}(?:${words})(?= |$)`,
  ),
  reads,
  ...(unless && { unless }),
});

/** Words of both languages, folded, without adverbs, that give a relation its one value. The first that fits counts. */
const RULES: readonly Rule[] = [
  rule('name', 'appelle|appelles|nomme|prenomme|called|named', 'name'),
  rule(
    'home',
    `(?:habit\\w+|vis|vit|vivons|vivent|vivre|reside|resid\\w+|loge|logeons|logent|live|lives|living|lived|based|base|basee|domiciliee?|installee?s?|installe|settled(?! on)|relocated|stationed|stays|stay)(?: (?:seule?|alone|ensemble|together|tout|toute|de nouveau|again))*(?: ${IN})`,
    'place',
    /^(?:(?:mon|my) (?:lit|bed|head|car|phone)|coffee|hope|la peur|le (?:passe|present)|the (?:moment|past|edge)|peace|fear|un (?:reve|cauchemar)|a (?:dream|nightmare|bubble))/,
  ),
  rule(
    'home',
    "(?:suis|est|am|is|are|'s|retired|retire|retires)(?: (?:up|down|over|out|back))*(?: (?:in|a|en|au|to))(?=.* (?:since|depuis|all year|for good|ago|il y a|definitivement))",
    'name',
  ),
  rule('home', 'habite|habites|habitons|habitent|habiter', 'place'),
  rule(
    'home',
    `(?:demenag\\w+|emmenag\\w+|installe\\w*|posee?|move|moves|moving|moved|(?:settle|settling|settled)(?! on)|emigrate\\w*|emigre|relocate\\w*|shifted|entree?|admise?)(?: (?:hier|yesterday|last \\w+|in with \\w+ \\w+|house|out|away|back|over|here|de \\S+|from \\S+|mes valises|ses valises))*(?: (?!sur (?:autre|le)|on to)${IN})`,
    'place',
    /^(?:bed|sleep|tears|it|the next|another topic|autre chose|l ecole|cp|ce\d|cm\d|seconde|terminale)/,
  ),
  rule(
    'home',
    '(?:loue|louons|louent|rent|rents|renting|share|shares|sharing|partage|achete|bought|own|took|pris|have|has|ai|a|avons)(?: (?:un|une|a|an|the|my|notre|our|his|her|own|of|propre|petit|small|new|nouvel|nouveau))*(?: (?:t\\d|f\\d|studio|appart|appartement|maison|flat|house|apartment|chambre|room|cottage|bedsit|condo|coloc|place))(?: (?!in |a |en |dans )\\w+){0,4} (?:a|in|en|dans|rue)',
    'place',
  ),
  rule(
    'job',
    '(?:travail\\w*|bosse\\w*|taffe\\w*|works?|working|worked|employed|embauchee?|hired|exerce) (?:comme|as|en tant que)',
    'phrase',
  ),
  rule(
    'job',
    '(?:devenue?|devenir|deviens|devient|become|becomes|became|promue?|promoted to|nommee?|reconvertie?(?: en| comme)?|retrained as|trained as|qualified as|training as|training to be)',
    'trade',
  ),
  rule(
    'employer',
    `(?:travail\\w*|taffe\\w*|bosse\\w*|works?|working|worked|employed|employee?|embauch\\w+|recrut\\w+|engagee?|salariee?|en poste|en cdi|en cdd|en stage|en alternance|interning|apprenticed|hired|taken on|rebondi(?: direct)?|signe|signed|commence|commences|commencer|demarre|debute|start|starts|starting|started)(?: (?:un (?:nouveau )?(?:boulot|travail|poste|job|stage|cdi|cdd)|a new (?:job|role)|mon (?:nouveau )?(?:boulot|poste|stage)|my new job|a job|work|un contrat|nights|days|full time|part time|de nuit))?(?: ${FOR})`,
    'phrase',
    /^(?:ca|cela|it|this|that|la maison|un projet|home|fond|me (?:lever|coucher)|moi|nous|mieux|cp|ce\d|cm\d|college|lycee|maternelle|creche|school|university|uni|fac|la fac|l universite|temps|mi temps|\d|full|plein|domicile|paris|lyon|londres|london)(?= |$)/,
  ),
  rule('employer', "(?:suis|est|sommes|am|is|are|'s|passee?|partie?|with) chez", 'phrase'),
  rule('employer', '(?:join|joins|joining|joined|rejoint|rejoins|rejoindre|integre|integrer)', 'name'),
  rule(
    'employer',
    '(?:quitte|quittee?|left|leaving) \\S+(?: \\S+)? (?:pour|for)',
    'phrase',
    /^(?:de|d|to|the|good|toujours|ca|le|la|un an|me)(?= |$)/,
  ),
  rule(
    'job',
    '(?:teach|teaches|taught|enseigne|enseignes)',
    'phrase',
    /^(?:me|you|us|him|her|them|a lesson|que|qu|how)(?= |$)/,
  ),
  rule('job', '(?:tiens|tient|tenons) (?:une?)', 'phrase', /^(?:journal|blog|compte|liste|promesse)/),
  rule('job', '(?:earns? (?:my|his|her|a) living as|gagne (?:ma|sa) vie comme)', 'phrase'),
  rule('job', '(?=(?:\\S+ ){1,6}for a living)', 'phrase'),
  rule(
    'job',
    '(?=(?:pris (?:ma|sa) retraite|retired|retiring|between jobs|unemployed|sans emploi|au chomage|a la retraite))',
    'phrase',
  ),
  rule(
    'partner',
    '(?=(?:celibataire|single|divorce|divorcee|divorced|separee?s?|separated|split up|broke up|veuf|veuve|widowed|a widow))',
    'phrase',
  ),
  rule(
    'employer',
    "(?:suis|est|am|is|are|'s) (?:now |maintenant )?(?:with|chez|at)(?: the| le| la)?",
    'employer',
  ),
  rule('employer', "(?:suis|est|am|is|'s)(?: an?)? \\S+(?: \\S+)? chez", 'name'),
  rule(
    'job',
    "(?:suis|est|sommes|es|sont|am|is|are|'s|was|etais|etait|been|be|voila)(?: (?:a|an|un|une|the|le|la))?",
    'trade',
  ),
  rule(
    'partner',
    '(?:remari\\w+|remarried|mari\\w+|married|marrying|marry|epous\\w+|fianc\\w+|engaged|pacs\\w+|en couple|dating|sors|sort|sortons|seeing|see someone|in a relationship|going out)(?: (?:a|avec|to|with|somebody|someone))?(?: (?:une?|a) (?:certaine?|guy|girl|man|woman|girl|boy|mec|fille|gars)(?: (?:called|named|qui s appelle))?)?',
    'name',
  ),
  rule('partner', '(?:suis|est|am|is) (?:avec|with)', 'name'),
  rule('birthday', '(?:ne|nee|born)(?: le| on| the)?(?= \\d)', 'date'),
  rule(
    'birthday',
    '(?:has|have|fete|fetes|celebrates?) (?:my|his|her|their|mon|son) (?:birthday|anniversaire)(?: le| on| in| en| the)?',
    'date',
  ),
  rule(
    'age',
    "(?:ai|a|ont|avons|am|is|are|'s|turn|turns|turned|turning|hit|hits|reached|fete|feter|aurai|aura|eu|been|be)(?: (?:mes|ses|nos|about|environ|only|que|presque|nearly|almost))?",
    'number',
  ),
];

/** The value that a predicate gives to a single-valued relation; null where it gives none for certain. */
export function readValue(predicate: Predicate, text: string): Value | null {
  if (predicate.isNegated || predicate.text === '') return null;
  for (const { gives, words, reads, unless } of RULES) {
    const match = words.exec(predicate.text);
    if (!match) continue;
    const behind = predicate.text.slice(match[0].length).trimStart();
    if ((behind === '' && !words.source.includes('(?=')) || unless?.test(behind)) continue;
    if ((gives === 'home' || gives === 'employer' || gives === 'job') && predicate.isOver) continue;
    if (gives === 'home' && predicate.isFuture) continue;
    const value = valueAt(reads, predicate, {
      at: predicate.at(match[0].length === 0 ? 0 : match[0].length + (match[0].endsWith(' ') ? 0 : 1)),
      text,
    });
    if (value !== null) return { relation: gives, value };
  }
  return null;
}

function valueAt(
  reads: Reads,
  { words, text: plain }: Predicate,
  { at, text }: { at: number; text: string },
): string | null {
  switch (reads) {
    case 'name':
      return nameEnd(words, at) > at || isLowerNamed(plain) ? readName(words, at, text) : null;
    case 'employer':
      return nameEnd(words, at) > at ||
        /^(?:fire|police|army|navy|council|county|mairie|caf|poste)$/.test(words[at]?.plain ?? '')
        ? readPhrase(words, at, text)
        : null;
    case 'place': {
      if (/^(?:[,;:()–]|ici|here|there|it|this|that)$/.test(words[at]?.plain ?? ',')) return null;
      if (words[at]?.plain === 'la' && words[at + 1] === undefined) return null;
      // "With a cat" holds an article, « à Lyon » a preposition.
      if (words[at - 1]?.plain === 'a' && words[at - 1]?.language === 'en') return null;
      const end = nameEnd(words, at);
      return end > at ? asWritten(text, words.slice(at, end)) : readPhrase(words, at, text);
    }
    case 'phrase': {
      const end = nameEnd(words, at);
      const value = end > at ? asWritten(text, words.slice(at, end)) : readPhrase(words, at, text);
      return value?.replace(/^(?:an?|the|une?) /i, '') ?? null;
    }
    case 'trade':
      return holdsTrade(words, at)
        ? (readPhrase(words, at, text)?.replace(/^(?:an?|the|une?) /i, '') ?? null)
        : null;
    case 'date':
      return holdsDate(plain) ? asWritten(text, words.slice(at, dateEnd(words, at))) : null;
    case 'number':
      return readAge(words, at);
  }
}

/** « je m’appelle lucas », "my dog is called rex": a name in lower case, where nothing else can stand. */
const isLowerNamed = (plain: string) =>
  /(?:^| )(?:m appelle|s appelle|nomme|prenomme|called|named) \p{L}/u.test(plain);

function dateEnd(words: readonly Word[], at: number): number {
  let end = at;
  while (end < words.length && !/^[,;:()–]$/.test(words[end]?.plain ?? '') && end - at < 8) end += 1;
  return end;
}

const AGES = new Set(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante cent'.split(
    ' ',
  ),
);

/** "34", « 79 ans », "nine years old", and nothing that is counted in anything but years. */
function readAge(words: readonly Word[], at: number): string | null {
  const number = words[at]?.plain ?? '';
  const unit = words[at + 1]?.plain ?? '';
  const isNumber = /^\d{1,3}$/.test(number) && Number(number) < 120;
  if (!isNumber && !AGES.has(number)) return null;
  const isCounted = /^(?:ans|years?|yo|months?|mois)$/.test(unit);
  const isFrench = /^(?:ai|a|ont|avons|fete|feter|aurai|aura|eu)$/.test(words[at - 1]?.plain ?? '');
  const isEnd =
    unit === '' ||
    /^(?:,|;|:|–|\(|\)|and|et|in|on|today|yesterday|this|next|now|years|but|so|with|aujourdhui)$/.test(unit);
  return isCounted || (!isFrench && isEnd) ? number : null;
}
