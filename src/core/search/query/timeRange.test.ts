import { describe, expect, it } from 'vitest';
import { isAboutTalk, readTimeRange } from './timeRange.ts';

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

describe('isAboutTalk', () => {
  it.each([
    ['On a parlé de quoi ?', true],
    ['De quoi avons-nous discuté hier ?', true],
    ['What did we talk about?', true],
    ['Quand planter les tomates ?', false],
  ])('%s: %s', (text, expected) => {
    expect(isAboutTalk(text)).toBe(expected);
  });
});
