import type { TFunction } from 'i18next';
import type { ReviewReason } from '../../../shared/contract/review.ts';
import type { Language } from '../../../shared/errors.ts';

/** Why something is to be reviewed, as a sentence. */
export function describeReviewReason(t: TFunction, reason: ReviewReason, language: Language): string {
  switch (reason.code) {
    case 'otherwise': {
      if (reason.in.length === 0) return t('review.reasons.otherwise');
      const differences = reason.in.map((one) => t(`review.differences.${one}`));
      const list = new Intl.ListFormat(language, { type: 'conjunction' }).format(differences);
      return t('review.reasons.otherwiseIn', { list });
    }
    case 'suggested':
      return t(`review.reasons.suggestedBy.${reason.by}`);
    case 'never-given':
      return t('review.reasons.never-given', { count: reason.days });
    case 'note-changed':
      return t(reason.now ? 'review.reasons.noteChanged' : 'review.reasons.noteGone');
    case 'edited-twice':
      return t('review.reasons.edited-twice');
    case 'alike':
      return t('review.reasons.alike');
  }
}
