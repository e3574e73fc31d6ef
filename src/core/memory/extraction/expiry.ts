import { day, FULL_WEEKDAYS, MONTHS, month, NUMBERS, week, year } from '../../support/text/calendar.ts';

const MONTH = MONTHS.join('|');
const WEEKDAY = FULL_WEEKDAYS.join('|');
const FILLER =
  '(?:(?:le|la|l|the|a|au|en|on|ce|this|next|coming|prochain|prochaine|du|de|d|of|inclus|included) )*';
const COUNT = String.raw`(\d{1,3}|[a-z]{1,7})`;
const UNIT =
  '(jours?|days?|nuits?|nights?|semaines?|weeks?|mois|months?|ans?|annees?|years?|heures?|hours?|week ends?|weekends?)';
const UNTIL =
  /(?:^| )(?:jusqu|jusque|jusqu a|jusqu au|jusqu en|until|till|til|through|up to|up until|d ici|not (?:\S+ )?before|for the rest of) (?:and including |a |au |aux |en |the |le |la |l )*(.{1,50})/;
const DURING = new RegExp(
  `(?:^| )(?:pour|pendant|durant|for|during|encore|another|over|sur) (?:les |the |l |encore |another |about |around |environ |at least |au moins )*(?:prochaines?|prochains?|next|coming)? ?${COUNT} (?:prochaines? |prochains? |more |full |coming |autres? )?${UNIT}(?= |$)`,
);
const LENGTH =
  /(?:^| )(?:depuis|since|il y a|ago|par|per|every|tous les|chaque|a l age|previous|dernieres|last|past)(?= |$)/;

/**
 * When a statement no longer holds, in milliseconds since 1970, if its words say so: the day after "until Friday", the Monday after
 * « cette semaine ». Null otherwise.
 * @param plain its words, folded and joined by spaces
 * @param at when it was said; days are those of the local time zone
 * @param isPast it tells what happened, so that « cette semaine » says when, not how long
 */
export function readExpiry(plain: string, at: number, isPast: boolean): number | null {
  const now = new Date(at);
  const until = UNTIL.exec(plain);
  if (until) return isHour(until) ? null : (dayAfter(until[1] ?? '', now)?.getTime() ?? null);
  const monthEnd = endOf(ALL_MONTH.exec(plain)?.[1] ?? '', now);
  // « Le pont est fermé tout le mois d’avril » reads as if it were past.
  if (monthEnd && (!isPast || monthEnd.getTime() - at <= HALF_YEAR_MS)) return monthEnd.getTime();
  if (isPast || CHANGES.test(plain)) return null;
  const during = DURING.exec(plain);
  if (during && !LENGTH.test(plain)) {
    const end = after(now, during[1] ?? '', during[2] ?? '');
    if (end) return end.getTime();
  }
  return period(plain, now)?.getTime() ?? null;
}

/** « Notre loyer passe à 662 euros ce mois-ci »: a time says from when on a change holds, not how long. */
const CHANGES =
  /(?:^| )(?:passe(?:nt|ra)? (?:a|au|de|en)|devien(?:t|nent|dra)|become[s]?|goes (?:up|down) to|go(?:ing)? (?:up|down) to|rises? to|drops? to|augmente(?:nt|ra)?|baisse(?:nt|ra)?|is now|est desormais|starts? (?:at|with|as)|commence(?:nt|ra)? (?:a|au|chez)|demenage\w*|emmenage\w*|moves? to|moving to)(?= |$)/;

/** What happened all of a month is told soon after; what is to come, before. */
const HALF_YEAR_MS = 183 * 86_400_000;

/** « Tout le mois d’avril », "all of April", "this November". */
const ALL_MONTH = new RegExp(
  `(?:^| )(?:tout le mois de |tout le mois d |all of |all |throughout |this )(${MONTH})(?= |$)`,
);

/** "until 6" is an hour, « jusqu’au 6 » and "until the 6th" are days. */
const isHour = (until: RegExpExecArray) =>
  /^\d{1,2}(?:h\d{0,2}|:\d\d)?(?: (?:h|heures?|am|pm|o|hours?).*)?$/.test(until[1] ?? '') &&
  !/ (?:au|the) /.test(until[0]);

