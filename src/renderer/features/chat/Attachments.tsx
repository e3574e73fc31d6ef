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
  fits,
  onRemove,
}: {
  pending: readonly Pending[];
  /** How many sections of each the model would be given, as far as it is known before it is sent. */
  fits?: ReadonlyMap<string, number>;
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
            {ready && <Given given={fits?.get(ready.id) ?? null} sections={ready.sections} />}
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
        const hint = hintOf(one);
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
                <Given given={one.given} sections={one.sections} />
              </button>
            </Tooltip>
          </li>
        );
      })}
    </ul>
  );
}

function hintOf({ given, sections }: Attachment) {
  if (given === null) return 'hintUnread';
  if (given >= sections) return 'hintWhole';
  return given === 0 ? 'hintNone' : 'hintSome';
}

/** How much of it goes to the model; nothing where that is not known. */
function Given({ given, sections }: Pick<Attachment, 'given' | 'sections'>) {
  const { t } = useTranslation();
  if (given === null) return null;
  return (
    <span className="attachment-given">
      {given >= sections ? t('attachment.whole') : t('attachment.some', { count: given, of: sections })}
    </span>
  );
}
