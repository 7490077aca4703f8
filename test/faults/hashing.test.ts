import { expect, test } from 'bun:test'

const RACE = `${import.meta.dir}/hashing-race.ts`

test('who would wait without end for an idle processor is hashed with a share of a busy one', async () => {
  expect(await raceWith('100')).toBe('impatient')
})

test('control: without a share of a busy processor, whoever has less to do is hashed first', async () => {
  expect(await raceWith('1000000000')).toBe('patient')
})

async function raceWith(patienceMs: string): Promise<string> {
  const race = Bun.spawn(['taskset', '-c', '0', process.execPath, RACE, patienceMs], { stderr: 'inherit' })
  return new Response(race.stdout).text()
}
