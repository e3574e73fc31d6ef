import { detectLanguage } from '../../support/text/language.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { lettersOf } from '../../support/text/tokenise.ts';
import { readAlias } from './aliases.ts';
import { type Behind, behindOf } from './behind.ts';
import { type Weigh, weigh } from './clauseNets.ts';
import { type Clause, splitClauses } from './clauses.ts';
import { goesOn, type Kept, pointsBack, subjectWords, takesAlong } from './continuation.ts';
import { evidenceOf } from './evidence.ts';
import { leadingSubject } from './leadingSubject.ts';
import { isNameWord } from './names.ts';
import { readOpening } from './openers.ts';
import { isOtherVoice } from './otherVoices.ts';
import { ownWords } from './ownWords.ts';
import { peopleIn } from './people.ts';
import type { Frame } from './pretence.ts';
import { firstQuestion, withoutQuestion } from './questions.ts';
import { isKnownPerson, readCertain } from './readClause.ts';
import { readGeneral } from './readGeneral.ts';
import type { Context, Reading } from './reading.ts';
import { readSentences, type Sentence } from './sentences.ts';
import { settingOf } from './settings.ts';
import { joinMeanings, meaningOf, type Shown, wordingOf } from './shown.ts';
import {
  hasTextHere,
  isCondition,
  isFiction,
  isHedge,
  isIrony,
  isJest,
  isLetter,
  isPlayed,
  isQuestionLike,
  isRiddle,
  isTextTask,
  isUnasserted,
  opensRolePlay,
  ordersOfText,
} from './stance.ts';
import type { Mention } from './statement.ts';
import { isCase, isStranger } from './strangers.ts';
import type { Subject } from './subjects.ts';
import type { Found } from './toStatement.ts';
import { asWritten, FOREIGN, plainText, readWords, type Word } from './words.ts';

/** A clause that was weighed: where it stands, what it shows, and what that counts. */
export interface Weighed {
  start: number;
  end: number;
  shown: Shown;
  weight: number;
}

/**
 * Reads one message: sentence by sentence, clause by clause, with what the clauses before have told. One long class, since nearly each step
 * reads and changes what the next clause is read with.
 */
export class MessageReader {
  /** Every clause that its author asserts, kept or not. */
  readonly weighed: Weighed[] = [];
  /** Where clauses stand that tell of strangers, by name or by what they do. */
  readonly ofStrangers: { start: number; end: number }[] = [];
  readonly #text: string;
  readonly #plain: string;
  readonly #isKnownName: (name: string) => boolean;
  readonly #found: Found[] = [];
  readonly #isPersonal: boolean;
  readonly #setting: readonly string[];
  /** The message asks something. */
  readonly #asks: boolean;
  #people: Mention[] = [];
  /** Known people whose names stand anywhere, for pronouns that nobody else can be meant by. */
  readonly #named: Mention[] = [];
  /** How the last person who was a subject was called. */
  #kin: string | null = null;
  #isStory: boolean;
  /** Earlier messages began a game: only what is asked to be remembered is the user's own. */
  readonly #isGame: boolean;
  #isFirst = true;
  /** At most a greeting was read. */
  #isBeginning = true;
  /** A label asked that what comes after it be remembered. */
  #isAsking = false;
  /** The clause before, where a clause without subject or a cause may go on. */
  #last: Kept | null = null;
  /** The subject before, for a clause that has none of its own. */
  #subject: Subject | null = null;
  /** The words before, where a clause may point back to them. */
  #before: Word[] = [];
  /** The person spoken of last is none of the user's. */
  #isOfStranger = false;
  /** What stands behind the sentence. */
  #behind: Behind = { next: 'none', isChanged: false };
  /** The clause before, too little to be kept alone: what goes on with it takes it along. */
  #waiting: Word[] | null = null;

  /** From how much evidence on a clause is kept. */
  readonly #least: number;
  readonly #weigh: Weigh;
  readonly #meaning: Float32Array;

