import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Fact } from '../../../shared/contract/facts.ts';

interface Props {
  facts: readonly Fact[];
  proposed: string;
  onMerge: (content: string) => void;
  onCancel: () => void;
}

/** What facts are to say as one. Enter merges them, Escape leaves them as they are. */
export function MergeEditor({ facts, proposed, onMerge, onCancel }: Props) {
  const { t } = useTranslation();
  const [content, setContent] = useState(proposed);
  const accept = () => {
    const text = content.trim();
    if (text !== '') onMerge(text);
  };
  return (
    <div className="merge-editor">
      <Textarea
        autoFocus
        data-autofocus
        autosize
        minRows={2}
        label={t('review.wording')}
        description={t('review.wordingHint')}
        maxLength={2_000}
        value={content}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setContent(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            accept();
          }
          if (event.key === 'Escape') onCancel();
        }}
      />
      <ul className="wordings" aria-label={t('review.wordings')}>
        {facts.map((fact) => (
          <li key={fact.id}>
            <button type="button" className="wording" onClick={() => setContent(fact.content)}>
              {fact.content}
            </button>
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button size="xs" variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" disabled={content.trim() === ''} onClick={accept}>
          {t('review.merge')}
        </Button>
      </div>
    </div>
  );
}
