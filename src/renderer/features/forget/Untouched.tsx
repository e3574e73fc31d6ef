import { UnstyledButton } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Untouched as Left } from '../../../shared/contract/forget.ts';
import type { NoteDetail } from '../../../shared/contract/notes.ts';
import { useAttempt, useSession } from '../../context.tsx';
import { Markdown } from '../../ui/Markdown.tsx';
import { OpenInObsidian } from '../../ui/OpenInObsidian.tsx';
import { Backups } from './Backups.tsx';

interface Props {
  untouched: Left;
  /** It was erased, so that backups can be rewritten without it. */
  canErase?: boolean;
}

/** Backups, exports and notes, where what is forgotten remains. */
export function Untouched({ untouched: { notes, backups }, canErase = false }: Props) {
  const { t } = useTranslation();
  return (
    <div className="forget-left">
      <Backups backups={backups} canErase={canErase} />
      <h3>{t('forget.exports')}</h3>
      <p className="muted">{t('forget.exportsHint')}</p>
      <h3>{t('forget.notes', { count: notes.length })}</h3>
      {notes.length > 0 && <p className="muted">{t('forget.notesHint')}</p>}
      <ul>
        {notes.map((note) => (
          <Note key={note.id} note={note} />
        ))}
      </ul>
    </div>
  );
}

/** A note that names it: its title shows its text, and it opens in Obsidian. */
function Note({ note: { id, vault, path, obsidianUrl } }: { note: Left['notes'][number] }) {
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [detail, setDetail] = useState<NoteDetail | null>(null);
  const toggle = () => {
    if (detail) setDetail(null);
    else void attempt(async () => setDetail(await client.notes.get({ id })));
  };
  return (
    <li>
      <div className="setting-name">
        <UnstyledButton className="row-label" aria-expanded={detail !== null} onClick={toggle}>
          <IconFileText size={15} className="kind-icon" color="var(--kind-note)" aria-hidden />
          {path} <span className="muted">{vault}</span>
        </UnstyledButton>
        <OpenInObsidian url={obsidianUrl} />
      </div>
      {detail && (
        <div className="forget-preview" role="region" aria-label={detail.note.title}>
          {detail.passages.map((passage) => (
            <Markdown key={passage.id} source={passage.markdown} />
          ))}
        </div>
      )}
    </li>
  );
}
