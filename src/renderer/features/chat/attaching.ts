import {
  MOST_ATTACHMENTS,
  MOST_FILE_BYTES,
  type ReadyAttachment,
} from '../../../shared/contract/attachments.ts';
import type { Client } from '../../../shared/contract/index.ts';
import { AppError } from '../../../shared/errors.ts';
import type { AttachmentId, NoteId } from '../../../shared/ids.ts';
import { type AttachState, draftKey, type Pending, type TalkState } from './chatState.ts';

/** A store of messages that files can be attached to. */
interface AttachAccess {
  get(): Pick<TalkState, 'openId'> & Pick<AttachState, 'attached'>;
  set(change: (state: Pick<AttachState, 'attached'>) => Pick<AttachState, 'attached'>): void;
}

/** What is attached to a message that is not sent yet, by conversation. */
export function createAttaching(client: Client, { set, get }: AttachAccess): AttachState {
  const change = (key: string, to: (pending: readonly Pending[]) => readonly Pending[]) =>
    set(({ attached }) => ({ attached: { ...attached, [key]: to(attached[key] ?? []) } }));

  /** Shows a name while what it stands for is read. */
  async function add(name: string, read: () => Promise<ReadyAttachment>): Promise<void> {
    const key = draftKey(get().openId);
    if ((get().attached[key] ?? []).length >= MOST_ATTACHMENTS)
      throw new AppError('ATTACHMENT_TOO_MANY', { limit: MOST_ATTACHMENTS });
    const id = crypto.randomUUID();
    change(key, (pending) => [...pending, { id, name, ready: null }]);
    try {
      const ready = await read();
      const isWanted = Object.values(get().attached).some((some) => some.some((one) => one.id === id));
      if (!isWanted) await client.attachments.drop({ id: ready.id });
      set(({ attached }) => ({
        attached: Object.fromEntries(
          Object.entries(attached).map(([at, some]) => [
            at,
            some.map((one) => (one.id === id ? { ...one, ready } : one)),
          ]),
        ),
      }));
    } catch (error) {
      set(({ attached }) => ({
        attached: Object.fromEntries(
          Object.entries(attached).map(([at, some]) => [at, some.filter((one) => one.id !== id)]),
        ),
      }));
      throw error;
    }
  }

  return {
    attached: {},
    attachFile: (file) =>
      add(file.name, async () => {
        if (file.size > MOST_FILE_BYTES)
          throw new AppError('ATTACHMENT_TOO_LARGE', { name: file.name, limit: MOST_FILE_BYTES / 1_000_000 });
        return client.attachments.read({ name: file.name, data: await base64Of(file) });
      }),
    attachNote: ({ id, title }: { id: NoteId; title: string }) =>
      add(title, () => client.attachments.note({ noteId: id })),
    detach: (id) => {
      const key = draftKey(get().openId);
      const found = (get().attached[key] ?? []).find((one) => one.id === id)?.ready;
      change(key, (pending) => pending.filter((one) => one.id !== id));
      // What is not dropped now is dropped by itself after a while.
      if (found) client.attachments.drop({ id: found.id }).catch(() => undefined);
    },
  };
}

/** Ids of what is ready; what is still being read is not. */
export const readyIds = (pending: readonly Pending[]): AttachmentId[] =>
  pending.flatMap(({ ready }) => (ready ? [ready.id] : []));

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,?/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(file);
  });
}
