import { fold, foldedWords } from '../../support/text/tokenise.ts';
import { asksThat } from './openers.ts';
import { FOREIGN } from './words.ts';

/** Beyond this many characters a line is pasted: people who type break their lines or send their message earlier. */
const TYPED_LINE = 1_200;
/** Beyond this many characters a message carries a pasted text; what is said about it stands in its first or last paragraph. */
const TYPED_MESSAGE = 3_000;

interface Line {
  start: number;
  end: number;
  text: string;
}

const CODE_LINE =
  /[{};]\s*$|=>|^\s*(?:import .{1,80} from|from \S+ import|(?:const|let|var) \S+ ?=|(?:async )?(?:function|def) \S*\(|class \S+\s?[:{(]|return .*;|#include|SELECT .{1,120} FROM|(?:npm|git|sudo|pip|docker|cd) \S)|^\s*\$ |^\s*<\/?[a-z]+|^\s*at \S+\s?\(|^\s*(?!\p{L}[\p{L}-]{2,20} = \p{L}[\p{L}-]{2,20}(?:[\s,.!]|$))[\w.]+\s?[=+]=?\s?\S|^\s{4,}\S|^\t+\S/u;
const LOG_LINE =
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\[?\d\d:\d\d(?::\d\d)?\]?\s|^\s*\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL)\b|^Traceback|^\s*File "/;
const QUOTED_LINE = /^\s*>/;
/** A gap to fill in, a subtitle with its time, a call to a whole channel, values between semicolons, what a module gives out. */
const FORM_LINE =
  /_{3,}|^\s*\[[^\]]{1,40}\]\s*\d{1,2}:\d\d|^\s*@(?:everyone|here|channel|all)\b|^\s*@\w{1,30}\s?:|^[^\s;]{1,40};[^\s;]{1,40};[^\s;]{1,40}|^\s*export (?:default|const|function|class) /;
const TABLE_LINE = /^\s*\||\t\S/;
const HEADING_LINE = /^\s*#{1,6}\s/;
const ITEM_LINE = /^\s*(?:[-*+•–‣▪]|\d{1,2}[.)])\s+\S/;
/** "Name: text" at the head of a line, as in forms, adverts, curricula and transcripts. */
const FIELD_LINE = /^\s*[\p{L}][\p{L} '’()-]{0,30}\s?:\s*\S/u;
const MAIL_HEADER =
  /^\s*(?:from|to|cc|subject|sent|de|objet|envoye|date|a)\s?:\s*\S|^-{2,}\s*(?:original|forwarded|message)/;
const FORWARDED =
  /^\s*(?:fwd|fw|tr|re)\s?: |^-{2,}.{0,40}(?:forwarded|original|transfere|message)|^(?:le|on)\b.{5,80}\b(?:a ecrit|wrote)\s?:\s*$/;
const GREETING =
  /^\s*(?:bonjour|bonsoir|cher|chere|chers|cheres|madame|monsieur|dear|hi|hello|salut|hey|coucou|to whom)\b.{0,40},\s*$/;
/** How nobody greets an assistant. */
const FORMAL_GREETING =
  /^\s*(?:dear (?:sir|madam|mr|mrs|ms|dr|hiring)\b|madame\b|monsieur\b|cher monsieur\b|chere madame\b|to whom\b).{0,60},\s*$/;
const SIGN_OFF =
  /^\s*(?:(?:tres |bien )?cordialement|bien a vous|bien a toi|amicalement|bises|bisous|best|best regards|kind regards|warm regards|regards|sincerely|yours(?: \w+)?|cheers|love|a bientot|(?:avec mes )?(?:meilleures )?salutations.{0,20}|best wishes|l'equipe.{0,30}|the .{0,30}team)\s*,?!?\s*$/;
/** What comes before a colon where the text of somebody else, or a text to work on, comes after it. */
const INTRODUCES = new RegExp(
  String.raw`\b(?:${[
    'on lit|on y lit|dit|disait|disent|ecrit|ecrivait|repond|repondu|raconte|crie|chante|declare|demande|explique|annonce|affirme|message|sms|texto|mail|courriel|lettre|email|post|tweet|commentaire|legende|citation|cite|refrain|paroles|poeme|dialogue|extrait|passage|texte|phrase|phrases|enonce|exercice|paragraphe|traduis|traduire|traduction|traduit|corrige|corriger|correction|reformule|reformuler|resume|resumer|analyse|relis|reecris|complete|conjugue|exemple|suivant|suivante|suivants|suivantes|ci dessous|annonce|cv|article|recu|proverbe|devinette|blague|personnage|script|scenario|log|logs|erreur|sortie|fichier|compte rendu|transcription|accroche|slogan',
    'say|says|said|saying|wrote|writes|reads|replied|replies|answered|asked|asks|told me|tells|shouts|sings|sang|quote|quoted|message|text|texted|letter|tweet|comment|caption|lyrics|chorus|lines|poem|dialogue|dialog|excerpt|passage|sentence|sentences|paragraph|exercise|question|translate|translation|correct|fix|proofread|rephrase|rewrite|summarise|summarize|summary|analyse|analyze|parse|complete|example|following|below|advert|ad|listing|resume|got this|received this|found this|output|log|error|transcript|minutes|prompt|story|joke|riddle|proverb|motto|character|headline|template|draft|review',
    'notes|pluriel|singulier|futur|imparfait|passe compose|plural|french for|english for|the french|the english|en anglais|en francais|in french|in english|in spanish|this|these|ceci|cela|celui ci|ce qui suit|worksheet|bullets|horoscope|necrologie|obituary|discours|speech|faire part|birth announcement|etude de cas|case study|cas pratique|constat|etiquette|label|punctuation|ponctuation|mets au passe|in italian|en italien|en espagnol|linkedin|for rent|for sale|a louer|a vendre',
  ].join('|')})\b`,
);
/** Where the user asks that it be remembered, what comes after the colon is theirs. */
const ASKS =
  /\b(?:retenir|retiens|noter|note que|notez|memorise|souviens|rappelle|remember|keep|safe|record|records|note this|note that|save|store|forget|oublie pas|put this down|write this down|jot)\b/;
/** « — Bonjour, j’ai réservé. »: a line of a talk, as novels and plays set it. */
const SPOKEN_LINE = /^\s*[–—]\s?\p{Lu}/u;
/** "A. An accountant inherits a circus.": one of several to choose from. */
const LETTERED_LINE = /^\s*\(?[A-Fa-f][.)]\s+\S/;
/** "a) I've lived here since 2010 b) I lived here in 2010": several to choose from, in one line. */
const LETTERED = /(?<![\p{L}\p{N}])\(?a\)\s?(?=\S.{0,400}?\sb\)\s?\S)/iu;
/** "GRAHAM (dropping his bags).", "ISMENE:": who speaks in a play, in capitals, at the beginning of a line or a sentence. */
const SPEAKER =
  /(?<=^|\n\s{0,4}|[.!?…:]\s{1,2})(\p{Lu}{3,}(?:[ -]\p{Lu}{2,}){0,2})(?: \([^()\n]{2,80}\)\s?(?=[.:–—-])|\s?:(?=\s))/gu;
const FORM_WORDS = /\b(?:je|j|mon|ma|mes|nous|notre|nos|i|my|we|our|i'm|me|moi)\b/;

/**
 * The same text, of the same length, with everything masked that is not the user's own words: quotations, quoted lines, code, logs,
 * mails, tables, lists and forms of a document, what follows a colon that introduces somebody's words or a text to work on, and
 * pasted texts. Runs in time linear in the length of the message.
 */
export function ownWords(message: string): string {
  if (message.length <= TYPED_MESSAGE) return maskAll(message);
  const first = message.indexOf('\n\n');
  const last = message.lastIndexOf('\n\n');
  const start = first === -1 || first > TYPED_LINE ? 0 : first;
  const end = last <= start || message.length - last > TYPED_LINE ? message.length : last;
  const before = maskAll(message.slice(0, start));
  // What is pasted from the first paragraph on, goes on to the end.
  const isOpen = before.endsWith(FOREIGN);
  const after = isOpen ? FOREIGN.repeat(message.length - end) : maskAll(message.slice(end));
  return before + FOREIGN.repeat(end - start) + after;
}

function maskAll(message: string): string {
  const mask = new Mask(message);
  const lines = readLines(message);
  maskBlocks(lines, mask);
  maskLetters(lines, mask);
  maskRuns(lines, mask);
  maskParts(lines, message, mask);
  maskRequest(lines, mask);
  maskAfterColons(lines, message, mask);
  maskQuotations(message, mask);
  return mask.apply(message);
}

class Mask {
  readonly #spans: [number, number][] = [];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
  }

  add(start: number, end = this.#length): void {
    if (end > start) this.#spans.push([start, end]);
  }

  apply(text: string): string {
    const parts: string[] = [];
    let at = 0;
    for (const [start, end] of this.#spans.sort((one, other) => one[0] - other[0])) {
      if (end <= at) continue;
      const from = Math.max(start, at);
      parts.push(text.slice(at, from), text.slice(from, end).replace(/[^\n]/g, FOREIGN));
      at = end;
    }
    parts.push(text.slice(at));
    return parts.join('');
  }
}

function readLines(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const read = { start, end: start + line.length, text: line };
    start += line.length + 1;
    return read;
  });
}

