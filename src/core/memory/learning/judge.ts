import type { Anchor } from '../../storage/factAnchors.ts';
import type { Suggested } from '../../storage/facts.ts';
import type { Particularity } from '../../support/text/particulars.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import type { Memory } from './memories.ts';
import { holds, particularsOf, termsIn } from './particulars.ts';
import { concernsUser, findSupport, isStatement, type Said, type Support } from './support.ts';
import type { ReadPassage, TaughtTurn } from './turn.ts';

/** What a proposed memory may become. */
export type Verdict =
  /** The user's own words say it. */
  | { as: 'own'; support: Support }
  /** It comes from elsewhere, or the user did not quite say it, or they said it of the world or of strangers. */
  | { as: 'suggested'; memory: Memory; suggested: Suggested }
  /** The model made it up: a name, a number or most of it comes neither from the user nor from notes or memory. */
  | { as: 'invented' }
  /** An order, a greeting or the like. */
  | { as: 'no-statement' }
  /** The user says it, and it is not worth keeping. */
  | { as: 'small-talk' };

export interface JudgePorts {
  particularity: Particularity;
  isKin(name: string, kinship: string): boolean;
  /** Are facts known of somebody of that name? */
  knowsName(name: string): boolean;
  /** Are facts in use about a subject? */
  knowsSubject(subject: string): boolean;
  /** The block of a passage that comes closest to a text. */
  anchorOf(passage: ReadPassage, content: string): Anchor;
}

/**
 * What the user says may weigh so much less to the rules than what these keep by themselves, in log-odds, if a model proposes it: as much
 * as their caution, so that what is more likely right than not is enough (`test/eval/facts/fit.ts`).
 */
const LEAST_WEIGHT = -0.4;
/** Retrieval gives from here on whatever is asked, so that what the user has not confirmed must stay below. */
const MOST_SUGGESTED_IMPORTANCE = 0.7;
/** The share of its particulars that must come from somewhere; what has less is an inference, or common knowledge. */
const LEAST_GIVEN = 0.5;

/** Judges what a model proposes to remember of a turn, by what the turn really says. */
export class Judge {
  readonly #turn: TaughtTurn;
  readonly #ports: JudgePorts;
  readonly #said: Said;
  readonly #own: ReadonlySet<string>;
  readonly #given: ReadonlySet<string>;

  /** @param known contents of facts that the model was shown */
  constructor(turn: TaughtTurn, known: readonly string[], { at, ...ports }: JudgePorts & { at: number }) {
    this.#turn = turn;
    this.#ports = ports;
    const messages = turn.messages.map(({ content }) => content);
    this.#said = { messages, before: turn.before, isKin: ports.isKin, knowsName: ports.knowsName, at };
    this.#own = termsIn(messages.join('\n'));
    const { before, reply, memories, passages } = turn;
    // What a reply says of its own accord is common knowledge, not the user's.
    const answered = reply && reply.madeFrom.length > 0 ? reply.content : '';
    const given = [...before, answered, ...memories, ...known, ...passages.map(({ text }) => text)];
    this.#given = new Set([...this.#own, ...termsIn(given.join('\n'))]);
  }

  judge(memory: Memory): Verdict {
    const { content } = memory;
    const support = findSupport(content, this.#said, this.#ports.particularity);
    if (support && !support.isAsked && support.weight < LEAST_WEIGHT) return { as: 'small-talk' };
    if (support && (support.isAsked || this.#concernsUser(memory))) return { as: 'own', support };
    if (!isStatement(content)) return { as: 'no-statement' };
    const particulars = particularsOf(content);
    const elsewhere = particulars.filter((one) => !holds(this.#given, one));
    const isInvented = elsewhere.some((one) => one.isName || one.isNumber);
    if (isInvented || elsewhere.length > particulars.length * (1 - LEAST_GIVEN)) return { as: 'invented' };
    if (particulars.length === 0) return { as: 'invented' };
    return this.#suggest(memory);
  }

  /**
   * As `judge`, of what a model asks to be remembered by itself: what the user's own words do not say, or say in passing, is theirs to
   * confirm.
   */
  judgeAsked(memory: Memory): Extract<Verdict, { as: 'own' | 'suggested' | 'no-statement' }> {
    const verdict = this.judge(memory);
    return verdict.as === 'invented' || verdict.as === 'small-talk' ? this.#suggest(memory) : verdict;
  }

  #suggest(memory: Memory): Extract<Verdict, { as: 'suggested' }> {
    const particulars = particularsOf(memory.content);
    const missing = particulars.filter((one) => !holds(this.#own, one));
    const passage = this.#turn.passages.find(({ text }) => {
      const terms = termsIn(text);
      return missing.every((one) => holds(terms, one));
    });
    return {
      as: 'suggested',
      memory: {
        ...memory,
        // Who the user is, and what matters most, is given to every turn.
        kind: memory.kind === 'identity' ? 'fact' : memory.kind,
        importance: Math.min(memory.importance, MOST_SUGGESTED_IMPORTANCE),
      },
      suggested: {
        // The share of it that stands in the user's messages; never what their own statement has.
        confidence: Math.min(0.9, (particulars.length - missing.length) / Math.max(1, particulars.length)),
        anchor: passage && missing.length > 0 ? this.#ports.anchorOf(passage, memory.content) : null,
      },
    };
  }

  #concernsUser({ content, subjects }: Memory): boolean {
    const { knowsName, knowsSubject } = this.#ports;
    const said = ` ${foldedWords(content)} `;
    return (
      concernsUser(content, knowsName) ||
      subjects.some((subject) => said.includes(` ${foldedWords(subject)} `) && knowsSubject(subject))
    );
  }
}
