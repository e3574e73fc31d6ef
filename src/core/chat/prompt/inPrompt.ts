import type { ItemKind } from '../../../shared/contract/retrieval.ts';
import type { Span } from '../../search/findings.ts';
import type { InPrompt, SentStretch, SentText } from '../../search/select.ts';
import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import { sha256 } from '../../support/ids.ts';
import type { SentSummary } from './cover.ts';
import { type PastTurn, SHORTENED_MARK } from './window.ts';

/** A block that is sent again, and the number of its turn. */
export interface SentBlock {
  turn: number;
  block: Block;
}

/** The stored vector of an item in the index that answers, or null. */
export type VectorOf = (item: { kind: ItemKind; id: string }) => Float32Array | null;

/**
 * What turns and blocks put into a prompt, stretch by stretch: an item is in the prompt only as far as its text stands there.
 * @param turns with their messages as they are sent
 * @param summaries that stand for turns that have left
 * @param limit how many of the latest texts candidates are compared with
 */
export function whatIsInPrompt(
  turns: readonly PastTurn[],
  blocks: readonly SentBlock[],
  { vectorOf, limit, summaries }: { vectorOf: VectorOf; limit: number; summaries: readonly SentSummary[] },
): InPrompt {
  const stretches = new Map<string, SentStretch[]>();
  const add = (textKey: string, stretch: SentStretch) =>
    stretches.set(textKey, [...(stretches.get(textKey) ?? []), stretch]);
  const texts: SentText[] = summaries.map(
    ({ id, numbers, text, isWhole }): SentText => ({
      turn: numbers.at(-1) ?? 0,
      id,
      text,
      // The vector is of all that it says.
      vector: isWhole ? vectorOf({ kind: 'summary', id }) : null,
    }),
  );
  const blockOf = new Map(blocks.map((sent) => [sent.turn, sent.block]));
  for (const { id, number, messages, itemText, callsAt } of turns) {
    for (const item of blockOf.get(number)?.items ?? []) {
      add(item.textKey, { turn: number, id: item.id, span: item.span });
      texts.push({ turn: number, id: item.id, text: item.excerpt, vector: vectorOf(item) });
    }
    const textKey = sha256(itemText);
    const said: string[] = [];
    for (const message of messages) {
      const { content, parts, withheld, leftOut } = message;
      if (withheld || leftOut) continue;
      if (message.attached !== undefined) {
        for (const item of message.found ?? []) {
          add(item.textKey, { turn: number, id: item.id, span: item.span });
          texts.push({ turn: number, id: item.id, text: item.excerpt, vector: vectorOf(item) });
        }
        continue;
      }
      if (message.role === 'tool') {
        // Of a result that was shortened, what stands before the cut is in the prompt.
        for (const item of message.found ?? []) {
          if (!content.includes(`[${item.number}] `)) continue;
          const sent = sentSpan(item, content);
          add(item.textKey, { turn: number, id: item.id, span: sent });
          texts.push({ turn: number, id: item.id, text: item.excerpt, vector: vectorOf(item) });
        }
        continue;
      }
      if (message.toolCalls && content === '') continue;
      const kept = content.endsWith(SHORTENED_MARK) ? content.slice(0, -SHORTENED_MARK.length) : content;
      said.push(kept);
      for (const { at, itemAt, length } of parts) {
        const sent = Math.min(length, kept.length - at);
        if (sent > 0) add(textKey, { turn: number, id, span: { start: itemAt, end: itemAt + sent } });
      }
    }
    if (callsAt && messages.some(({ toolCalls, leftOut }) => toolCalls && !leftOut))
      add(textKey, { turn: number, id, span: callsAt });
    if (said.length > 0) {
      texts.push({ turn: number, id, text: said.join('\n'), vector: vectorOf({ kind: 'turn', id }) });
    }
  }
  return { stretches, texts: limit === 0 ? [] : texts.slice(-limit) };
}

/** How much of an item stands in a result: all of it, or what is left of the last one before a cut. */
function sentSpan({ excerpt, span, number }: BlockItem, content: string): Span {
  if (!content.endsWith(SHORTENED_MARK)) return span;
  const at = content.indexOf(`[${number}] `);
  const isLast = !/\n\[\d+\] /.test(content.slice(at + 1));
  const left = content.length - at - SHORTENED_MARK.length;
  return isLast
    ? { start: span.start, end: Math.min(span.end, span.start + Math.min(left, excerpt.length)) }
    : span;
}
