import type { ChatModel, ModelRequest } from '../../models/chatModel.ts';

/** Beyond this many characters an answer is not read. */
const LONGEST_ANSWER = 100_000;

/** What a model answers, without its thoughts. @throws AppError as `ChatModel.reply`; the signal's reason */
export async function answerOf(
  model: ChatModel,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<string> {
  let answer = '';
  for await (const event of model.reply(request, signal)) {
    if (event.type === 'text') answer += event.delta;
    else if (event.type === 'text-was-reasoning') answer = '';
    if (answer.length > LONGEST_ANSWER) break;
  }
  signal.throwIfAborted();
  return answer;
}

/** The beginning and the end of a text that is longer than so many tokens. */
export function cut(text: string, tokens: number, tokensOf: (text: string) => number): string {
  const all = tokensOf(text);
  if (all <= tokens) return text;
  const characters = Math.floor((text.length * tokens) / all);
  const head = Math.floor((characters * 2) / 3);
  return `${text.slice(0, head)} […] ${text.slice(text.length - (characters - head))}`;
}
