import type { AttachmentId } from '../../shared/ids.ts';
import { api } from './implementer.ts';

export const attachments = {
  read: api.attachments.read.handler(({ input: { name, data }, context, signal }) =>
    context.services.readyAttachments.read({ name, bytes: Buffer.from(data, 'base64') }, signal),
  ),
  note: api.attachments.note.handler(({ input, context }) =>
    context.services.readyAttachments.note(input.noteId),
  ),
  fit: api.attachments.fit.handler(async ({ input: { ids, ...message }, context: { services }, signal }) => {
    const { readyAttachments, answerer } = services;
    const ready = [...readyAttachments.ready(ids)];
    const counts = await answerer.fit({ ...message, attached: ready.map(([, one]) => one), signal });
    return {
      given: ready.map(([id], place) => ({ id: id as AttachmentId, given: counts?.[place] ?? null })),
    };
  }),
  drop: api.attachments.drop.handler(({ input, context }) =>
    context.services.readyAttachments.drop([input.id]),
  ),
};
