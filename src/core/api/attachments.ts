import { api } from './implementer.ts';

export const attachments = {
  read: api.attachments.read.handler(({ input: { name, data }, context, signal }) =>
    context.services.readyAttachments.read({ name, bytes: Buffer.from(data, 'base64') }, signal),
  ),
  note: api.attachments.note.handler(({ input, context }) =>
    context.services.readyAttachments.note(input.noteId),
  ),
  drop: api.attachments.drop.handler(({ input, context }) =>
    context.services.readyAttachments.drop([input.id]),
  ),
};
