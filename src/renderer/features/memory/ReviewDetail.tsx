import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Fact, StaleFact } from '../../../shared/contract/facts.ts';
import type { ReviewGroup, ReviewItem, ReviewReason } from '../../../shared/contract/review.ts';
import { useApp, useLanguage } from '../../context.tsx';
import { formatWhen } from '../../ui/format.ts';
import { MarkedText } from '../../ui/MarkedText.tsx';
import { OpenConversation } from '../../ui/OpenConversation.tsx';
import { useNow } from '../../ui/useNow.ts';
import { differencesIn } from '../../ui/wordDifference.ts';
import { describeReviewReason } from './describeReviewReason.ts';
import type { ReviewActions } from './useReviewActions.ts';
import { WordingEditor } from './WordingEditor.tsx';

interface Props {
  item: ReviewItem;
  /** Which fact of a pair F forgets. */
  side: number;
  rewording: boolean;
  actions: ReviewActions;
  onRewording: (rewording: boolean) => void;
}

/** An item of Review: its facts side by side, why it is there, and what can be done. */
export function ReviewDetail({ item, side, rewording, actions, onRewording }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { facts, reason } = item;
  const isPair = facts.length === 2;
  const beside = besideOf(reason);
  return (
    <aside className="inspector review-detail" aria-label={t('review.item')}>
      <div className="scroll passage">
        <p className="review-reason">{describeReviewReason(t, reason, language)}</p>
        <div className="review-pair">
          {facts.map((fact, place) => (
            <ReviewedFact
              key={fact.id}
              fact={fact}
              against={isPair ? facts[1 - place]?.content : beside?.text}
              isChosen={(isPair || item.group === 'conflicts') && side === place}
              onForget={isPair ? () => actions.forget(item, place) : null}
            />
          ))}
          {beside && facts[0] && (
            <Beside
              beside={beside}
              against={facts[0].content}
              isChosen={item.group === 'conflicts' && side === 1}
            />
          )}
        </div>
        {rewording ? (
          <WordingEditor
            {...rewordingOf(item)}
            action={t(isPair ? 'review.merge' : 'review.change')}
            label={t(isPair ? 'review.wording' : 'memory.edit')}
            hint={t(isPair ? 'review.wordingHint' : 'review.changeHint')}
            onAccept={(content) => actions.reword(item, content)}
            onCancel={() => onRewording(false)}
          />
        ) : (
          <Acts item={item} side={side} actions={actions} onRewording={onRewording} />
        )}
      </div>
    </aside>
  );
}

const KEEP = {
  contradictions: 'review.keepBoth',
  duplicates: 'review.keepBoth',
  conflicts: 'review.keepBoth',
  stale: 'review.stillTrue',
} as const satisfies Partial<Record<ReviewGroup, string>>;
export const keepLabel = (group: ReviewGroup) =>
  group in KEEP ? KEEP[group as keyof typeof KEEP] : 'review.keep';

function Acts({ item, side, actions, onRewording }: Omit<Props, 'rewording'>) {
  const { t } = useTranslation();
  const isPair = item.facts.length === 2;
  return (
    <div className="review-actions">
      {item.group === 'conflicts' && (
        <Act
          label={t('review.keepChosen')}
          shortcut="Enter"
          onClick={() => actions.choose([item], side === 1 ? 'note' : 'fact')}
        />
      )}
      {item.group === 'pending' && (
        <Act label={t('review.confirm')} shortcut="Enter" onClick={() => actions.confirm([item])} />
      )}
      {(isPair || item.group === 'stale') && (
        <Act
          label={t(isPair ? 'review.merge' : 'review.changeDots')}
          shortcut="M"
          onClick={() => onRewording(true)}
        />
      )}
      {item.group !== 'pending' && (
        <Act label={t(keepLabel(item.group))} shortcut="K" onClick={() => actions.keep([item])} />
      )}
      <Act
        label={t(isPair ? 'review.forgetChosen' : 'memory.forget')}
        shortcut="F"
        onClick={() => actions.forget(item, isPair ? side : 0)}
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

/** What the wording of an item begins with, and what may be taken instead. */
function rewordingOf({ facts, reason, proposed }: ReviewItem): { proposed: string; wordings: string[] } {
  const wordings = facts.map(({ content }) => content);
  if (reason.code === 'note-changed' && reason.now) wordings.push(reason.now.markdown);
  return { proposed: proposed ?? wordings[0] ?? '', wordings };
}

/** What a note says instead of a fact. */
interface Besides {
  text: string;
  /** Null for the facts note. */
  now: StaleFact['now'];
}

function besideOf(reason: ReviewReason): Besides | null {
  if (reason.code === 'edited-twice') return { text: reason.note, now: null };
  return reason.code === 'note-changed' && reason.now ? { text: reason.now.markdown, now: reason.now } : null;
}

function Beside({
  beside: { text, now },
  against,
  isChosen,
}: {
  beside: Besides;
  against: string;
  isChosen: boolean;
}) {
  const { t } = useTranslation();
  const go = useApp((state) => state.go);
  return (
    <article className="review-fact" data-chosen={isChosen}>
      <p className="review-text">
        <MarkedText text={text} marks={differencesIn(text, against)} />
      </p>
      <p className="muted">{t(now ? 'review.noteNow' : 'review.factsNote')}</p>
      {now && now.heading.length > 0 && <p className="path">{now.heading.join(' › ')}</p>}
      {now && (
        <div className="review-origin">
          <Button variant="default" size="xs" onClick={() => go({ pane: 'notes', noteId: now.noteId })}>
            {t('review.openNote')}
          </Button>
        </div>
      )}
    </article>
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
