import type { ConversationRow, Turn } from '../../shared/contract/chat.ts';
import type { ToolCall } from '../../shared/contract/tools.ts';
import type { Language } from '../../shared/errors.ts';
import { quotedLine } from '../../shared/oneLine.ts';
import { replyMarkdown } from '../../shared/replyMarkdown.ts';
import { describeToolCall } from '../../shared/toolWords.ts';

const SPEAKERS: Record<Language, Record<'user' | 'assistant' | 'system' | 'tool', string>> = {
  en: { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' },
  fr: { user: 'Vous', assistant: 'Assistant', system: 'Système', tool: 'Outil' },
};

const TOOLS: Record<Language, { title: string; failed: string; cut: string }> = {
  en: { title: 'Tools called', failed: 'failed', cut: 'interrupted' },
  fr: { title: 'Outils appelés', failed: 'échec', cut: 'interrompu' },
};

/** A conversation as a note: its active path, each speaker under a heading with the time, sources as `[[note#heading]]`. */
export function conversationMarkdown(
  { title, channel, createdAt }: ConversationRow,
  turns: readonly Turn[],
  language: Language,
): string {
  const head = [
    '---',
    `title: ${JSON.stringify(quotedLine(title))}`,
    `channel: ${JSON.stringify(quotedLine(channel))}`,
    `created: ${new Date(createdAt).toISOString()}`,
    '---',
    `# ${quotedLine(title)}`,
  ];
  return `${head.join('\n')}\n\n${turns.map((turn) => turnMarkdown(turn, language)).join('\n\n')}\n`;
}

/** A turn as Markdown: what was asked, and the reply that is shown. */
export function turnMarkdown(turn: Turn, language: Language): string {
  const said = turn.messages.map(({ role, author, content, createdAt }) => ({
    name: SPEAKERS[language][role],
    at: createdAt,
    text: author === null ? content : `${author}:\n\n${content}`,
  }));
  const reply = turn.replies.find(({ version }) => version === turn.activeVersion);
  if (reply)
    said.push({
      name: SPEAKERS[language].assistant,
      at: reply.createdAt,
      text: [toolsMarkdown(reply.tools, language), replyMarkdown(reply)].filter(Boolean).join('\n\n'),
    });
  return said
    .filter(({ text }) => text.trim() !== '')
    .map(({ name, at, text }) => `## ${name} · ${new Date(at).toISOString()}\n\n${text.trim()}`)
    .join('\n\n');
}

/**
 * The tools that a reply called, as a folded callout with a line each; empty if it called none. What they found is left out: it stands where
 * it comes from, and a note that repeated it would be found in its place.
 */
function toolsMarkdown(calls: readonly ToolCall[], language: Language): string {
  if (calls.length === 0) return '';
  const { title, ...states } = TOOLS[language];
  const lines = calls.map((call) => {
    const state = call.state === 'failed' || call.state === 'cut' ? ` (${states[call.state]})` : '';
    return `> - ${describeToolCall(call, language)}${state}`;
  });
  return [`> [!info]- ${title}`, ...lines].join('\n');
}
