import { Button, CloseButton } from '@mantine/core';
import { IconExternalLink, IconFileText, IconMessage } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Citation } from '../../../shared/contract/chat.ts';
import { useApp, useLanguage } from '../../context.tsx';
import { formatScore, formatWhen } from '../../ui/format.ts';
import { Markdown } from '../../ui/Markdown.tsx';
import { OpenConversation } from '../../ui/OpenConversation.tsx';
import { useNow } from '../../ui/useNow.ts';
import { placeOf } from './CitationView.tsx';

/** The whole passage behind a citation, with its source. */
export function Inspector({ citation, onClose }: { citation: Citation; onClose: () => void }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const go = useApp((state) => state.go);
  const { noteId, conversationId } = citation;
  return (
    <aside className="inspector" aria-label={t('chat.inspector')}>
      <div className="head">
        <strong className="row-label">{citation.title || t('chat.fact')}</strong>
        <CloseButton onClick={onClose} />
      </div>
      <div className="scroll passage">
        <dl className="facts-list">
          {citation.path !== undefined && (
            <>
              <dt>{t('chat.place')}</dt>
              <dd>
                <span className="path">{citation.path}</span>
                {placeOf(citation) !== '' && <div>{placeOf(citation)}</div>}
                {citation.startLine !== undefined && (
                  <div className="muted">{t('chat.lines', { line: citation.startLine })}</div>
                )}
              </dd>
            </>
          )}
          {citation.vaultName !== undefined && (
            <>
              <dt>{t('chat.vault')}</dt>
              <dd>{citation.vaultName}</dd>
            </>
          )}
          {citation.createdAt !== undefined && (
            <>
              <dt>{t('chat.date')}</dt>
              <dd>{formatWhen(citation.createdAt, now, language)}</dd>
            </>
          )}
          <dt>{t('chat.relevance')}</dt>
          <dd>{formatScore(citation.score, language)}</dd>
        </dl>
        {citation.state === 'gone' ? <p>{t('chat.gone')}</p> : <Markdown source={citation.markdown} />}
      </div>
      <div className="filters">
        {citation.obsidianUrl !== undefined && (
          <Button
            component="a"
            href={citation.obsidianUrl}
            size="xs"
            leftSection={<IconExternalLink size={14} />}
          >
            {t('common.openInObsidian')}
          </Button>
        )}
        {noteId !== undefined && citation.state !== 'gone' && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconFileText size={14} />}
            onClick={() => go({ pane: 'notes', noteId })}
          >
            {t('common.showNote')}
          </Button>
        )}
        {conversationId !== undefined && (
          <OpenConversation conversationId={conversationId} icon={<IconMessage size={14} />} />
        )}
      </div>
    </aside>
  );
}