function after(now: Date, count: string, unit: string): Date | null {
  const number = /^\d+$/.test(count) ? Number(count) : NUMBERS[count];
  if (number === undefined || number > 400) return null;
  if (unit.startsWith('h')) return new Date(now.getTime() + number * 3_600_000);
  if (/^(?:jour|day|nuit|night)/.test(unit)) return day(now, number);
  if (/^(?:semaine|week(?!.?end))/.test(unit)) return day(now, 7 * number);
  if (unit.startsWith('mo')) return new Date(now.getFullYear(), now.getMonth() + number, now.getDate());
  if (/^(?:an|year)/.test(unit)) return new Date(now.getFullYear() + number, now.getMonth(), now.getDate());
  return null;
}

const HOLDS =
  /(?:^| )(?:(cette semaine|toute la semaine|all week|this week)|(ce mois ci|ce mois|this month)|(ce week end|ce weekend|this weekend|tout le week end|all weekend)|(cette annee|this year)|((?:demain|tomorrow) (?:je|j|i|on|we|nous)(?= )|(?:je|j|i|on|we|nous) .{0,40} (?:demain|tomorrow)$)|(aujourdhui (?:seulement|uniquement)|(?:seulement|uniquement|juste|que) aujourdhui|today only|only today|just (?:for )?today|for today|pour aujourdhui|ce soir|tonight|cet apres midi|this afternoon|ce matin|this morning|aujourdhui|today|all day|toute la journee)|(la semaine prochaine|next week))(?= |$)/;

/** The end of the week, month or day that is going on. */
function period(plain: string, now: Date): Date | null {
  const match = HOLDS.exec(plain);
  if (!match) return null;
  if (match[1]) return week(now, 1);
  if (match[2]) return month(now, 1);
  if (match[3]) return week(now, 1);
  if (match[4]) return year(now, 1);
  if (match[5]) return day(now, 2);
  if (match[6]) return day(now, 1);
  return week(now, 2);
}

const TO_END = `^(?:a |au |en |la |the |le |l )*(?:fin|end)(?: of)?(?: de| du| d)?(?: the| la| le| l| this| ce| cette)* `;
const SIGNED_DATE = /^(\d{1,2})[/.](\d{1,2})(?:[/.](\d{2,4}))?(?= |$)/;
const ISO_DATE = /^(\d{4})[-/ ](\d{2})[-/ ](\d{2})(?= |$)/;
const DAY_MONTH = new RegExp(
  String.raw`^(?:(?:${WEEKDAY}) )?(?:the )?(\d{1,2})(?:st|nd|rd|th|er|eme)? (?:of )?(${MONTH})(?: (\d{4}))?(?= |$)`,
);
const MONTH_DAY = new RegExp(
  String.raw`^(?:(?:${WEEKDAY}) )?(${MONTH}) (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?(?= |$)`,
);
const DAY_ONLY = new RegExp(
  String.raw`^(?:(?:${WEEKDAY}) )?(?:the )?(\d{1,2})(?:st|nd|rd|th|er|eme)?(?= |$)`,
);
/** "Up to 20 mg", « jusqu’à 12 personnes »: how much, not when. */
const MEASURE =
  /^\d{1,2} (?:mg|g|kg|ml|cl|l|mm|cm|m|km|miles?|metres?|euros?|pounds?|quid|personnes?|people|guests?|invites?|fois|times|pages?|points?|degres?|degrees?|pour|percent|places?|seats?|copies|exemplaires)(?= |$)/;
const MONTH_ONLY = new RegExp(String.raw`^(?:mid |mi )?(${MONTH})(?: (\d{4}))?(?= |$)`);
const WEEKDAY_ONLY = new RegExp(`^(${WEEKDAY})(?= |$)`);

const monthOf = (name: string) => MONTHS.findIndex((names) => names.split('|').includes(name));

