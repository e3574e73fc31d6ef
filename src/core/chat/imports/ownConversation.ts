import { Role } from '../../../shared/contract/chat.ts';
import { ConversationId, MessageId } from '../../../shared/ids.ts';
import { isTime } from '../../../shared/time.ts';
import {
  addProblem,
  asList,
  asText,
  type Fields,
  type FoundMessage,
  type History,
  isObject,
  type Problems,
  toHistory,
} from './history.ts';

/** Is it a conversation in our own format, `ImportFile`? */
export const isOwn = (value: Fields): boolean =>
  ConversationId.safeParse(value.id).success && Array.isArray(value.messages);

/** Reads a conversation in our own format; its ids are kept. */
export function readOwn(value: Fields, modifiedAt: number, problems: Problems): History {
  const messages = asList(value.messages).flatMap((one): FoundMessage[] => {
    const fields = isObject(one) ? one : {};
    const role = Role.safeParse(fields.role);
    const isMessage = MessageId.safeParse(fields.id).success && typeof fields.content === 'string';
    if (!role.success || !isMessage) {
      addProblem(problems, 'unreadable-message');
      return [];
    }
    const { createdAt } = fields;
    const at = typeof createdAt === 'number' ? createdAt : Date.parse(asText(createdAt));
    return [
      {
        id: asText(fields.id),
        role: role.data,
        author: asText(fields.author) || null,
        content: asText(fields.content),
        at: isTime(at) ? at : null,
      },
    ];
  });
  const found = {
    source: 'souvenir' as const,
    id: asText(value.id).toWellFormed() as ConversationId,
    channel: asText(value.channel).toWellFormed().trim().slice(0, 100) || null,
    title: asText(value.title),
    at: modifiedAt,
    messages,
  };
  return toHistory(found, problems, (id) => id.toWellFormed() as MessageId);
}
