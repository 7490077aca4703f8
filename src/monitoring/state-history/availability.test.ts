import { describe, expect, test } from 'bun:test'
import type { State } from '../../domain/state.ts'
import { availabilityOf } from './availability.ts'
import { spansOf } from './timeline.ts'
import { MINUTE_MS } from '../../lib/time.ts'

const DAY = { beginAt: 0, endAt: 1_440 * MINUTE_MS }

const day = (...changes: readonly [minute: number, to: State][]) =>
  spansOf(
    'ok',
    changes.map(([minute, to]) => ({ at: minute * MINUTE_MS, to })),
    DAY,
  )

describe('the worked example of a day: major 02:00 to 02:30, minor to 02:45, major to 03:00', () => {
  test('45 minutes down are 96.875 percent', () => {
    const spans = day([120, 'major'], [150, 'minor'], [165, 'major'], [180, 'ok'])
    expect(availabilityOf(spans, ['major'])).toEqual({
      percent: 96.875,
      percentWithMaintenance: 96.875,
      downMs: 45 * MINUTE_MS,
      maintenanceMs: 0,
      excludedMs: 0,
      measuredMs: 1_440 * MINUTE_MS,
    })
  })

  test('with maintenance from 02:20 to 02:50, 30 of 1,410 minutes down are 97.872 percent', () => {
    const spans = day(
      [120, 'major'],
      [140, 'maintenance_major'],
      [150, 'maintenance_minor'],
      [165, 'maintenance_major'],
      [170, 'major'],
      [180, 'ok'],
    )
    expect(availabilityOf(spans, ['major'])).toMatchObject({
      percent: 97.872,
      percentWithMaintenance: 96.875,
      downMs: 30 * MINUTE_MS,
      maintenanceMs: 30 * MINUTE_MS,
    })
  })

  test('minor counts if it is requested', () => {
    const spans = day([120, 'major'], [150, 'minor'], [165, 'major'], [180, 'ok'])
    expect(availabilityOf(spans, ['major', 'minor']).percent).toBe(95.833)
  })
})

describe('percentages', () => {
  test('are 100 only without any bad millisecond', () => {
    const year = { beginAt: 0, endAt: 365 * DAY.endAt }
    const spans = spansOf(
      'ok',
      [
        { at: 500, to: 'major' },
        { at: 501, to: 'ok' },
      ],
      year,
    )
    expect(availabilityOf(spans, ['major']).percent).toBe(99.999)
    expect(availabilityOf(spansOf('ok', [], year), ['major']).percent).toBe(100)
  })

  test('exclude time without data', () => {
    const spans = day([600, 'no_data'], [700, 'undefined'], [1_200, 'major'], [1_320, 'ok'])
    expect(availabilityOf(spans, ['major'])).toMatchObject({ excludedMs: 600 * MINUTE_MS, percent: 85.714 })
  })

  test('are null without measured time, never 100', () => {
    expect(availabilityOf([], ['major'])).toMatchObject({ percent: null, percentWithMaintenance: null })
    expect(availabilityOf(day([0, 'undefined']), ['major']).percent).toBeNull()
    expect(availabilityOf(day([0, 'maintenance_ok']), ['major'])).toMatchObject({
      percent: null,
      percentWithMaintenance: 100,
    })
  })
})
