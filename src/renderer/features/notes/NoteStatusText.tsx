import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { NoteRow } from '../../../shared/contract/notes.ts';

const ICONS = {
  indexed: IconCircleCheck,
  pending: IconClock,
  skipped: IconCircleDashed,
  failed: IconCircleX,
};

/** Status of a note as an icon and a word. An indexed note with a problem shows a warning. */
export function NoteStatusText({ note }: { note: Pick<NoteRow, 'status' | 'reason'> }) {
  const { t } = useTranslation();
  const warned = note.status === 'indexed' && note.reason !== null;
  const Icon = warned ? IconAlertTriangle : ICONS[note.status];
  const color = note.status === 'failed' ? '#c4452f' : warned ? '#9C5F17' : 'var(--muted)';
  return (
    <span className="setting-name">
      <Icon size={16} color={color} aria-hidden />
      <span className="cell">{warned ? t('notes.filter.problems') : t(`notes.status.${note.status}`)}</span>
    </span>
  );
}
