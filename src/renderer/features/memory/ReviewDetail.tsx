import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Fact } from '../../../shared/contract/facts.ts';
import type { ReviewItem } from '../../../shared/contract/review.ts';
import { useApp, useLanguage } from '../../context.tsx';
import { formatWhen } from '../../ui/format.ts';
import { MarkedText } from '../../ui/MarkedText.tsx';
import { OpenConversation } from '../../ui/OpenConversation.tsx';
import { useNow } from '../../ui/useNow.ts';
import { differencesIn } from '../../ui/wordDifference.ts';
import { describeReviewReason } from './describeReviewReason.ts';
import { MergeEditor } from './MergeEditor.tsx';
import type { ReviewActions } from './useReviewActions.ts';

interface Props {
  item: ReviewItem;
  /** Which fact of a pair F forgets. */
  side: number;
  merging: boolean;
  actions: ReviewActions;
  onMerging: (merging: boolean) => void;
}

/** An item of Review: its facts side by side, why it is there, and what can be done. */
export function ReviewDetail({ item, side, merging, actions, onMerging }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { facts, reason, proposed } = item;
  const isPair = facts.length === 2;
  return (
    <aside className="inspector review-detail" aria-label={t('review.item')}>
      <div className="scroll passage">
        <p className="review-reason">{describeReviewReason(t, reason, language)}</p>
        <div className="review-pair">
          {facts.map((fact, place) => (
            <ReviewedFact
              key={fact.id}
              fact={fact}
              against={isPair ? facts[1 - place]?.content : undefined}
              isChosen={isPair && side === place}
              onForget={isPair ? () => actions.forget(item, place) : null}
            />
          ))}
        </div>
        {merging && proposed !== null ? (
          <MergeEditor
            facts={facts}
            proposed={proposed}
            onMerge={(content) => actions.merge(item, content)}
            onCancel={() => onMerging(false)}
          />
        ) : (
          <Acts item={item} side={side} actions={actions} onMerging={onMerging} />
        )}
      </div>
    </aside>
  );
}

function Acts({ item, side, actions, onMerging }: Omit<Props, 'merging'>) {
  const { t } = useTranslation();
  const isPair = item.facts.length === 2;
  return (
    <div className="review-actions">
      {item.group === 'pending' && (
        <Act label={t('review.confirm')} shortcut="Enter" onClick={() => actions.confirm([item])} />
      )}
      {item.proposed !== null && (
        <Act label={t('review.merge')} shortcut="M" onClick={() => onMerging(true)} />
      )}
      {item.group !== 'pending' && (
        <Act
          label={t(isPair ? 'review.keepBoth' : 'review.keep')}
          shortcut="K"
          onClick={() => actions.keep([item])}
        />
      )}
      <Act
        label={t(isPair ? 'review.forgetChosen' : 'memory.forget')}
        shortcut="F"
        onClick={() => actions.forget(item, side)}
      />
    </div>
  );
}

function Act({ label, shortcut, onClick }: { label: string; shortcut: string; onClick: () => void }) {
  return (
    <Button
      size="xs"
      variant="default"
      aria-keyshortcuts={shortcut}
      rightSection={<kbd aria-hidden>{shortcut === 'Enter' ? '↵' : shortcut}</kbd>}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}

interface ReviewedProps {
  fact: Fact;
  /** What the other fact of a pair says. */
  against: string | undefined;
  isChosen: boolean;
  /** Null if it is not one of a pair. */
  onForget: (() => void) | null;
}

function ReviewedFact({ fact, against, isChosen, onForget }: ReviewedProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const go = useApp((state) => state.go);
  const { content, conversationId, turnId, anchor } = fact;
  return (
    <article className="review-fact" data-chosen={isChosen} data-review-fact={fact.id}>
      <p className="review-text">
        <MarkedText text={content} marks={against === undefined ? [] : differencesIn(content, against)} />
      </p>
      <p className="muted">
        {t(`memory.sources.${fact.source}`)} · {formatWhen(fact.createdAt, now, language)}
      </p>
      {anchor && <p className="path">{[anchor.path, ...anchor.heading].join(' › ')}</p>}
      <div className="review-origin">
        {conversationId !== null && <OpenConversation conversationId={conversationId} turnId={turnId} />}
        <Button variant="default" size="xs" onClick={() => go({ pane: 'memory', factId: fact.id })}>
          {t('chat.openFact')}
        </Button>
        {onForget && (
          <Button variant="default" size="xs" onClick={onForget}>
            {t('memory.forget')}
          </Button>
        )}
      </div>
    </article>
  );
}
