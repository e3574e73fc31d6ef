import { describe, expect, it } from 'vitest';
import type { ChunkId, NoteId, TurnId } from '../../shared/ids.ts';
import type { Finding } from './findings.ts';
import {
  type Comparable,
  NOTHING_IN_PROMPT,
  type Selectable,
  type SelectionRules,
  select,
} from './select.ts';

const LONG = `${'Les tomates se plantent à la mi-mai, après les saints de glace. '.repeat(8)}${'On les taille en juillet, une fois par semaine. '.repeat(8)}`;

function candidate(
  id: string,
  score: number,
  more: Partial<Finding> & { kind?: 'note' | 'turn' | 'fact'; textKey?: string; current?: boolean } = {},
): Selectable {
  const { kind = 'note', textKey, current = true, ...finding } = more;
  const text = finding.text ?? `This is what ${id} says`;
  const span = finding.span ?? { start: 0, end: text.length };
  return {
    finding: {
      result: { id: id as ChunkId, kind, score, excerpt: text.slice(span.start, span.end), marks: [] },
      text,
      quotedHash: id,
      span,
      vector: null,
      always: null,
      expired: false,
      originTurn: null,
      namedBy: null,
      inFolder: null,
      beside: null,
      onlyAsks: false,
      outdatedBy: [],
      replaces: null,
      ...finding,
    },
    textKey: textKey ?? text,
    current,
  };
}

const rules: SelectionRules = {
  minScore: 0.5,
  maxResults: 2,
  maxInjected: 20,
  blockTokens: (findings) => findings.reduce((sum, { text }) => sum + text.length, 0),
  budget: 300,
  extraBudget: 150,
  inPrompt: NOTHING_IN_PROMPT,
  dedupThreshold: 0.85,
  similarity: (one: Comparable, other: Comparable) => (one.text.endsWith(`nearly ${other.text}`) ? 0.91 : 0),
};

const judge = (candidates: Selectable[], more: Partial<SelectionRules> = {}) =>
  select(candidates, { ...rules, ...more });
const verdicts = (candidates: Selectable[], more: Partial<SelectionRules> = {}) =>
  Object.fromEntries(judge(candidates, more).map(({ finding, verdict }) => [finding.result.id, verdict]));