/** The first midnight after the day or stretch that the words begin with. */
function dayAfter(said: string, now: Date): Date | null {
  const text = said.replace(/ [,;:()–].*$/, '');
  const end = new RegExp(TO_END).exec(text);
  if (end) return endOf(text.slice(end[0].length), now);
  const words = text.replace(new RegExp(`^${FILLER}`), '').replace(/^(?:matin|soir) /, '');
  const isNext = /(?:^| )(?:next|prochaine?|following|suivante?)(?= |$)/.test(text);
  const iso = ISO_DATE.exec(words);
  if (iso) return new Date(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]) + 1);
  const signed = SIGNED_DATE.exec(words);
  if (signed) {
    const [first, second] = [Number(signed[1]), Number(signed[2])];
    const isMonthFirst = second > 12;
    return dated(now, isMonthFirst ? second : first, (isMonthFirst ? first : second) - 1, yearOf(signed[3]));
  }
  const dayMonth = DAY_MONTH.exec(words);
  if (dayMonth) return dated(now, Number(dayMonth[1]), monthOf(dayMonth[2] ?? ''), yearOf(dayMonth[3]));
  const monthDay = MONTH_DAY.exec(words);
  if (monthDay) return dated(now, Number(monthDay[2]), monthOf(monthDay[1] ?? ''), yearOf(monthDay[3]));
  const weekday = WEEKDAY_ONLY.exec(words);
  const number = DAY_ONLY.exec(words);
  if (
    number &&
    Number(number[1]) <= 31 &&
    !MEASURE.test(words) &&
    !/^\d{1,2}(?: ?h| (?:heures?|am|pm|o|hours?|jours?|days?|semaines?|weeks?|mois|months?|ans?|years?))/.test(
      words,
    )
  ) {
    const ahead = new Date(now.getFullYear(), now.getMonth(), Number(number[1]) + 1);
    const inMonth = Number(number[1]) >= now.getDate() ? 0 : 1;
    return inMonth === 0 ? ahead : new Date(now.getFullYear(), now.getMonth() + 1, Number(number[1]) + 1);
  }
  if (weekday) {
    const index = FULL_WEEKDAYS.findIndex((names) => names.split('|').includes(weekday[1] ?? ''));
    const ahead = (index - now.getDay() + 7) % 7;
    return day(now, (ahead === 0 ? (isNext ? 7 : 0) : ahead) + 1);
  }
  if (/^(?:apres demain|day after tomorrow)/.test(words)) return day(now, 3);
  if (/^(?:demain|tomorrow)/.test(words)) return day(now, 2);
  if (/^(?:aujourdhui|today|ce soir|tonight)/.test(words)) return day(now, 1);
  if (/^(?:semaine|week)(?= |$)/.test(words)) return week(now, 2);
  if (/^(?:week end|weekend)/.test(words)) return week(now, 1);
  if (/^(?:mois|month)(?= |$)/.test(words)) return month(now, isNext ? 2 : 1);
  if (/^(?:annee|year)(?= |$)/.test(words)) return year(now, isNext ? 2 : 1);
  if (/^(?:noel|christmas)/.test(words)) return dated(now, 25, 11, null);
  if (/^(?:nouvel an|new year)/.test(words)) return new Date(now.getFullYear() + 1, 0, 2);
  const only = MONTH_ONLY.exec(words);
  if (only) return endOf(words, now);
  const inYear = /^((?:19|20)\d{2})(?= |$)/.exec(words);
  return inYear ? new Date(Number(inYear[1]) + 1, 0, 1) : null;
}

/** The first midnight after a week, month or year that words name. */
function endOf(words: string, now: Date): Date | null {
  if (/^(?:semaine|week)/.test(words)) return week(now, 1);
  if (/^(?:mois|month)/.test(words)) return month(now, 1);
  if (/^(?:annee|year)/.test(words)) return year(now, 1);
  const match = MONTH_ONLY.exec(words);
  if (!match) return null;
  const index = monthOf(match[1] ?? '');
  const said = yearOf(match[2]);
  const inYear = said ?? (index < now.getMonth() ? now.getFullYear() + 1 : now.getFullYear());
  return new Date(inYear, index + 1, 1);
}

const yearOf = (text: string | undefined) =>
  text === undefined ? null : text.length === 2 ? 2_000 + Number(text) : Number(text);

/** The day after a date; without a year, the next such date. */
function dated(now: Date, date: number, index: number, inYear: number | null): Date | null {
  if (index < 0 || index > 11 || date < 1 || date > 31) return null;
  if (inYear !== null) return new Date(inYear, index, date + 1);
  const next = new Date(now.getFullYear(), index, date + 1);
  return next.getTime() <= now.getTime() ? new Date(now.getFullYear() + 1, index, date + 1) : next;
}

