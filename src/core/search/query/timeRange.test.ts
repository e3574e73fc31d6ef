import { describe, expect, it } from 'vitest';
import { readPastRange, readTimeRange } from './timeRange.ts';

// Wednesday.
const now = new Date(2026, 10, 18, 10).getTime();
const day = (text: string) => {
  const range = readTimeRange(text, now);
  const iso = (at: number) => {
    const date = new Date(at);
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()].join('-');
  };
  return range && [iso(range.from), iso(range.to)];
};

describe('readTimeRange', () => {
  it.each([
    ['Qu’a-t-on décidé hier ?', '2026-11-17', '2026-11-18'],
    ['avant-hier', '2026-11-16', '2026-11-17'],
    ['what happened today', '2026-11-18', '2026-11-19'],
    ['la semaine dernière', '2026-11-9', '2026-11-16'],
    ['this week', '2026-11-16', '2026-11-23'],
    ['le mois dernier', '2026-10-1', '2026-11-1'],
    ['last year', '2025-1-1', '2026-1-1'],
    ['il y a 3 jours', '2026-11-15', '2026-11-16'],
    ['two days ago', '2026-11-16', '2026-11-17'],
    ['in March', '2026-3-1', '2026-4-1'],
    ['en décembre', '2025-12-1', '2026-1-1'],
    ['en mars 2024', '2024-3-1', '2024-4-1'],
    ['depuis juin', '2026-6-1', '2026-11-19'],
    ['in 2023', '2023-1-1', '2024-1-1'],
    ['depuis lundi', '2026-11-16', '2026-11-19'],
    ['everything since last Tuesday', '2026-11-17', '2026-11-19'],
    ['since Wednesday', '2026-11-11', '2026-11-19'],
    ['depuis samedi dernier', '2026-11-14', '2026-11-19'],
    ['vendredi dernier', '2026-11-13', '2026-11-14'],
    ['depuis hier', '2026-11-17', '2026-11-19'],
    ['since last week', '2026-11-9', '2026-11-19'],
    ['le 3 mars', '2026-3-3', '2026-3-4'],
    ['le 3 décembre', '2025-12-3', '2025-12-4'],
    ['le 1er mai 2024', '2024-5-1', '2024-5-2'],
    ['on the 3rd of March', '2026-3-3', '2026-3-4'],
    ['on March 3, 2025', '2025-3-3', '2025-3-4'],
    ['le 12/10', '2026-10-12', '2026-10-13'],
    ['2026-02-28', '2026-2-28', '2026-3-1'],
    ['il y a trois semaines', '2026-10-25', '2026-11-1'],
    ['il y a quinze jours', '2026-10-31', '2026-11-7'],
    ['a couple of days ago', '2026-11-16', '2026-11-17'],
    ['since Easter', '2026-4-5', '2026-11-19'],
    ['depuis Pâques', '2026-4-5', '2026-11-19'],
    ['at Christmas', '2025-12-24', '2025-12-27'],
    ['depuis la rentrée', '2026-9-1', '2026-11-19'],
    ['entre lundi et mercredi', '2026-11-9', '2026-11-12'],
    ['between Thursday and Saturday', '2026-11-12', '2026-11-15'],
    ['du 3 au 7 mars', '2026-3-3', '2026-3-8'],
    ['from March 3 to April 2', '2026-3-3', '2026-4-3'],
    ['de lundi à mardi', '2026-11-16', '2026-11-18'],
    ['le week-end dernier', '2026-11-14', '2026-11-16'],
    ['ce week-end', '2026-11-14', '2026-11-16'],
    ['ces derniers jours', '2026-11-11', '2026-11-19'],
    ['these past two weeks', '2026-11-4', '2026-11-19'],
    ['les trois derniers jours', '2026-11-15', '2026-11-19'],
    ['last summer', '2026-6-1', '2026-9-1'],
    ['l’hiver dernier', '2025-12-1', '2026-3-1'],
    ['avant le 3 mars', '1970-1-1', '2026-3-3'],
    ['after March 3', '2026-3-4', '2026-11-19'],
    ['depuis le mois dernier', '2026-10-1', '2026-11-19'],
  ])('reads %s', (text, from, to) => {
    expect(day(text)).toEqual([from, to]);
  });

  it.each([
    'Quand planter les tomates ?',
    'an hour',
    'mars est une planète',
    'la réunion de lundi',
    'on Friday',
  ])('reads nothing in %s', (text) => {
    expect(day(text)).toBeNull();
  });
});

describe('readPastRange', () => {
  it('takes a day of the week alone for the last one, and a range of them for one week', () => {
    const iso = (at: number | undefined) => new Date(at ?? 0).toDateString();
    expect(iso(readPastRange('mardi', now)?.from)).toBe('Tue Nov 17 2026');
    expect(iso(readPastRange('on Wednesday', now)?.from)).toBe('Wed Nov 11 2026');
  });

  it.each(['depuis la rentree', 'depuis paques', 'la semaine derniere', 'a noel'])(
    'reads %s without its accents',
    (text) => expect(readPastRange(text, now)).not.toBeNull(),
  );
});
