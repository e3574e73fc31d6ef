import type { ToolCall } from '../../models/chatModel.ts';
import type { ToolCallRecord } from '../../storage/toolCalls.ts';
import { renderResult } from '../tools/renderResult.ts';

/** A message of a round of tools, as it is sent: the model's calls, or the result of one. */
export type ToolMessage =
  /** `at`: where `content` stands in the reply. */
  | { role: 'assistant'; content: string; at: number; toolCalls: readonly ToolCall[] }
  | { role: 'tool'; content: string; toolCallId: string; call: ToolCallRecord };

/** What a model is told of a call, as it was told before unless something of it has changed since. */
export function resultOf(call: ToolCallRecord): string {
  return call.isStale || call.text === null ? renderResult(call) : call.text;
}

/**
 * The rounds of tools of a reply, as they are sent to the model that made them and again in every later prompt: what it wrote before
 * the calls, the calls, and a result for each.
 * @param content the reply, as far as it has come
 * @returns them, and what was written after the last of them
 */
export function toolRounds(
  calls: readonly ToolCallRecord[],
  content: string,
): { messages: ToolMessage[]; rest: { content: string; at: number } } {
  let from = 0;
  const messages = [...Map.groupBy(calls, ({ round }) => round).values()].flatMap((round): ToolMessage[] => {
    const to = Math.max(from, round[0]?.saidTo ?? from);
    const said = trimmed(content.slice(from, to), from);
    from = to;
    return [
      {
        role: 'assistant',
        ...said,
        toolCalls: round.map((call) => ({ id: call.callId, name: call.name, arguments: call.arguments })),
      },
      ...round.map(
        (call): ToolMessage => ({
          role: 'tool',
          content: resultOf(call),
          toolCallId: call.callId,
          call,
        }),
      ),
    ];
  });
  return { messages, rest: messages.length === 0 ? { content, at: 0 } : trimmed(content.slice(from), from) };
}

function trimmed(text: string, at: number): { content: string; at: number } {
  const content = text.trimStart();
  return { content: content.trimEnd(), at: at + text.length - content.length };
}
