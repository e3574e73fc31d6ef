import { Button, HoverCard, ScrollArea, UnstyledButton } from '@mantine/core';
import {
  IconBookmark,
  IconExternalLink,
  IconFileText,
  IconMessage,
  IconPaperclip,
  IconStack2,
} from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Citation } from '../../../shared/contract/chat.ts';
import { Markdown } from '../../ui/Markdown.tsx';
import { MarkedText } from '../../ui/MarkedText.tsx';

/** The headings below the title, without the title itself. */
export function placeOf({
  title,
  heading = [],
}: {
  title?: string | undefined;
  heading?: string[] | undefined;
}): string {
  return heading.filter((part, index) => index > 0 || part !== title).join(' › ');
}

/** A cited passage: its place, its excerpt, and links to its source. */
export const CitationView = memo(function CitationView({
  citation,
  onOpen,
  marks = null,
}: {
  citation: Citation;
  onOpen: (citation: Citation) => void;
  /** What the user says of it; null where nothing can be said. */
  marks?: ReactNode;
}) {
  const { t } = useTranslation();
  const place = placeOf(citation);
  return (
    <section className="citation" aria-label={`${citation.ordinal}. ${citation.title}`}>
      <div className="citation-head">
        <span className="citation-number" aria-hidden>
          {citation.ordinal}
        </span>
        <HoverCard
          width={420}
          openDelay={300}
          shadow="md"
          position="bottom-start"
          disabled={citation.markdown === ''}
          withinPortal
        >
          <HoverCard.Target>
            <UnstyledButton className="citation-title" onClick={() => onOpen(citation)}>
              <KindIcon kind={citation.kind} />
              {citation.title || t('chat.fact')}
              {place !== '' && <span className="citation-place"> › {place}</span>}
            </UnstyledButton>
          </HoverCard.Target>
          <HoverCard.Dropdown>
            <ScrollArea.Autosize mah={320}>
              <Markdown source={citation.markdown} />
            </ScrollArea.Autosize>
          </HoverCard.Dropdown>
        </HoverCard>
        {marks}
      </div>
      <div className="citation-text">
        {citation.state === 'gone' ? (
          <em className="muted">{t('chat.gone')}</em>
        ) : (
          <MarkedText text={citation.excerpt} marks={citation.marks} />
        )}
        {citation.state === 'edited' && <div className="muted">{t('chat.edited')}</div>}
      </div>
      {citation.obsidianUrl !== undefined && (
        <div className="citation-actions">
          <Button
            component="a"
            href={citation.obsidianUrl}
            variant="subtle"
            color="gray"
            size="compact-xs"
            leftSection={<IconExternalLink size={13} />}
          >
            {t('common.openInObsidian')}
          </Button>
        </div>
      )}
    </section>
  );
});

const KIND_ICONS = {
  note: { Icon: IconFileText, color: 'var(--kind-note)' },
  turn: { Icon: IconMessage, color: 'var(--kind-turn)' },
  summary: { Icon: IconStack2, color: 'var(--kind-summary)' },
  fact: { Icon: IconBookmark, color: 'var(--kind-fact)' },
  attachment: { Icon: IconPaperclip, color: 'var(--kind-attachment)' },
};

function KindIcon({ kind }: { kind: Citation['kind'] }) {
  const { Icon, color } = KIND_ICONS[kind];
  return <Icon size={15} className="kind-icon" color={color} aria-hidden />;
}
