import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { LayoutEntry, PromptCut, PromptRecord, Step } from '../../../shared/contract/prompt.ts';

/** What a model call contained: a strip by tokens, why the prompt does not continue the previous one, and every message in order. */
export function SentPrompt({ prompt, cut }: { prompt: PromptRecord; cut: PromptCut | null }) {
  const { t } = useTranslation();
  const { layout, steps, tokens, contextTokens } = prompt;
  const size = t('traces.prompt.size', { tokens, contextTokens });
  return (
    <>
      <h2>{t('traces.prompt.title')}</h2>
      <div className="strip" role="img" aria-label={size}>
        {layout.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a layout never changes.
          <span key={index} data-part={partOf(entry)} style={{ flexGrow: Math.max(1, entry.tokens) }} />
        ))}
        <span style={{ flexGrow: Math.max(0, contextTokens - tokens) }} />
      </div>
      <p className="muted">{size}</p>
      {cut && <p role="note">{t('chat.promptCut', cut)}</p>}
      {steps.length > 0 && (
        <>
          <h3>{t('traces.prompt.steps')}</h3>
          <ul className="preview">
            {steps.map((step) => (
              <li key={step.code}>{describeStep(t, step)}</li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>{t('traces.prompt.show')}</summary>
        <table className="layout-table">
          <tbody>
            {layout.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a layout never changes.
              <tr key={index}>
                <td>
                  <span className="swatch" data-part={partOf(entry)} aria-hidden />{' '}
                  {t(`traces.prompt.${partOf(entry)}`)}{' '}
                  {entry.items.map(({ number }) => `[${number}]`).join(' ')}
                </td>
                <td className="muted">
                  {[
                    entry.turn === null ? '' : t('traces.prompt.turn', { turn: entry.turn }),
                    entry.sections === undefined
                      ? ''
                      : t('attachment.some', { count: entry.items.length, of: entry.sections }),
                    entry.shortened ? t('traces.prompt.shortened') : '',
                    entry.withheld ? t('traces.prompt.withheld') : '',
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </td>
                <td className="number muted">{t('traces.tokens', { count: entry.tokens })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** The part of the prompt that a message belongs to, by which it is named and coloured. */
const partOf = ({ kind, role }: LayoutEntry) => (kind === 'message' ? role : kind);

/** Why a prompt does not begin with the whole prompt before it. */
export function describeStep(t: TFunction, { code, figures }: Step): string {
  return t(`traces.step.${code}`, figures);
}
