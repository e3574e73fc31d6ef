import type { FactKind } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { sha256 } from '../../support/ids.ts';
import { lineText, type NoteFile, type NoteLine } from './readLines.ts';

/** A fact in use. */
export interface KnownFact {
  id: FactId;
  kind: FactKind;
  /** Its content in the form of `lineText`. */
  text: string;
  /** The wording of the note that the user has still to choose or drop. */
  conflict: string | null;
}

export interface Sides {
  facts: ReadonlyMap<FactId, KnownFact>;
  /** `hashOf` the lines as they stood when note and facts last agreed, by the id of the fact, or `conflictKey` of it. */
  agreed: ReadonlyMap<string, string>;
  /** The fact that a mark in the note stands for, whether there is one or not. */
  idOf(mark: string): FactId;
  /** Everything that a fact, in whatever state, says and said; undefined if there is no such fact. */
  wordingsOf(id: FactId): readonly string[] | undefined;
  isForgotten(text: string): boolean;
}

export interface NewLine {
  line: NoteLine;
  text: string;
  kind: FactKind;
  /** Of a fact that is not known here, as after a restore; null for a new one. */
  id: FactId | null;
}

/** What the note changes of the facts, and what is to become of its lines. */
export interface Reconciled {
  /** Changed in the note alone. */
  edited: { id: FactId; text: string }[];
  /** Changed in the note, and here too. */
  conflicts: { id: FactId; text: string }[];
  /** The user took the conflict's line out of the note. */
  settled: FactId[];
  added: NewLine[];
  /** The user took these lines out of the note. */
  removed: FactId[];
  /** So many are gone that the user is asked first. */
  asked: FactId[];
  /** Lines that may be what a cut left of these; they stay until the user has answered. */
  rests: NoteLine[];
  refused: { line: NoteLine; reason: 'too-long' | 'control-characters' | 'too-many' }[];
  /** The line of each fact that stands in the note. */
  lines: Map<FactId, NoteLine>;
  /** Facts whose line cannot be taken over: both stay as they are. */
  held: Set<FactId>;
  /** Lines that go: facts that are out of use, repetitions, lines of conflicts. */
  dropped: NoteLine[];
}

/** The most that a fact may say (`facts.add`). */
const MOST_CHARACTERS = 2_000;
/** A person writes a few lines between two looks at the note; a program or a paste writes thousands. */
const MOST_NEW = 500;
/** More than so many lines gone at once, or than this share of several, may be a file that was cut, or half of a sync. */
const GONE_UNASKED = 5;
const SHARE_UNASKED = 1 / 5;

/** Control characters, and those that turn the direction of text. */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

export const hashOf = (text: string): string => sha256(text);
const CONFLICT = 'conflict:';
export const conflictKey = (id: FactId): string => CONFLICT + id;
export const isConflictKey = (key: string): boolean => key.startsWith(CONFLICT);

/**
 * Compares three states: the note, the facts, and what both said when they last agreed. Pure.
 *
 * What only one side changed is taken over by the other. What both changed is a conflict, of which both wordings are kept. A line that
 * the user took out removes its fact, unless the fact was changed meanwhile. So no wording is lost, whatever the order of changes.
 * @param note null if the file is gone or empty: then every line that it had is gone
 */
export function reconcile(note: NoteFile | null, sides: Sides): Reconciled {
  return new Reconciliation(sides).run(note);
}

