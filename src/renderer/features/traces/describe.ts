import type { TFunction } from 'i18next';
import type { VerdictReason } from '../../../shared/contract/reasons.ts';
import type { Language } from '../../../shared/errors.ts';
import { folderName, formatScore } from '../../ui/format.ts';

/** Why an item got its verdict, with the figures that decided. */
export function describeReason(t: TFunction, { code, figures }: VerdictReason, language: Language): string {
  const score = (name: string) => formatScore(Number(figures[name]), language);
  return t(`traces.reason.${code}`, {
    ...figures,
    ...(figures.similarity === undefined ? {} : { similarity: score('similarity') }),
    ...(figures.minimum === undefined ? {} : { minimum: score('minimum') }),
    ...(figures.placed === undefined ? {} : { placed: score('placed') }),
    ...(typeof figures.folder === 'string' ? { folder: folderName(figures.folder) } : {}),
  });
}
