import { Button, Textarea } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChunkId, NoteId } from '../../../shared/ids.ts';
import { useAttempt, useSession } from '../../context.tsx';
import { showUndo } from '../../ui/undo.tsx';

/** A longer passage, or one of several blocks, says more than one fact: then the user writes, or selects, what is to be remembered. */
const SHORT = 200;

/** Learns a fact from a passage, which is compared with the note from then on. */
export function RememberPassage({
  noteId,
  chunkId,
  shown,
}: {
  noteId: NoteId;
  chunkId: ChunkId;
  /** The passage as it is shown. */
  shown: RefObject<HTMLElement | null>;
}) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [content, setContent] = useState<string | null>(null);
  const remember = () =>
    void attempt(async () => {
      const fact = await client.facts.add({ content: content ?? '', anchor: { noteId, chunkId } });
      setContent(null);
      showUndo(
        t('memory.added', { content: fact.content }),
        t('common.undo'),
        () => void attempt(() => client.facts.remove({ ids: [fact.id] })),
      );
    });
  if (content === null)
    return (
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconBulb size={13} />}
        // The selection is gone once the button has the focus.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => setContent(textToRemember(shown.current))}
      >
        {t('notes.remember')}
      </Button>
    );
  return (
    <>
      <Textarea
        mt="xs"
        autosize
        autoFocus
        minRows={1}
        maxRows={8}
        maxLength={2_000}
        aria-label={t('notes.rememberText')}
        placeholder={t('notes.rememberText')}
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
      />
      <div className="setting-name partial">
        <Button size="compact-sm" disabled={content.trim() === ''} onClick={remember}>
          {t('notes.remember')}
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setContent(null)}>
          {t('common.cancel')}
        </Button>
      </div>
    </>
  );
}

/** What the user selected of a passage, or the passage if it is short. */
function textToRemember(shown: HTMLElement | null): string {
  const selection = window.getSelection();
  const selected = selection?.toString().trim() ?? '';
  if (selected !== '' && shown && selection?.anchorNode && shown.contains(selection.anchorNode))
    return selected;
  const whole = shown?.innerText.trim() ?? '';
  return whole.length <= SHORT && !whole.includes('\n') ? whole : '';
}
