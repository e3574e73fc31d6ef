import { ActionIcon, Loader, Tooltip } from '@mantine/core';
import { IconFileText, IconFileTypePdf, IconPaperclip, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Attachment, AttachmentKind } from '../../../shared/contract/attachments.ts';
import type { Pending } from './chatState.ts';

const ICONS: Readonly<Record<AttachmentKind, typeof IconPaperclip>> = {
  note: IconFileText,
  markdown: IconFileText,
  text: IconFileText,
  pdf: IconFileTypePdf,
};

/** What is to be sent with a message. Each can be taken away. */
export function PendingAttachments({
  pending,
  onRemove,
}: {
  pending: readonly Pending[];
  onRemove(id: string): void;
}) {
  const { t } = useTranslation();
  if (pending.length === 0) return null;
  return (
    <ul className="attachments" aria-label={t('attachment.list')}>
      {pending.map(({ id, name, ready }) => {
        const Icon = ready ? ICONS[ready.kind] : IconPaperclip;
        return (
          <li key={id} className="attachment">
            {ready ? (
              <Icon size={14} aria-hidden />
            ) : (
              <Loader size={12} role="status" aria-label={t('attachment.reading', { name })} />
            )}
            <span className="attachment-name">{name}</span>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={20}
              aria-label={t('attachment.remove', { name })}
              onClick={() => onRemove(id)}
            >
              <IconX size={14} />
            </ActionIcon>
          </li>
        );
      })}
    </ul>
  );
}

/** What was sent with a message, and how much of it the model was given. */
export function SentAttachments({ attachments }: { attachments: readonly Attachment[] }) {
  const { t } = useTranslation();
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments attachments-sent" aria-label={t('attachment.list')}>
      {attachments.map((one) => {
        const Icon = ICONS[one.kind];
        const { said, hint } = givenOf(one);
        return (
          <li key={one.id}>
            <Tooltip
              label={t(`attachment.${hint}`)}
              multiline
              w={280}
              events={{ hover: true, focus: true, touch: true }}
            >
              <button type="button" className="mantine-focus-auto attachment">
                <Icon size={14} aria-hidden />
                <span className="attachment-name">{one.name}</span>
                {said === 'whole' && <span className="attachment-given">{t('attachment.whole')}</span>}
                {said === 'some' && (
                  <span className="attachment-given">
                    {t('attachment.some', { count: one.given ?? 0, of: one.sections })}
                  </span>
                )}
              </button>
            </Tooltip>
          </li>
        );
      })}
    </ul>
  );
}

function givenOf({ given, sections }: Attachment) {
  if (given === null) return { said: null, hint: 'hintUnread' } as const;
  if (given >= sections) return { said: 'whole', hint: 'hintWhole' } as const;
  return { said: 'some', hint: given === 0 ? 'hintNone' : 'hintSome' } as const;
}
