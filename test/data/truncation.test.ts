import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'

import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'

import { truncatedInstant } from '../../src/data/filters/truncation.ts'
import type { TimeUnit } from '../../src/data/filters/truncation.ts'
import { writerIn } from '../../src/data/sql/dialects/writers.ts'
import { boundOf, name, sql } from '../../src/data/sql/fragment.ts'
import { unitStart } from './unit-start.ts'

const database = new Database(':memory:')
afterAll(() => database.close())

/** Clocks that were set at midnight, before it, across a day, twice a year and by half an hour. */
const ZONES = [
  'Europe/Zurich',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'UTC',
]
const UNITS: readonly TimeUnit[] = ['day', 'week', 'month', 'quarter', 'year']

const INSTANTS = (() => {
  const changes = (timeZone: string) => {
    const found: number[] = []
    let at = Temporal.Instant.from('1960-01-01T00:00Z').toZonedDateTimeISO(timeZone)
    for (let next = at.getTimeZoneTransition('next'); next && next.year < 2030;) {
      found.push(next.epochMilliseconds)
      at = next
      next = at.getTimeZoneTransition('next')
    }
    return found
  }
  const near = [-90_000_000, -5_400_000, -1_000, 0, 60_000, 1_800_000, 3_600_000, 5_400_000, 90_000_000]
  return new Map(ZONES.map((zone) => [zone, changes(zone).flatMap((at) => near.map((by) => at + by))]))
})()

test.each(ZONES)('units begin by the clock of %s as in Temporal', (timeZone) => {
  const random = fc.sample(
    fc.integer({ min: Date.UTC(1910, 0) / 1_000, max: Date.UTC(2090, 0) / 1_000 }),
    200,
  )
  const texts = [...(INSTANTS.get(timeZone) ?? []), ...random.map((at) => at * 1_000)].map((at) =>
    new Date(at).toISOString().replace('.000Z', '.000000Z'),
  )
  for (const unit of UNITS) {
    const writer = writerIn('sqlite', 'UTC')
    const start = truncatedInstant(unit, name('at'), { timeZone, writer })
    const { text } = boundOf(sql`SELECT ${start} FROM (SELECT value AS "at" FROM json_each(?1)) AS t`, writer)
    const rows = database.query(text).values(JSON.stringify(texts)) as string[][]
    for (const [at, [found]] of rows.entries()) {
      const instant = texts[at] ?? ''
      const expected = unitStart(instant, unit, timeZone).toInstant().toString().replace('Z', '.000000Z')
      if (found !== expected)
        expect({ timeZone, unit, instant, found }).toEqual({ timeZone, unit, instant, found: expected })
    }
  }
})