  /**
   * @param frame what the user's earlier messages leave open
   * @param least from how much evidence on a clause is kept
   * @param weigh what the evidence of a clause counts
   */
  constructor(
    message: string,
    isKnownName: (name: string) => boolean,
    {
      frame = null,
      least = 0,
      weigh: by = weigh,
    }: { frame?: Frame; least?: number; weigh?: Weigh | undefined } = {},
  ) {
    this.#least = least;
    this.#weigh = by;
    this.#meaning = meaningOf(message.slice(0, LONGEST));
    this.#text = ownWords(message);
    this.#isKnownName = isKnownName;
    this.#plain = lettersOf(this.#text.slice(0, LONGEST));
    this.#isStory = frame === 'story' || isRiddle(this.#plain);
    this.#isGame = frame === 'play';
    this.#asks = this.#text.includes('?');
    this.#isPersonal = FIRST_PERSON.test(this.#plain);
    this.#setting = settingOf(message);
  }

  read(): Found[] {
    if (isPlayed(this.#plain)) return [];
    const text = this.#text;
    const language = detectLanguage(text.slice(0, LONGEST), 'fr');
    const sentences = readSentences(text);
    const plains = sentences.map((one) => plainText(readWords(text, one, language)).text);
    const isOfOthers =
      this.#isGame || isLetter(plains) || isOtherVoice(plains) || plains.slice(1).some(ordersOfText);
    for (const [index, sentence] of sentences.entries()) {
      this.#behind = behindOf(sentences[index + 1], plains.slice(index + 1));
      const own = detectLanguage(text.slice(sentence.start, sentence.end), language);
      const words = this.#withKnownNames(readWords(text, sentence, own));
      const plain = plainText(words).text;
      const { isAsked } = readOpening(words);
      if (opensRolePlay(plain) || (hasTextHere(plain) && !isAsked)) break;
      this.#last = null;
      this.#subject = null;
      this.#before = [];
      this.#waiting = null;
      if (isIrony(plain) || (isOfOthers && !isAsked)) continue;
      if (isFiction(plain) && !isAsked) this.#isStory = true;
      else this.#readSentence(words, sentence);
      this.#isFirst = false;
    }
    return this.#found;
  }

  /** Names that are known stand for people also where they are typed in lower case. */
  #withKnownNames(words: readonly Word[]): Word[] {
    const read = words.map((word) =>
      !word.isCapital &&
      /^\p{L}{3,}$/u.test(word.plain) &&
      !functionWords.has(word.plain) &&
      this.#isKnownName(word.plain)
        ? { ...word, isCapital: true }
        : word,
    );
    for (const [index, word] of read.entries()) {
      if (!isNameWord(word) || !this.#isKnownName(word.plain)) continue;
      const name = asWritten(this.#text, read.slice(index, index + 1));
      this.#named.push({ entity: 'person', name, kinship: null });
    }
    return read;
  }

  #readSentence(words: readonly Word[], sentence: Sentence): void {
    const opening = readOpening(words);
    if (opening.isForgetting) return;
    const isAsking = sentence.isQuestion && !opening.isPoliteQuestion;
    const stated = isAsking ? withoutQuestion(opening.words) : opening.words;
    const clauses = splitClauses(stated, this.#text, sentence.isQuestion);
    const end = isAsking ? firstQuestion(clauses, opening.words) : clauses.length;
    if (clauses.some(({ words: some }) => isHedge(plainText(some).text))) return;
    let isAsked = opening.isAsked || this.#isAsking;
    let isHeld = false;
    for (const [index, clause] of clauses.slice(0, end).entries()) {
      const inner = readOpening(clause.words);
      if (inner.isForgetting) break;
      if (inner.isAsked) isAsked = true;
      else if (clause.link !== 'that' && index > 0 && !opening.isAsked) isAsked = false;
      if (clause.link === 'but') isHeld = false;
      const said = plainText(inner.words).text;
      if (said === '') continue;
      if (isTextTask(said) && !isAsked) break;
      if (asksAbove(said) && clauses[index + 1]?.isColon) {
        isAsked = true;
        this.#isAsking = true;
        continue;
      }
      const isUnsaid =
        said.includes(FOREIGN) ||
        (isAsked || readAlias(inner.words, this.#text) ? isQuestionLike : isUnasserted)(inner.words, said);
      // What hangs on a condition, a doubt or a question shares its fate.
      if (isUnsaid || isHeld) {
        // « Un client me demande si… Il a quitté les lieux. »: who is asked about is spoken of further.
        this.#isOfStranger ||= this.#asks && isCase(inner.words);
        isHeld ||= isCondition(said) || isJest(said) || (isUnsaid && clauses[index + 1]?.link === 'that');
        this.#last = null;
        this.#before = [];
        this.#waiting = null;
        this.#isFirst = false;
        continue;
      }
      const next = clauses[index + 1];
      const isAnnouncement =
        clause.isLabel &&
        next?.isColon === true &&
        !isAsked &&
        !/^(?:il|elle|ils|elles|he|she|they|it|c)$/.test(next.words[0]?.plain ?? '');
      this.#readClause(clause, inner.words, { sentence, isAsked, isAnnouncement });
    }
  }

  #readClause(
    clause: Clause,
    words: Word[],
    at: { sentence: Sentence; isAsked: boolean; isAnnouncement: boolean },
  ): void {
    const text = this.#text;
    const shared = clause.isShared ? this.#subject : null;
    if (clause.isShared && !shared) return;
    const own = shared ? null : leadingSubject(words, text);
    const named = peopleIn(words, text);
    const context = this.#context(own, named);
    const subject = shared ? { ...shared, next: 0 } : own;
    const met = {
      words,
      subject,
      isKnown: this.#isKnown(subject, context),
      isPersonal: this.#isPersonal,
      isStory: this.#isStory,
      asks: this.#asks,
      isFirst: this.#isFirst,
      followsKept: this.#last !== null,
    };
    const stranger = isStranger(met);
    if (stranger === 'story') this.#isStory = true;
    const place = { start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 };
    const isTheirs = this.#isOfStranger && subject?.type === 'pronoun' && this.#people.length === 0;
    if ((stranger || isTheirs) && !at.isAsked && !readAlias(words, text)) {
      this.#isOfStranger = isTheirs || stranger === 'case' || subject?.type === 'person';
      if (isTheirs || subject?.type !== 'pronoun') this.ofStrangers.push(place);
      this.#waiting = null;
      return;
    }
    const certain = readCertain(words, subject, context);
    const evidence = evidenceOf({
      ...met,
      reading: certain,
      link: clause.link,
      isColon: clause.isColon,
      isJoined: clause.isJoined,
      isAsked: at.isAsked,
      isQuestion: at.sentence.isQuestion,
      isExclaimed: text[at.sentence.end] === '!',
      message: this.#plain,
      behind: this.#behind,
      setting: this.#setting,
    });
    if (words.length > GREETING) this.#isBeginning = false;
    const shown = {
      evidence: [...evidence, ...wordingOf(words)],
      meaning: joinMeanings(meaningOf(asWritten(text, words)), this.#meaning),
    };
    const weight = this.#weigh(shown);
    this.weighed.push({ ...place, shown, weight });
    // What only says what comes is none of it, unless what comes goes on with it.
    if (at.isAnnouncement) return;
    const isKept =
      weight >= this.#least ||
      (certain?.alias != null && !this.#isStory) ||
      (ADDRESS.test(asWritten(text, words)) && !this.#isStory) ||
      (at.isAsked && saysSomething(words));
    const waiting = this.#waiting;
    this.#waiting = !isKept && weight >= -LEEWAY && !this.#isStory ? [...words] : null;
    const isTail =
      !isKept &&
      this.#last !== null &&
      !clause.isJoined &&
      clause.link === 'and' &&
      weight >= -LEEWAY &&
      !evidence.some((name) => /^(?:wish|need|question word)$/.test(name));
    const general = () => readGeneral(words, subject, { classes: new Set(evidence), context });
    const reading = isKept || isTail ? (certain ?? general()) : null;
    this.#isFirst = false;
    this.#meet(own, named, { words, reading });
    this.#place({ words, reading, isAsked: at.isAsked, isTail }, { clause, own, shared, waiting });
  }

  #context(own: Subject | null, named: readonly Mention[]): Context {
    const known = this.#people.length > 0 ? [...this.#people] : [...this.#named];
    const people = own?.type === 'person' ? [...known, ...own.people] : [...known, ...named];
    return {
      text: this.#text,
      people: own?.type === 'person' || known.length === 0 ? people : known,
      known,
      kin: this.#kin,
      isKnownName: this.#isKnownName,
      isBeginning: this.#isBeginning,
    };
  }

  #isKnown(subject: Subject | null, context: Context): boolean {
    if (subject?.type === 'person') return isKnownPerson(subject.people, context);
    return subject?.type === 'pronoun' && context.people.length > 0;
  }

  /** Remembers who was named, for the clauses that follow. */
  #meet(
    own: Subject | null,
    named: readonly Mention[],
    { words, reading }: { words: readonly Word[]; reading: Reading | null },
  ): void {
    if (own?.type === 'person') {
      this.#people.push(...own.people);
      if (own.people.length === 1) this.#kin = asWritten(this.#text, words.slice(0, own.next));
    }
    this.#people.push(...named, ...(reading?.about ?? []));
    if (own && own.type !== 'pronoun') this.#subject = own;
  }

  /** Makes a statement of a clause, or lets it go on with the one before. */
  #place(
    {
      words,
      reading,
      isAsked,
      isTail,
    }: { words: Word[]; reading: Reading | null; isAsked: boolean; isTail: boolean },
    {
      clause,
      own,
      shared,
      waiting,
    }: { clause: Clause; own: Subject | null; shared: Subject | null; waiting: Word[] | null },
  ): void {
    const last = this.#last;
    const before = this.#before;
    this.#before = [...words];
    if (last && !shared && goesOn({ clause, own, reading }, last)) {
      last.found.words.push(...words);
      if (reading?.states) last.found.reading = { ...reading, replaces: last.found.reading.replaces };
      return;
    }
    if (!reading || isTail) {
      this.#last = null;
      return;
    }
    const found: Found = { words: [...words], reading, isAsked };
    if (pointsBack(words) && before.length > 0 && clause.link !== 'none') {
      if (last) {
        last.found.words.push(...words);
        last.found.reading = { ...reading, replaces: last.found.reading.replaces };
        return;
      }
      found.words.unshift(...before);
    }
    if (waiting && !last && takesAlong({ clause, own, reading })) {
      found.words.unshift(...waiting);
      found.reading = { ...reading, replaces: null };
    }
    if (shared && last) found.words.unshift(...subjectWords(last.found.words, this.#text));
    this.#found.push(found);
    this.#last = { found, subject: own };
  }
}

/**
 * By so much evidence a clause may be too weak to be kept alone, and yet belong to the one beside it: of 0 to 3, from which on precision
 * and recall in cross-validation over the dialogues to tune on no longer rise.
 */
const LEEWAY = 2;
/** "Good morning Souvenir" has no more words. */
const GREETING = 3;
/** So many characters of a message tell what it is about. */
const LONGEST = 4_000;
const FIRST_PERSON =
  /(?:^| )(?:je|j|(?<!\d )m(?= \p{L}{1,12})|mon|ma|mes|me|moi|nous|notre|nos|i|my|our|we|us)(?= |$)/u;
/** Where somebody can be reached is worth keeping however it is said. */
const ADDRESS = /[^\s@]{1,64}@[^\s@]{1,64}\.\p{L}{2,}|(?:^|\s)\+?\d{2}(?:[ .]\d{2,4}){2,5}(?=\s|$)/u;

/** « à retenir : », "please keep this safe:", « je me présente : »: the label asks for what comes after it. */
const asksAbove = (plain: string) =>
  plain.split(' ').length <= 14 &&
  /(?:^| )(?:a retenir|a noter|retiens|memorise|remember|keep (?:this|it|that)|put this|write this|note this|safe|pour memoire|for the record|me presente|introduce myself)(?= |$)/.test(
    plain,
  );

/** A request needs more than a word or two to be worth keeping. */
const saysSomething = (words: readonly Word[]) =>
  words.length > 2 || words.some(({ plain }) => /\d/.test(plain));
