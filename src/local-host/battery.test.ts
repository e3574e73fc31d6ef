import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeFolder, temporaryFolder } from '../../test/support/temporary.ts';
import { onBattery } from './battery.ts';

type Supply = Readonly<Record<string, string>>;

function tells(supplies: Readonly<Record<string, Supply>>): boolean {
  const folder = temporaryFolder();
  for (const [name, files] of Object.entries(supplies)) {
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), `${text}\n`);
  }
  try {
    return onBattery(folder);
  } finally {
    removeFolder(folder);
  }
}

const discharging = { type: 'Battery', status: 'Discharging' };

it.each<[string, boolean, Readonly<Record<string, Supply>>]>([
  ['no supply', false, {}],
  ['the mains alone', false, { AC: { type: 'Mains', online: '1' } }],
  ['a battery that discharges', true, { AC: { type: 'Mains', online: '0' }, BAT0: discharging }],
  ['a battery that charges', false, { BAT0: { type: 'Battery', status: 'Charging' } }],
  ['a battery beside the mains', false, { AC: { type: 'Mains', online: '1' }, BAT0: discharging }],
  ['the battery of a mouse', false, { hid: { ...discharging, scope: 'Device' } }],
])('a computer with %s runs on its battery: %s', (_, expected, supplies) => {
  expect(tells(supplies)).toBe(expected);
});

it('a computer that does not tell does not run on its battery', () => {
  expect(onBattery('/nowhere')).toBe(false);
});
