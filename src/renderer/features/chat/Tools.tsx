import { Button } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolCall } from '../../../shared/contract/tools.ts';
import { describeToolCall, topicToForget } from '../../../shared/toolWords.ts';
import { useApp, useLanguage } from '../../context.tsx';
import { formatMilliseconds } from '../../ui/format.ts';

/** The tools that the model called while it wrote a reply, each folded to one line. */
export const Tools = memo(function Tools({ calls }: { calls: readonly ToolCall[] }) {
  const { t } = useTranslation();
  return (
    <ul className="tools" aria-label={t('chat.tools')}>
      {calls.map((call) => (
        <li key={call.ordinal}>
          <ToolLine call={call} />
        </li>
      ))}
    </ul>
  );
});

/** What was given and told stands in the page only while it is unfolded. */
function ToolLine({ call }: { call: ToolCall }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const forget = useApp((state) => state.forget);
  const [open, setOpen] = useState(false);
  const topic = topicToForget(call);
  const { state, durationMs, result } = call;
  return (
    <>
      <details className="given tool" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <IconTool size={14} className="tool-icon" aria-hidden /> {describeToolCall(call, language)}{' '}
          {state !== 'done' && (
            <span className="tool-state" data-state={state}>
              {t(`chat.toolState.${state}`)}
            </span>
          )}
        </summary>
        {open && (
          <dl className="muted">
            <dt>{t('chat.toolArguments')}</dt>
            <dd>
              <pre>{call.arguments}</pre>
            </dd>
            {result !== '' && (
              <>
                <dt>{t('chat.toolResult')}</dt>
                <dd>
                  <pre>{result}</pre>
                </dd>
              </>
            )}
            {durationMs !== null && (
              <>
                <dt>{t('chat.toolDuration')}</dt>
                <dd>{formatMilliseconds(durationMs, language)}</dd>
              </>
            )}
          </dl>
        )}
      </details>
      {topic !== null && (
        <Button
          variant="light"
          size="compact-sm"
          className="tool-forget"
          onClick={() => forget({ subject: { topic } })}
        >
          {t('chat.toolForget')}
        </Button>
      )}
    </>
  );
}
