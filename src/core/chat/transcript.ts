import type { ConversationRow, Turn } from '../../shared/contract/chat.ts';
import type { Language } from '../../shared/errors.ts';
import { quotedLine } from '../../shared/oneLine.ts';
import { replyMarkdown } from '../../shared/replyMarkdown.ts';

const SPEAKERS: Record<Language, Record<'user' | 'assistant' | 'system' | 'tool', string>> = {
  en: { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' },
  fr: { user: 'Vous', assistant: 'Assistant', system: 'Système', tool: 'Outil' },
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
      text: replyMarkdown(reply),
    });
  return said
    .filter(({ text }) => text.trim() !== '')
    .map(({ name, at, text }) => `## ${name} · ${new Date(at).toISOString()}\n\n${text.trim()}`)
    .join('\n\n');
}