class Reconciliation {
  readonly #sides: Sides;
  /** Lines with a mark that say something else than its fact. */
  readonly #more: NoteLine[] = [];
  readonly #is: Reconciled = {
    edited: [],
    conflicts: [],
    settled: [],
    added: [],
    removed: [],
    asked: [],
    rests: [],
    refused: [],
    lines: new Map(),
    held: new Set(),
    dropped: [],
  };

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  run(note: NoteFile | null): Reconciled {
    const of = (is: NoteLine['is']) => (note?.facts ?? []).filter((line) => line.is === is);
    const marked = Map.groupBy(of('fact'), ({ mark }) => this.#sides.idOf(mark));
    for (const [id, lines] of marked) this.#readMarked(id, lines);
    this.#readConflicts(of('conflict'));
    this.#readNew([...of('new'), ...this.#more]);
    this.#boundNew();
    if (note) this.#findSettled(of('conflict'));
    this.#findGone(note === null);
    return this.#is;
  }

  #readMarked(id: FactId, all: readonly NoteLine[]): void {
    const said = all.filter((line) => this.#isReadable(line, id));
    const fact = this.#sides.facts.get(id);
    const agreed = this.#sides.agreed.get(id);
    if (!fact) {
      for (const line of said) this.#readDeparted(line, id, agreed);
      return;
    }
    // Of several lines with one mark, as after a copy, the one that says what was there is the fact's.
    const own =
      said.find(({ text }) => text === fact.text || hashOf(text) === agreed) ??
      said.find(({ text }) => text !== '');
    for (const line of said) if (line !== own) this.#readCopy(line, own?.text ?? '', fact);
    if (!own) return;
    this.#is.lines.set(id, own);
    if (own.text === fact.text || hashOf(own.text) === agreed) return;
    const isChangedHere = agreed === undefined || hashOf(fact.text) !== agreed;
    (isChangedHere ? this.#is.conflicts : this.#is.edited).push({ id, text: own.text });
  }

  /** Can the line be taken for what it says? Otherwise it stays as it is, and its fact too. */
  #isReadable(line: NoteLine, id: FactId | null): boolean {
    const isLong = line.text.length > MOST_CHARACTERS;
    if (!isLong && !CONTROL.test(line.text)) return true;
    const fact = id === null ? undefined : this.#sides.facts.get(id);
    if (fact?.text === line.text) return true;
    this.#is.refused.push({ line, reason: isLong ? 'too-long' : 'control-characters' });
    if (fact && id !== null) this.#is.held.add(id);
    return false;
  }

  #readCopy(line: NoteLine, text: string, fact: KnownFact): void {
    if (line.text === '' || line.text === text || line.text === fact.text) this.#is.dropped.push(line);
    else this.#more.push(line);
  }

  /** A line of a fact that is out of use, erased, or of another computer. */
  #readDeparted(line: NoteLine, id: FactId, agreed: string | undefined): void {
    const { wordingsOf, isForgotten } = this.#sides;
    const { text } = line;
    const wordings = wordingsOf(id);
    const isOld = hashOf(text) === agreed || wordings?.some((one) => lineText(one) === text);
    if (text === '' || isOld || isForgotten(text)) this.#is.dropped.push(line);
    else if (wordings === undefined && agreed === undefined) this.#add(line, id);
    else this.#more.push(line);
  }

  #readConflicts(lines: readonly NoteLine[]): void {
    const { facts, idOf, wordingsOf, agreed, isForgotten } = this.#sides;
    for (const line of lines) {
      const id = idOf(line.mark);
      const { text } = line;
      if (!this.#isReadable(line, null)) continue;
      const isOld =
        text === '' ||
        text === facts.get(id)?.conflict ||
        agreed.get(conflictKey(id)) === hashOf(text) ||
        wordingsOf(id)?.some((one) => lineText(one) === text) ||
        isForgotten(text);
      if (!isOld && !facts.has(id)) {
        this.#more.push({ ...line, lead: '- ' });
        continue;
      }
      // It is written again under the line of its fact.
      this.#is.dropped.push(line);
      if (!isOld) this.#is.conflicts.push({ id, text });
    }
  }

  #readNew(lines: readonly NoteLine[]): void {
    const byText = Map.groupBy(this.#sides.facts.values(), ({ text }) => text);
    const fresh = new Set<string>();
    for (const line of lines) {
      if (!this.#isReadable(line, null)) continue;
      const same = byText.get(line.text) ?? [];
      // A line that lost its mark, or did not get it yet because the program was stopped.
      const without = same.find(({ id }) => !this.#is.lines.has(id) && !this.#is.held.has(id));
      if (without) this.#is.lines.set(without.id, line);
      else if (same.length > 0 || fresh.has(line.text)) this.#is.dropped.push(line);
      else this.#add(line, null);
      fresh.add(line.text);
    }
  }

  #add(line: NoteLine, id: FactId | null): void {
    // Who may write in the vault must not be able to say who the user is: that is given to every question.
    const kind = line.kind === null || line.kind === 'identity' ? 'fact' : line.kind;
    this.#is.added.push({ line, text: line.text, kind, id });
  }

  #boundNew(): void {
    if (this.#is.added.length <= MOST_NEW) return;
    for (const { line } of this.#is.added.splice(0)) this.#is.refused.push({ line, reason: 'too-many' });
  }

  /** Conflicts whose line was in the note and is no longer. */
  #findSettled(lines: readonly NoteLine[]): void {
    const { facts, agreed, idOf } = this.#sides;
    const there = new Set(lines.map(({ mark }) => idOf(mark)));
    for (const { id, conflict } of facts.values())
      if (conflict !== null && agreed.has(conflictKey(id)) && !there.has(id) && this.#is.lines.has(id))
        this.#is.settled.push(id);
  }

  #ask(gone: readonly FactId[]): void {
    const texts = gone.map((id) => this.#sides.facts.get(id)?.text ?? '');
    const isRest = ({ text }: NewLine) => texts.some((whole) => whole.startsWith(text));
    this.#is.asked = [...gone];
    this.#is.rests = this.#is.added.filter(isRest).map(({ line }) => line);
    this.#is.added = this.#is.added.filter((one) => !isRest(one));
  }

  #findGone(isWhole: boolean): void {
    const { facts, agreed } = this.#sides;
    const known = [...facts.values()].filter(({ id }) => agreed.has(id));
    const gone = known
      .filter(({ id }) => !this.#is.lines.has(id) && !this.#is.held.has(id))
      // A fact that was changed here since is not what the user took out.
      .filter(({ id, text }) => agreed.get(id) === hashOf(text))
      .map(({ id }) => id);
    const isMuch = gone.length > 1 && gone.length > known.length * SHARE_UNASKED;
    if (gone.length > GONE_UNASKED || isMuch || isWhole) this.#ask(gone);
    else this.#is.removed = gone;
  }
}