const head = (line: Line) => fold(line.text.slice(0, 160)).replace(/[’ʼ]/g, "'");

function maskBlocks(lines: readonly Line[], mask: Mask): void {
  let fence: number | null = null;
  for (const line of lines) {
    if (/^\s*(?:```|~~~)/.test(line.text)) {
      if (fence === null) fence = line.start;
      else {
        mask.add(fence, line.end);
        fence = null;
      }
      continue;
    }
    if (fence !== null) continue;
    const isForeign = [QUOTED_LINE, TABLE_LINE, HEADING_LINE, LOG_LINE, CODE_LINE, FORM_LINE].some(
      (pattern) => pattern.test(line.text.slice(0, TYPED_LINE)),
    );
    if (isForeign) mask.add(line.start, line.end);
    if (FORWARDED.test(head(line))) mask.add(line.start);
  }
  if (fence !== null) mask.add(fence);
}

/** « De : Sophie. Objet : congés. Je serai… »: the headers of a mail in one line. */
const INLINE_MAIL = /(?:^|[\s.])(?:from|de|to|a)\s?: ?.{1,60}?\b(?:subject|objet|object)\s?:/;

/** Mails with their headers, and letters from their greeting to their signature. */
function maskLetters(lines: readonly Line[], mask: Mask): void {
  let greeting: number | null = null;
  let headers = 0;
  for (const [index, line] of lines.entries()) {
    const text = head(line);
    const inline = INLINE_MAIL.exec(text);
    if (inline) mask.add(line.start + inline.index);
    headers = MAIL_HEADER.test(text) ? headers + 1 : 0;
    if (headers === 1 && /^\s*(?:from|subject|de|objet|-)/.test(text)) mask.add(line.start);
    else if (headers === 2) mask.add((lines[index - 1] ?? line).start);
    if (FORMAL_GREETING.test(text)) mask.add(line.start);
    if (GREETING.test(text)) greeting ??= line.start;
    else if (index > 1 && SIGN_OFF.test(text)) mask.add(greeting ?? 0);
  }
}

/** What the people of a play or a talk say, and what there is to choose from: the lines of each, from two on. */
function maskParts(lines: readonly Line[], message: string, mask: Mask): void {
  for (const pattern of [SPOKEN_LINE, LETTERED_LINE]) {
    const some = lines.filter((line) => pattern.test(line.text.slice(0, 120)));
    if (some.length > 1) for (const line of some) mask.add(line.start, line.end);
  }
  const speakers = [...message.matchAll(SPEAKER)];
  const isNamedAgain = (name: string) => message.split(name).length > 2;
  for (const line of lines) {
    const lettered = LETTERED.exec(line.text.slice(0, TYPED_LINE));
    if (lettered) mask.add(line.start + lettered.index, line.end);
    const speaker = speakers.find(
      ({ 0: label, 1: name = '', index }) =>
        index >= line.start && index < line.end && (label.endsWith(')') || isNamedAgain(name)),
    );
    if (speaker) mask.add(speaker.index, line.end);
  }
}

/** Three items or forms in a row are a document's; so are two lines of a talk. */
function maskRuns(lines: readonly Line[], mask: Mask): void {
  for (const [pattern, least] of [
    [ITEM_LINE, 3],
    [FIELD_LINE, 3],
  ] as const) {
    let run: Line[] = [];
    for (const line of [...lines, null]) {
      if (line && pattern.test(line.text.slice(0, 120))) {
        run.push(line);
        continue;
      }
      if (line?.text.trim() === '') continue;
      const first = run[0];
      const last = run.at(-1);
      if (run.length >= least && first && last) mask.add(first.start, last.end);
      run = [];
    }
  }
}

/** Asking about a text that follows on other lines. */
const ABOUT_TEXT =
  /\b(?:envoyee?s? (?:ca|ceci)|recu ca|ecrit ca|sent (?:me )?this|wrote this|got this|received this|found this|help me (?:answer|reply|with this)|(?:ce|cet|cette|ces|this|these|the following|le|un) (?:e ?mails?|mails?|texte|message|cv|post|paragraphe|lettre|annonce|bio|phrase|extrait|article|email|text|letter|advert|ad|paragraph|excerpt|resume|poem|poeme|compte rendu|sms|enonce|exercice|exercise)|(?:son|leur|his|her|their) (?:e ?mail|mail|message|texte|cv|lettre|annonce|letter|text|post|ad))\b/;

/** The lines behind a first one that speaks of a text are that text. */
function maskRequest(lines: readonly Line[], mask: Mask): void {
  const index = lines.findIndex((line) => line.text.trim() !== '');
  const first = lines[index];
  const next = lines[index + 1];
  if (first && next && !ASKS.test(head(first)) && ABOUT_TEXT.test(head(first))) mask.add(next.start);
}

function maskAfterColons(lines: readonly Line[], message: string, mask: Mask): void {
  for (const line of lines) {
    const colon = /:(?=\s|["«“'‘]|$)/.exec(line.text.slice(0, TYPED_LINE));
    if (!colon) continue;
    const before = fold(line.text.slice(Math.max(0, colon.index - 200), colon.index)).replace(/[-’'ʼ]/g, ' ');
    const clause = before.slice(Math.max(before.lastIndexOf('. '), before.lastIndexOf('! ')) + 1);
    if (!INTRODUCES.test(clause) || ASKS.test(clause)) continue;
    const paragraph = message.indexOf('\n\n', line.start + colon.index + 3);
    const isAtLineEnd = line.text.slice(colon.index + 1).trim() === '';
    const isTask =
      /\b(?:tradui|corrig|transl|correct|resum|summar|proofread|analy|texte?\b|following|suivant|below|ci dessous|this)/.test(
        clause,
      );
    mask.add(
      line.start + colon.index + 1,
      isTask || isAtLineEnd || paragraph === -1 ? message.length : paragraph,
    );
  }
}

/** Pairs of quotation marks. Straight single quotes count only where no letter touches them from outside. */
const QUOTATION =
  /«([^«»]{1,3000})(?:»|$)|“([^“”]{1,3000})(?:”|$)|"([^"\n]{1,1500})"|(?<![\p{L}\p{N}])['‘]([^'‘’\n]{1,300}(?:['’][\p{L}][^'‘’\n]{0,300}){0,8})['’](?![\p{L}\p{N}])|(?<!`)`([^`\n]{1,500})`/gu;

function maskQuotations(message: string, mask: Mask): void {
  for (const match of message.matchAll(QUOTATION)) {
    const inner = (match[1] ?? match[2] ?? match[3] ?? match[4] ?? match[5] ?? '').trim();
    const folded = fold(inner).replace(/[’']/g, ' ');
    // A word or a title between marks is named, not said: « Hortus », "The Wire", `foo`.
    const isName =
      inner.split(/\s+/).length <= 4 &&
      !FORM_WORDS.test(folded) &&
      (!/[.!?;=(){}]/.test(inner) || /^(?:\p{Lu}\. ?){1,4}$/u.test(inner));
    const sentence =
      message
        .slice(Math.max(0, match.index - 200), match.index)
        .split(/[.!?\n]/)
        .at(-1) ?? '';
    // Where its author asks that a sentence be remembered, its quotations are theirs too.
    if (!isName && !asksThat(foldedWords(sentence))) mask.add(match.index, match.index + match[0].length);
  }
}
