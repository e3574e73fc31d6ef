import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  /** What may be chosen instead. */
  wordings: readonly string[];
  proposed: string;
  /** Label of the button: the act itself. */
  action: string;
  label: string;
  hint: string;
  onAccept: (content: string) => void;
  onCancel: () => void;
}

/** What a fact is to say. Enter accepts it, Escape leaves everything as it is. */
export function WordingEditor({ wordings, proposed, action, label, hint, onAccept, onCancel }: Props) {
  const { t } = useTranslation();
  const [content, setContent] = useState(proposed);
  const accept = () => {
    const text = content.trim();
    if (text !== '') onAccept(text);
  };
  return (
    <div className="wording-editor">
      <Textarea
        autoFocus
        data-autofocus
        autosize
        minRows={2}
        label={label}
        description={hint}
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
        {wordings.map((wording) => (
          <li key={wording}>
            <button type="button" className="wording" onClick={() => setContent(wording)}>
              {wording}
            </button>
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button size="xs" variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" disabled={content.trim() === ''} onClick={accept}>
          {action}
        </Button>
      </div>
    </div>
  );
}