describe('select', () => {
  it('gives every candidate its verdict, in the order of the rules', () => {
    const inPrompt = {
      stretches: new Map([['shown', [{ turn: 1, id: 'shown', span: { start: 0, end: 5 } }]]]),
      texts: [{ turn: 2, id: 'turn_2', text: 'what was said', vector: null }],
    };
    expect(
      verdicts(
        [
          candidate('best', 0.9),
          candidate('shown', 0.85, { kind: 'turn', text: 'shown' }),
          candidate('twin', 0.8, { text: 'This is what best says' }),
          candidate('near', 0.8, { text: 'nearly This is what best says' }),
          candidate('said', 0.8, { text: 'nearly what was said' }),
          candidate('pinned', 0.1, { always: 'pinned', text: 'pinned' }),
          candidate('echo', 0.8, { kind: 'turn', onlyAsks: true }),
          candidate('gone', 0.8, { current: false }),
          candidate('over', 0.8, { kind: 'fact', expired: true }),
          candidate('big', 0.75, { text: 'x'.repeat(400) }),
          candidate('second', 0.7),
          candidate('third', 0.6),
          candidate('low', 0.4),
        ],
        { inPrompt },
      ),
    ).toEqual({
      best: 'injected',
      shown: 'in-window',
      twin: 'similar',
      near: 'similar',
      said: 'similar',
      pinned: 'injected',
      echo: 'similar',
      gone: 'failed',
      over: 'expired',
      big: 'over-budget',
      second: 'injected',
      third: 'over-limit',
      low: 'below-minimum',
    });
  });

  it('gives two passages of one note, and more only where nothing else answers or the message names the note', () => {
    const of = (noteId: string, id: string, score: number, more: Partial<Finding> = {}) => {
      const made = candidate(id, score, more);
      return {
        ...made,
        finding: { ...made.finding, result: { ...made.finding.result, noteId: noteId as NoteId } },
      };
    };
    const atlas = [
      of('atlas', 'a1', 0.9),
      of('atlas', 'a2', 0.8),
      of('atlas', 'a3', 0.75),
      of('atlas', 'a4', 0.7),
    ];
    const limits = { maxResults: 3, budget: 1_000 };
    const [first, ...others] = judge([...atlas, of('garden', 'g1', 0.6)], limits);
    expect(first?.verdict).toBe('injected');
    expect(others.map(({ finding, verdict, reason }) => [finding.result.id, verdict, reason.code])).toEqual([
      ['a2', 'injected', 'relevant'],
      ['g1', 'injected', 'relevant'],
      ['a3', 'over-limit', 'note-limit'],
      ['a4', 'over-limit', 'note-limit'],
    ]);
    expect(verdicts([...atlas, of('garden', 'g1', 0.4)], limits)).toEqual({
      a1: 'injected',
      a2: 'injected',
      a3: 'injected',
      a4: 'over-limit',
      g1: 'below-minimum',
    });
    const named = [of('atlas', 'a1', 0.9, { always: 'named' }), ...atlas.slice(1), of('garden', 'g1', 0.6)];
    expect(verdicts(named, limits)).toMatchObject({ a3: 'injected', g1: 'over-limit' });
  });

  it('gives what does not answer a part of the budget: who the user is first, then what is pinned, important or tagged', () => {
    const long = (id: string) => ({ text: `${id} `.repeat(20) });
    const selections = judge(
      [
        candidate('answer', 0.9),
        candidate('tag', 0.4, { always: 'tagged', ...long('tag') }),
        candidate('fact', 0.3, { always: 'important', kind: 'fact', ...long('fact') }),
        candidate('answering', 0.6, { always: 'pinned', ...long('answering') }),
        candidate('pin', 0.2, { always: 'pinned', ...long('pin') }),
        candidate('me', 0.1, { always: 'identity', kind: 'fact', ...long('me') }),
      ],
      { budget: 1_000, extraBudget: 200 },
    );
    expect(
      selections.map(({ finding, verdict, reason }) => [finding.result.id, verdict, reason.code]),
    ).toEqual([
      ['answer', 'injected', 'relevant'],
      ['answering', 'injected', 'pinned'],
      ['me', 'injected', 'identity'],
      ['pin', 'injected', 'pinned'],
      ['fact', 'over-budget', 'over-share'],
      ['tag', 'over-budget', 'over-share'],
    ]);
    expect(selections.at(-1)?.reason.figures).toEqual({ tokens: 80, left: 60, budget: 200 });
  });

  it('lets the fact stand for the turn that taught it', () => {
    const fact = candidate('fact', 0.7, { kind: 'fact', originTurn: 'turn' as TurnId });
    expect(judge([candidate('turn', 0.9, { kind: 'turn' }), fact]).map(({ reason }) => reason.code)).toEqual([
      'taught-fact',
      'relevant',
    ]);
  });

  it('puts a turn that taught what is no longer true after the fact that is true instead, and after the turn that taught it', () => {
    const outdated = candidate('old', 0.9, { kind: 'turn', outdatedBy: ['fact', 'new'] });
    const fact = candidate('fact', 0.9, { kind: 'fact', replaces: { turn: 'old' as TurnId, ownScore: 0.2 } });
    const others = [candidate('other', 0.8), candidate('new', 0.6, { kind: 'turn' }), candidate('low', 0.4)];
    expect(
      judge([outdated, fact, ...others], { maxResults: 4 }).map(({ finding, reason }) => [
        finding.result.id,
        reason.code,
      ]),
    ).toEqual([
      ['fact', 'replaces'],
      ['other', 'relevant'],
      ['new', 'relevant'],
      ['old', 'outdated'],
      ['low', 'below-minimum'],
    ]);
    const [first] = judge([outdated, candidate('new', 0.3, { kind: 'turn' })]);
    expect(first?.finding.result.id).toBe('old');
  });

  const sentFirstHalf = {
    stretches: new Map([['long', [{ turn: 3, id: 'long', span: { start: 0, end: 500 } }]]]),
    texts: [],
  };

  it('gives another part of a passage of which one part is in the prompt', () => {
    const other = candidate('long', 0.9, { text: LONG, textKey: 'long', span: { start: 520, end: 800 } });
    expect(judge([other], { inPrompt: sentFirstHalf, budget: 5_000 })[0]?.verdict).toBe('injected');
  });

  it('holds back the part that is in the prompt, in another note of the same text too', () => {
    const same = candidate('long', 0.9, { text: LONG, textKey: 'long', span: { start: 0, end: 480 } });
    const copy = candidate('copy', 0.8, { text: LONG, textKey: 'long', span: { start: 0, end: 480 } });
    expect(judge([same, copy], { inPrompt: sentFirstHalf }).map(({ reason }) => reason)).toEqual([
      { code: 'in-prompt', figures: { turn: 3 } },
      { code: 'like-prompt', figures: { similarity: 1, turn: 3, item: 'long' } },
    ]);
  });

  it('cuts off what the prompt holds if most of the matches stand in the rest', () => {
    const at = (word: string) => ({
      start: LONG.indexOf(word) - 400,
      end: LONG.indexOf(word) - 400 + word.length,
    });
    const excerpt = LONG.slice(400, 800);
    const overlapping = candidate('long', 0.9, {
      text: LONG,
      textKey: 'long',
      span: { start: 400, end: 800 },
      result: {
        id: 'long' as ChunkId,
        kind: 'note',
        score: 0.9,
        excerpt,
        marks: [at('taille'), at('juillet')],
      },
    });
    const [selected] = judge([overlapping], { inPrompt: sentFirstHalf, budget: 5_000 });
    if (selected?.verdict !== 'injected') throw new Error('it was not injected');
    const { span, result } = selected.finding;
    expect(span.start).toBeGreaterThanOrEqual(500);
    expect(result.marks.map((mark) => result.excerpt.slice(mark.start, mark.end))).toEqual([
      'taille',
      'juillet',
    ]);
    const before = { ...overlapping, finding: { ...overlapping.finding, span: { start: 100, end: 540 } } };
    expect(judge([before], { inPrompt: sentFirstHalf })[0]?.verdict).toBe('in-window');
  });
});