const NAMED_DAY = `(?:${WEEKDAY})`;
const DATE = new RegExp(
  String.raw`(?:^| )(?:\d{1,2}(?:st|nd|rd|th|er|eme)? (?:of )?(?:${MONTH})|(?:${MONTH}) \d{1,2}(?:st|nd|rd|th)?|(?:${MONTH}) (?:19|20)\d{2}|(?:en|in|depuis|since|debut|fin|mi|mid|early|late|by|d ici|from|next|last) (?:${MONTH}|\d{4})|(?:january|february|april|june|july|august|september|october|november|december|janvier|fevrier|avril|juin|juillet|aout|septembre|octobre|novembre|decembre)|(?:le|du|au|the|on the|before the|until the|from the) \d{1,2}(?:st|nd|rd|th|er|eme)?|\d{1,2}(?:st|nd|rd|th)|${NAMED_DAY}s?|\d{1,2}/\d{1,2}(?:/\d{2,4})?|demain|tomorrow|apres demain|(?:la semaine|le mois|l annee|l an|l ete|le week end) prochaine?|next (?:week|month|year|summer|spring|winter|autumn|fall|term|semester|weekend)|(?:cet|this|l|the) (?:ete|hiver|automne|summer|winter|autumn|spring|fall)|this (?:weekend|week|month|year)|cette semaine|ce week end|ce mois ci|cette annee|(?:dans|in) (?:\d{1,3}|[a-z]{1,7}) (?:jours?|semaines?|mois|ans|days?|weeks?|months?|years?)|(?:19|20)\d{2}|noel|christmas|paques|easter|rentree)(?= |$)`,
);

/** Do the words hold a date, a day, a month or an hour, other than today or yesterday? */
export const holdsDate = (plain: string) => DATE.test(plain);

const PAST_DATE =
  /(?:^| )(?:il y a (?:\d{1,3}|\w{1,8}) (?:ans?|mois|semaines?)|(?:\d{1,3}|\w{1,8}) (?:years?|months?|weeks?) ago|last (?:year|month|summer|winter|spring|autumn|fall|week)|l (?:an|annee|ete|hiver) (?:derniere?|passee?)|(?:le mois|la semaine) (?:derniere?|passee?)|quand j (?:avais|etais)|when i was|as a (?:child|kid|teenager|student)|enfant|a l age de|at the age of)(?= |$)/;

const FOR_A_WHILE =
  /(?:^| )(?:jusqu|jusque|until|till|til|cette semaine|toute la semaine|ce mois ci|ce week end|tout le week end|this (?:week|month|weekend|term|semester)|all (?:week|month|weekend)|(?:pour|pendant|for|for the next|encore|another) (?:les |the next |the |another |encore )?(?:\d{1,3}|\w{1,8}) (?:prochains? |prochaines? |more |autres )?(?:jours?|semaines?|mois|nuits?|days?|weeks?|months?|nights?)|today only|only today|aujourdhui seulement|seulement aujourdhui|back (?:on|by|in)|de retour (?:le|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|en))(?= |$)/;

/** Do the words say that it holds for a while only? */
export const isForAWhile = (plain: string) =>
  FOR_A_WHILE.test(plain) && !/(?:^| )(?:depuis|since|ago|il y a)(?= |$)/.test(plain);

/** Do the words end with a date until which something holds: "no hot water until Thursday"? */
export function isUntil(plain: string): boolean {
  const until = UNTIL.exec(plain);
  return until !== null && !isHour(until) && dayAfter(until[1] ?? '', new Date(0)) !== null;
}

const YEAR_OR_MONTH = new RegExp(
  `(?:^| )(?:(?:19|20)\\d{2}|\\d{1,2}(?:er|st|nd|rd|th)? (?:of )?(?:${MONTH})|(?:en|in|depuis|since|last) (?:${MONTH}))(?= |$)`,
);

/** Do the words place what happened in a month, a year, or some time ago? A day of the week is no date to remember. */
export const tellsWhen = (plain: string) => PAST_DATE.test(plain) || YEAR_OR_MONTH.test(plain);
