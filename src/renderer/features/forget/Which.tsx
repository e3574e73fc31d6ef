import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Recent } from '../../../shared/contract/forget.ts';
import type { FactId, TurnId } from '../../../shared/ids.ts';
import { useLanguage } from '../../context.tsx';
import { formatWhen } from '../../ui/format.ts';
import { moveInList } from '../../ui/moveInList.ts';
import { useNow } from '../../ui/useNow.ts';

interface Props {
  recent: readonly Recent[];
  onChoose: (chosen: { facts: FactId[]; turns: TurnId[] }) => void;
  /** Sends the message that asked for it, as it is. */
  onSend: (() => void) | undefined;
}

/** Asks what a message meant that names nothing (« Oublie ça »). Arrows move, Space selects, Enter goes on. */
export function Which({ recent, onChoose, onSend }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (ids: ReadonlySet<string>) => {
    const of = (group: Recent['group']) =>
      recent.filter((one) => one.group === group && ids.has(one.id)).map(({ id }) => id);
    if (ids.size > 0) onChoose({ facts: of('facts') as FactId[], turns: of('turns') as TurnId[] });
  };
  return (
    <>
      <div
        className="scroll forget-which"
        role="group"
        aria-label={t('forget.which')}
        onKeyDown={(event) => {
          moveInList(event, 'input');
          if (event.key !== 'Enter') return;
          event.preventDefault();
          // Enter on a row alone is enough.
          const { value } = event.target as HTMLInputElement;
          choose(chosen.size > 0 ? chosen : new Set([value]));
        }}
      >
        <p>{t('forget.which')}</p>
        {recent.map(({ group, id, text, at }, index) => (
          <Checkbox
            key={`${group} ${id}`}
            value={id}
            data-autofocus={index === 0 || undefined}
            checked={chosen.has(id)}
            label={text}
            description={`${t(group === 'facts' ? 'traces.kind.fact' : 'forget.exchange')} · ${formatWhen(at, now, language)}`}
            onChange={(event) => {
              const next = new Set(chosen);
              if (event.currentTarget.checked) next.add(id);
              else next.delete(id);
              setChosen(next);
            }}
          />
        ))}
      </div>
      <div className="forget-foot">
        <span className="muted" id="forget-why">
          {chosen.size === 0 && t('forget.nothingTicked')}
        </span>
        {onSend && (
          <Button variant="default" onClick={onSend}>
            {t('forget.send')}
          </Button>
        )}
        <Button disabled={chosen.size === 0} aria-describedby="forget-why" onClick={() => choose(chosen)}>
          {t('forget.next')}
        </Button>
      </div>
    </>
  );
}
